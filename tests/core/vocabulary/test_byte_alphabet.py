from guiapp.core.vocabulary import byte_alphabet


def test_every_byte_has_its_own_printable_character():
    assert len(set(byte_alphabet.CHARACTER_OF_BYTE)) == 256
    assert all(character.isprintable() and character != " " for character in byte_alphabet.CHARACTER_OF_BYTE)


def test_known_spellings():
    assert byte_alphabet.spell(b" the\n\t") == "ĠtheĊĉ"
    assert byte_alphabet.spell("é".encode()) == "Ã©"
    assert byte_alphabet.unspell("ĠtheĊĉ") == b" the\n\t"


def test_arrays_say_the_same():
    everything = bytes(range(256))
    assert byte_alphabet.unspell(byte_alphabet.spell(everything)) == everything
    for byte, character in enumerate(byte_alphabet.CHARACTER_OF_BYTE):
        assert byte_alphabet.CODE_POINTS[byte] == ord(character)
        assert byte_alphabet.BYTES[ord(character)] == byte
    assert (byte_alphabet.BYTES >= 0).sum() == 256
