"""`tokenloupe chat`"""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING

from guiapp.cli.files import (
    FOUND,
    InputError,
    add_pre_option,
    file_name,
    open_tokenizer,
    print_json_parts,
    print_lines,
    read,
)
from guiapp.errors import ChatError

if TYPE_CHECKING:
    from guiapp.analysis.chat.chat import Chat
    from guiapp.analysis.chat.hints import Hint


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL")
    parser.add_argument(
        "messages",
        metavar="MESSAGES.json",
        type=file_name,
        help="messages in OpenAI's form, or a request with messages and tools; - for standard input",
    )
    add_pre_option(parser)
    parser.add_argument(
        "--template", metavar="NAME|FILE", type=file_name, help="another template than the model's usual one"
    )
    parser.add_argument("--tools", metavar="FILE", type=file_name, help="tools, as a JSON list")
    parser.add_argument(
        "--no-generation-prompt",
        dest="generation_prompt",
        action="store_false",
        help="do not begin a turn of the assistant at the end",
    )
    parser.add_argument(
        "--no-special", dest="special", action="store_false", help="add no BOS, EOS and the like"
    )
    parser.add_argument(
        "--as-text", action="store_true", help="content stays text where it looks like a control token"
    )
    parser.add_argument(
        "--set",
        dest="variables",
        metavar="NAME=JSON",
        action="append",
        default=[],
        type=_variable,
        help="a variable for the template, such as enable_thinking=false; what is not JSON is a text",
    )
    _add_comparison_options(parser)
    parser.add_argument("--json", action="store_true", help="print the tokens and hints as a JSON object")
    parser.epilog = (
        "Exit status: 0 nothing to warn of, and both alike if compared, 3 warnings or differences, 1 the "
        "input was at fault, 2 usage."
    )


def _add_comparison_options(parser: argparse.ArgumentParser) -> None:
    beside = parser.add_argument_group("compared with")
    beside.add_argument("--beside", metavar="MODEL", help="another model, by its own template if it has one")
    beside.add_argument(
        "--template-beside", metavar="NAME|FILE", type=file_name, help="another template, of the other model"
    )
    beside.add_argument(
        "--no-generation-prompt-beside", action="store_true", help="the same without a generation prompt"
    )
    beside.add_argument(
        "--llama-cpp-beside", action="store_true", help="llama.cpp itself, where xllamacpp is installed"
    )


def _variable(assignment: str) -> tuple[str, object]:
    from guiapp.core.text.outside_json import read_json

    name, sign, value = assignment.partition("=")
    if not sign or not name.isidentifier():
        raise argparse.ArgumentTypeError(f"{assignment!r} is not of the form NAME=JSON")
    try:
        return name, read_json(value)
    except ValueError:
        return name, value


def run(options: argparse.Namespace) -> int:
    """Messages through the model's chat template: every token with its origin, and what may go wrong."""
    from guiapp.analysis.chat.chat import chat_of
    from guiapp.analysis.chat.hints import hints
    from guiapp.analysis.chat.messages import ChatSettings, conversation_of
    from guiapp.analysis.chat.report import chat_lines, chat_record
    from guiapp.analysis.doctor.findings import WARNING

    if options.messages == options.tools == "-":
        raise InputError("Standard input is for one of both. Give the file of the tools.")
    others = options.beside, options.template_beside, options.no_generation_prompt_beside
    if options.llama_cpp_beside and any(others):
        raise InputError("llama.cpp is given the same model, template and prompt. Leave those beside out.")
    tools = None if options.tools is None else read(options.tools)
    conversation = conversation_of(read(options.messages), tools)
    tokenizer = open_tokenizer(options.model, options.pre)
    settings = ChatSettings(
        options.template, options.generation_prompt, options.special, options.as_text, dict(options.variables)
    )
    chat = chat_of(tokenizer, conversation, settings)
    found = hints(chat)
    if (beside := _compared_chat(options, chat)) is not None:
        return _compare(options, (chat, found), *beside)
    if options.json:
        print_json_parts(chat_record(chat, found))
    else:
        print_lines(chat_lines(chat, found))
    return FOUND if any(hint.severity == WARNING for hint in found) else 0


def _compared_chat(options: argparse.Namespace, chat: Chat) -> tuple[Chat, str, str] | None:
    """What a chat is compared with, what that is called, and what llama.cpp is told to do otherwise."""
    from guiapp.analysis.chat.chat import chat_of
    from guiapp.analysis.chat.llama_cpp import llama_prompt
    from guiapp.analysis.chat.report import in_model

    if options.llama_cpp_beside:
        prompt = llama_prompt(chat)
        return prompt.chat, "llama.cpp", prompt.difference(chat)
    names = [
        options.beside,
        options.template_beside,
        "no generation prompt" if options.no_generation_prompt_beside else None,
    ]
    if not any(names):
        return None
    settings = chat.settings
    if options.no_generation_prompt_beside:
        settings = replace(settings, add_generation_prompt=False)
    name = ", ".join(filter(None, names))
    try:
        if options.beside:
            tokenizer = open_tokenizer(options.beside)
            other = in_model(chat, tokenizer, settings, options.template_beside)
        else:
            template = options.template_beside or settings.template
            other = chat_of(chat.tokenizer, chat.conversation, replace(settings, template=template))
    except ChatError as error:
        raise InputError(f"{name}: {error}") from error
    return other, name, ""


def _compare(
    options: argparse.Namespace,
    first: tuple[Chat, list[Hint]],
    second: Chat,
    name: str,
    llama_difference: str,
) -> int:
    from guiapp.analysis.chat.hints import hints
    from guiapp.analysis.chat.report import ChatComparison, comparison_lines, comparison_record
    from guiapp.analysis.doctor.findings import WARNING

    chat, found = first
    compared = ChatComparison(chat, second)
    if options.json:
        print_json_parts(comparison_record(compared, (found, hints(second)), llama_difference))
    else:
        print_lines(comparison_lines(compared, (options.model, name), llama_difference, found))
    warns = any(hint.severity == WARNING for hint in found)
    return FOUND if warns or llama_difference or not compared.has_same_ids else 0
