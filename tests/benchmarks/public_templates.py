"""Compare chat templates of models, rendered here and by `transformers` 5:

    python tests/benchmarks/public_templates.py MODEL FOLDER

FOLDER has templates as *.jinja, such as llama.cpp's `models/templates`; MODEL's tokenizer makes the tokens.
Each template renders the conversations of the tests.  Prints each rendering that differs, that has other ids
than the whole text, or whose content is not in tokens marked with its message; then the numbers of each.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from chat_templates import CONVERSATIONS
from transformers.utils.chat_template_utils import render_jinja_template

import guiapp
from guiapp.analysis.chat.chat import Chat, chat_of
from guiapp.analysis.chat.messages import ChatSettings, Conversation, conversation_of, with_reasoning
from guiapp.analysis.chat.templates import special_texts
from guiapp.core.encode.tokenizer import Tokenizer


def expected_text(conversation: Conversation, template: str, given: dict[str, str]) -> str | None:
    """The text rendered by `transformers`; None if that fails."""
    messages, tools = json.loads(
        json.dumps([[with_reasoning(each) for each in conversation.messages], conversation.tools])
    )
    try:
        texts, _ = render_jinja_template(
            [messages], tools=tools, chat_template=template, add_generation_prompt=True, **given
        )
    except Exception:  # templates may raise any exception
        return None
    return str(texts[0])


def faults(tokenizer: Tokenizer, chat: Chat, expected: str) -> list[str]:
    whole = tokenizer.encode(chat.text).token_ids.tolist()
    problems = [] if chat.text == expected else ["another text"]
    problems += [] if chat.token_ids.tolist() == whole else ["other ids"]
    for number, message in enumerate(chat.conversation.messages):
        content = message.get("content")
        marked = b"".join(
            chat.encoding.text_bytes[start:end]
            for (start, end), origin in zip(chat.encoding.spans.tolist(), chat.origins, strict=True)
            if origin.is_content and number in (origin.message, *origin.also)
        )
        if isinstance(content, str) and content.strip() in chat.text:
            problems += [] if content.strip().encode() in marked else [f"message {number} is not marked"]
    return problems


def main() -> None:
    model, folder = sys.argv[1:]
    tokenizer, n = guiapp.open_model(model), Counter[str]()
    given = special_texts(tokenizer.vocabulary)
    for file in sorted(Path(folder).glob("*.jinja")):
        template = file.read_text("utf-8")
        for name, conversation_parts in CONVERSATIONS.items():
            conversation = conversation_of(*conversation_parts)
            expected = expected_text(conversation, template, given)
            try:
                chat = chat_of(tokenizer, conversation, ChatSettings(template=template))
            except guiapp.ChatError as error:
                n["refused by both" if expected is None else "refused only here"] += 1
                if expected is not None:
                    print(f"{file.stem}, {name}: {error}")
                continue
            if expected is None:
                problems = ["refused only by transformers"]
            else:
                problems = faults(tokenizer, chat, expected)
            n["different" if problems else "equal"] += 1
            for fault in problems:
                print(f"{file.stem}, {name}: {fault}")
    print(", ".join(f"{count} {what}" for what, count in n.items()))


if __name__ == "__main__":
    main()
