"""Words of a line of the command language, with their positions for error messages."""

import re
from dataclasses import dataclass
from unicodedata import combining, east_asian_width

from rck.support.finding import RckError


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a line."""

    text: str
    start: int
    """Index of its first character in the line."""
    end: int
    quoted: bool = False
    """True if it begins with a quote; such a word is never an option or a setting."""


class LanguageError(RckError):
    """An error in a line, with the word that causes it."""

    def __init__(self, message: str, line: str = "", word: Word | None = None) -> None:
        self.message = message
        self.line = line
        self.word = word
        super().__init__(f"{message}{self.picture}")

    @property
    def picture(self) -> str:
        """The line with carets under the word, to append to a message; empty without a word."""
        return "" if self.word is None else f"\n  {self.line}\n  {pointer(self.word, self.line)}"


def pointer(word: Word, line: str = "") -> str:
    """Return spaces and carets that underline a word of a line."""
    before = line[: word.start].ljust(word.start)
    space = "".join("\t" if character == "\t" else " " * _width(character) for character in before)
    return space + "^" * max(1, sum(map(_width, line[word.start : word.end].ljust(word.end - word.start))))


def _width(character: str) -> int:
    """Return the number of terminal columns that a character occupies."""
    if combining(character):
        return 0
    return 2 if east_asian_width(character) in "WF" else 1


def split_words(line: str) -> list[Word]:
    """Split a line into words. Quotes group words with spaces; a `#` followed by a space starts a comment.

    At the beginning of a line, a `#` always starts a comment; after a word, `#ff8800` is a colour.
    """
    words: list[Word] = []
    index = 0
    while index < len(line):
        if line[index].isspace():
            index += 1
        elif line[index] == "#" and (not words or not line[index + 1 : index + 2].strip()):
            break
        else:
            words.append(_word(line, index))
            index = words[-1].end
    return words


def _word(line: str, start: int) -> Word:
    text: list[str] = []
    index = start
    while index < len(line) and not line[index].isspace():
        character = line[index]
        if character in "\"'":
            close = line.find(character, index + 1)
            if close < 0:
                raise LanguageError(f"the quote {character} is not closed", line, Word(character, index, len(line)))
            text.append(line[index + 1 : close])
            index = close + 1
        else:
            text.append(character)
            index += 1
    return Word("".join(text), start, index, line[start] in "\"'")


def quote(text: str) -> str:
    """Return the text as one word of a line. A text with line breaks cannot be represented."""
    if text and not any(mark.isspace() or mark in "\"'" for mark in text) and not text.startswith(("#", "--")):
        return text
    if '"' not in text:
        return f'"{text}"'
    # There is no escape character: adjacent quoted strings form one word.
    return "".join(f"'{part}'" if part == '"' else f'"{part}"' for part in re.split('(")', text) if part)


def quote_setting(name: str, value: str) -> str:
    """Return a setting as one word of a line; only the value is quoted, since a quoted word is not a setting."""
    return f"{name}={quote(value)}"
