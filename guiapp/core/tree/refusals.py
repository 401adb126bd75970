"""Why no text leads to a token."""

from __future__ import annotations

from enum import Enum


class Refusal(Enum):
    """A reason that is a proof, for texts that are valid UTF-8; the value says it of several tokens.

    NOT_TEXT      the bytes are nowhere side by side in valid UTF-8
    USER_DEFINED  whatever the text, the user-defined token in it is cut out before anything is merged
    MERGED        what merging makes of a stretch that comes out whole depends on nothing around it (see
                  `kernels/derivations.py`): what is not made of its own bytes is made nowhere
    CUT           two neighbouring characters are in different pieces, whatever is around them
    ALONE         two tokens that merging leaves side by side are also left if they are the whole piece, and
                  no token that could go on with the character is left beside this one
    NORMALISED    no text becomes, by the rules or the character map of the file, what holds such a character,
                  or in WordPiece such characters in one word
    HIDDEN        in WordPiece, the only word that could end in the token is a token itself, or is unknown
    BEATEN        in Unigram, its own bytes have a higher sum of scores as other tokens; these take its place
                  wherever it stands
    DOUBLE        another token for the same bytes is found instead
    """

    NOT_TEXT = "whose bytes are part of no text"
    USER_DEFINED = "that hold a user-defined token, which is cut out first"
    MERGED = "whose own bytes merge into other tokens"
    CUT = "that the pre-tokenizer cuts, whatever is around them"
    ALONE = "that hold part of a character and merge with whatever could be its other part"
    NORMALISED = "that hold what normalising changes, removes or cuts"
    HIDDEN = "whose only word becomes another token"
    BEATEN = "whose own bytes have a better score as other tokens"
    DOUBLE = "whose bytes another token stands for"
