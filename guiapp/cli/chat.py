"""`tokenloupe chat`"""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING

from guiapp.cli.files import (
    FOUND,
    MODEL_HELP,
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


EXAMPLES = (
    "tokenloupe chat model.gguf messages.json",
    "tokenloupe chat model.gguf messages.json --llama-cpp-beside",
)
STATUSES = {FOUND: "warnings, or a difference from what it is compared with"}


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", help=MODEL_HELP)
    parser.add_argument(
        "messages",
        metavar="MESSAGES.json",
        type=file_name,
        help="messages in OpenAI's format, or a request with messages and tools; - reads standard input",
    )
    add_pre_option(parser)
    about = "use this template instead of the model's default"
    parser.add_argument("--template", metavar="NAME|FILE", type=file_name, help=about)
    parser.add_argument("--tools", metavar="FILE", type=file_name, help="a JSON list of tools")
    parser.add_argument(
        "--no-generation-prompt",
        dest="generation_prompt",
        action="store_false",
        help="omit the generation prompt, which begins the assistant's turn",
    )
    about = "do not add BOS, EOS or other special tokens"
    parser.add_argument("--no-special", dest="special", action="store_false", help=about)
    about = "encode control tokens in the content of messages as ordinary text"
    parser.add_argument("--as-text", action="store_true", help=about)
    parser.add_argument(
        "--set",
        dest="variables",
        metavar="NAME=JSON",
        action="append",
        default=[],
        type=_variable,
        help="set a template variable, such as enable_thinking=false; a value that is not JSON is a string",
    )
    _add_comparison_options(parser)
    parser.add_argument("--json", action="store_true", help="print the tokens and hints as a JSON object")


def _add_comparison_options(parser: argparse.ArgumentParser) -> None:
    beside = parser.add_argument_group("compare with")
    about = "another model, with its own template if it has one"
    beside.add_argument("--beside", metavar="MODEL", help=about)
    about = "another template, of the other model if you give one"
    beside.add_argument("--template-beside", metavar="NAME|FILE", type=file_name, help=about)
    about = "the same messages without a generation prompt"
    beside.add_argument("--no-generation-prompt-beside", action="store_true", help=about)
    about = "the result of llama.cpp (needs xllamacpp)"
    beside.add_argument("--llama-cpp-beside", action="store_true", help=about)


def _variable(assignment: str) -> tuple[str, object]:
    from guiapp.core.text.outside_json import read_json

    name, sign, value = assignment.partition("=")
    if not sign or not name.isidentifier():
        raise argparse.ArgumentTypeError(f"“{assignment}” is not NAME=JSON, such as enable_thinking=false")
    try:
        return name, read_json(value)
    except ValueError:
        return name, value


def run(options: argparse.Namespace) -> int:
    """Apply the chat template to messages: show each token with its origin, and warn of problems."""
    from guiapp.analysis.chat.chat import chat_of
    from guiapp.analysis.chat.hints import hints
    from guiapp.analysis.chat.messages import ChatSettings, conversation_of
    from guiapp.analysis.chat.report import chat_lines, chat_record
    from guiapp.analysis.doctor.findings import WARNING

    if options.messages == options.tools == "-":
        raise InputError("Only one of MESSAGES and --tools can be standard input. Give a file for the other.")
    others = options.beside, options.template_beside, options.no_generation_prompt_beside
    if options.llama_cpp_beside and any(others):
        raise InputError("--llama-cpp-beside cannot be combined with other -beside options. Omit them.")
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
    """The chat to compare with, its name, and the difference in what llama.cpp is asked to do; or None."""
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
