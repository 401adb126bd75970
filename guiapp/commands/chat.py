"""`tokenloupe chat`"""

from __future__ import annotations

import argparse
import sys

from guiapp.commands.files import (
    add_pre_option,
    file_name,
    open_tokenizer,
    print_json,
    read,
)

FOUND = 3


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
        help="what the template is given besides, such as enable_thinking=false; what is no JSON is a text",
    )
    parser.add_argument("--json", action="store_true", help="print the tokens and hints as a JSON object")
    parser.epilog = "Exit status: 0 nothing to warn of, 3 warnings, 1 the input was at fault, 2 usage."


def _variable(said: str) -> tuple[str, object]:
    name, sign, value = said.partition("=")
    if not sign or not name.isidentifier():
        raise argparse.ArgumentTypeError(f"{said!r} is not of the form NAME=JSON")
    from guiapp.core.system.outside_json import read_json

    try:
        return name, read_json(value)
    except ValueError:
        return name, value


def run(options: argparse.Namespace) -> int:
    """Messages through the model's chat template: every token with its origin, and what may go wrong."""
    from guiapp.core.chat.chat import chat_of
    from guiapp.core.chat.hints import WARNING, hints
    from guiapp.core.chat.messages import conversation_of
    from guiapp.core.chat.report import chat_lines, chat_record
    from guiapp.core.chat.settings import ChatSettings

    tools = None if options.tools is None else read(options.tools)
    conversation = conversation_of(read(options.messages), tools)
    tokenizer = open_tokenizer(options.model, options.pre)
    settings = ChatSettings(
        options.template, options.generation_prompt, options.special, options.as_text, dict(options.variables)
    )
    chat = chat_of(tokenizer, conversation, settings)
    found = hints(chat)
    if options.json:
        print_json(chat_record(chat, found))
    else:
        sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]  # a terminal may be ASCII only
        print(*chat_lines(chat, found), sep="\n")
    return FOUND if any(hint.severity == WARNING for hint in found) else 0
