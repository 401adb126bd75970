"""A text that looks like UTF-16 is told, and converted where somebody wants it."""

import pytest

from guiapp.kit.document.document import TextDocument, Utf16Text

TEXT = "Some words, a€ and 😍\n" * 3


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_a_text_is_converted_as_one_edit(qtbot, codec):
    document = TextDocument(TEXT.encode(codec))
    utf16 = Utf16Text(document)
    assert utf16.codec == codec
    document.set_caret(4)
    with qtbot.waitSignal(utf16.changed):
        utf16.convert()
    assert (document.text(), utf16.codec, document.caret) == (TEXT.encode(), None, 0)
    with qtbot.waitSignal(utf16.changed):
        document.undo()
    assert (document.text(), utf16.codec) == (TEXT.encode(codec), codec)
    utf16.close()


def test_what_is_typed_meanwhile_is_not_lost(qtbot):
    document = TextDocument(TEXT.encode("utf-16-le"))
    utf16 = Utf16Text(document)
    utf16.convert()
    document.replace(0, 0, "é".encode("utf-16-le"))
    with qtbot.assertNotEmitted(utf16.changed, wait=50):
        pass
    assert document.text() == f"é{TEXT}".encode("utf-16-le")
    utf16.close()


def test_other_texts_are_left_alone(qtbot):
    document = TextDocument(TEXT.encode())
    utf16 = Utf16Text(document)
    utf16.convert()
    with qtbot.assertNotEmitted(utf16.changed, wait=50):
        document.replace(0, 0, b"a")
    assert (document.text(), utf16.codec) == (b"a" + TEXT.encode(), None)
    utf16.close()
