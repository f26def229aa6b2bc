"""Cutting a line of the command language into words that know where they stand."""

from dataclasses import dataclass

from rck.model import RckError


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a line."""

    text: str
    start: int
    """Where it begins in the line, from 0."""
    end: int
    quoted: bool = False


class LanguageError(RckError):
    """What is wrong with a line, and the word that it is about."""

    def __init__(self, message: str, line: str = "", word: Word | None = None) -> None:
        self.message = message
        self.line = line
        self.word = word
        super().__init__(message if word is None else f"{message}\n  {line}\n  {pointer(word)}")


def pointer(word: Word) -> str:
    """Carets to be shown under the word."""
    return " " * word.start + "^" * max(1, word.end - word.start)


def split_words(line: str) -> list[Word]:
    """The words of a line. Quotes keep spaces together; `#` at the beginning of a word starts a comment."""
    words = []
    place = 0
    while place < len(line):
        if line[place].isspace():
            place += 1
        elif line[place] == "#":
            # A colour such as #ff8800 can be a value; a comment stands alone.
            if place + 1 < len(line) and not line[place + 1].isspace():
                word = _plain_word(line, place)
                words.append(word)
                place = word.end
            else:
                break
        else:
            word = _plain_word(line, place)
            words.append(word)
            place = word.end
    return words


def _plain_word(line: str, start: int) -> Word:
    text: list[str] = []
    place = start
    quoted = False
    while place < len(line) and not line[place].isspace():
        mark = line[place]
        if mark in "\"'":
            close = line.find(mark, place + 1)
            if close < 0:
                raise LanguageError(f"the quote {mark} is not closed", line, Word(mark, place, len(line)))
            text.append(line[place + 1 : close])
            place = close + 1
            quoted = True
        else:
            text.append(mark)
            place += 1
    return Word("".join(text), start, place, quoted)


def quote(text: str) -> str:
    """The text as one word of a line."""
    if text and not any(mark.isspace() or mark in "\"'" for mark in text) and not text.startswith("#"):
        return text
    mark = "'" if '"' in text else '"'
    return f"{mark}{text}{mark}"
