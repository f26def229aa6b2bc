"""Cutting a line of the command language into words that know where they stand."""

import re
from dataclasses import dataclass
from unicodedata import combining, east_asian_width

from rck.model import RckError


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a line."""

    text: str
    start: int
    """Where it begins in the line, from 0."""
    end: int
    quoted: bool = False
    """Whether it begins with a quote: then it is no option and no setting, whatever it looks like."""


class LanguageError(RckError):
    """What is wrong with a line, and the word that it is about."""

    def __init__(self, message: str, line: str = "", word: Word | None = None) -> None:
        self.message = message
        self.line = line
        self.word = word
        super().__init__(f"{message}{self.picture}")

    @property
    def picture(self) -> str:
        """The line with the word underlined, to be shown below a message; empty without a word."""
        return "" if self.word is None else f"\n  {self.line}\n  {pointer(self.word, self.line)}"


def pointer(word: Word, line: str = "") -> str:
    """Carets to be shown under the word of a line."""
    before = line[: word.start].ljust(word.start)
    space = "".join("\t" if mark == "\t" else " " * _width(mark) for mark in before)
    return space + "^" * max(1, sum(map(_width, line[word.start : word.end].ljust(word.end - word.start))))


def _width(mark: str) -> int:
    """How many columns of a terminal a character takes."""
    if combining(mark):
        return 0
    return 2 if east_asian_width(mark) in "WF" else 1


def split_words(line: str) -> list[Word]:
    """The words of a line. Quotes keep spaces together; a `#` with a space after it starts a comment.

    At the beginning of a line it needs no space: `#ff8800` is a colour only where something comes before it.
    """
    words: list[Word] = []
    place = 0
    while place < len(line):
        if line[place].isspace():
            place += 1
        elif line[place] == "#" and (not words or not line[place + 1 : place + 2].strip()):
            break
        else:
            words.append(_word(line, place))
            place = words[-1].end
    return words


def _word(line: str, start: int) -> Word:
    text: list[str] = []
    place = start
    while place < len(line) and not line[place].isspace():
        mark = line[place]
        if mark in "\"'":
            close = line.find(mark, place + 1)
            if close < 0:
                raise LanguageError(f"the quote {mark} is not closed", line, Word(mark, place, len(line)))
            text.append(line[place + 1 : close])
            place = close + 1
        else:
            text.append(mark)
            place += 1
    return Word("".join(text), start, place, line[start] in "\"'")


def quote(text: str) -> str:
    """The text as one word of a line; a text of several lines has no such word."""
    if text and not any(mark.isspace() or mark in "\"'" for mark in text) and not text.startswith(("#", "--")):
        return text
    if '"' not in text:
        return f'"{text}"'
    # There is no escape character: pieces in quotes of either kind stand side by side.
    return "".join(f"'{piece}'" if piece == '"' else f'"{piece}"' for piece in re.split('(")', text) if piece)


def quote_setting(name: str, value: str) -> str:
    """Return a setting as one word of a line; only the value is quoted, since a word in quotes is no setting."""
    return f"{name}={quote(value)}"
