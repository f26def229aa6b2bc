"""Grammar of the command language: declarations of commands and their arguments, and the parser of lines."""

from rck.grammar.commands import Argument, Arguments, CommandOption, CommandSpec, Suggest, ValueKind, range_text
from rck.grammar.parser import Grammar, make_grammar, parse_arguments, parse_line
from rck.grammar.tokens import LanguageError, Word, quote, quote_setting, split_words

__all__ = [
    "Argument",
    "Arguments",
    "CommandOption",
    "CommandSpec",
    "Grammar",
    "LanguageError",
    "Suggest",
    "ValueKind",
    "Word",
    "make_grammar",
    "parse_arguments",
    "parse_line",
    "quote",
    "quote_setting",
    "range_text",
    "split_words",
]
