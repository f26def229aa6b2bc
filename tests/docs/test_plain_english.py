"""Help, messages, docstrings and documentation use plain technical English."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import click
import pytest

from rck.cli.main import cli
from rck.hooks import discover
from rck.hooks.specs import HOOK_OF_KIND
from rck.language.session import full_grammar

ROOT = Path(__file__).parents[2]
SOURCES = ("rck", "plugins", "importers", "parts_library", "bench", "tools", "tests")
PHRASES = (
    r"anew", r"beside", r"unless said", r"whatever", r"whoever", r"reckon\w*", r"mend(s|ed|ing)?", r"n[oa]ught",
    r"what touches", r"(is|are|was|were) told", r"told of", r"let be", r"lets? it be", r"as it were",
    r"look(s|ed)? over",
    r"in the way of", r"by the clock on the wall", r"has no place for", r"under way", r"a hair", r"be had",
    r"how far it is", r"and no more", r"sisters", r"strangers?", r"wished", r"of that kind is", r"what is placed",
    r"so many", r"as much as", r"thereof", r"therein", r"herein", r"hitherto", r"henceforth", r"dearer",
    r"as (it|they) (came|stands?)", r"stands? twice", r"(is|was|were) to be reached", r"hangs? together",
    r"plain means",
    r"gone round", r"save for", r"say which", r"unlike one another", r"what it is good for",
    r"(readings|frames|samples|turns|messages|units|steps|solves|points|measurements) a second",
)  # fmt: skip

DIALECT = re.compile(rf"\b({'|'.join(PHRASES)})\b", re.IGNORECASE)
IN_TEST_NAMES = re.compile(
    r"_(anew|beside|nought|whatever|whoever|told|mended|reckoned|stands|is_none|are_none|is_no_[a-z]+$|alike|as_it_\w+|"
    r"as_they_\w+|where_rck_has_\w+|what_\w+_(is|are|has|have|weighs?))(_|$)"
)
NOT_A_HELP = re.compile(r"(Of|Where|What|How|As|Whether|Which|Who|From where|By what)\b")
NOT_A_DOCSTRING = re.compile(
    r"(The|A|An|What|Whether|How|Where|Which|Why|Of|As|All|One|Every|Each|In|It|Those|These|Nothing|Something|"
    r"Everything|Another|Two|Three|For|From|By|At|On|With|Under)\b"
)
"""First words that cannot be an imperative verb."""
NOT_A_NOUN = re.compile(r"(Of|Where|What|How|As|Whether|Which|Who|Why|From where|By what)\b")
"""First words of questions and fragments."""


def files(*suffixes: str) -> list[Path]:
    return sorted(path for folder in SOURCES for path in (ROOT / folder).rglob("*") if path.suffix in suffixes)


def prose_of_page(text: str) -> str:
    """Return a Markdown page with its code blanked out, line by line."""
    blanked = re.sub(r"^```.*?^```$", lambda block: "\n" * block[0].count("\n"), text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`\n]*`", "", blanked)


def prose_of_source(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the comments and strings of a Python file with their line numbers."""
    for token in tokenize.generate_tokens(io.StringIO(path.read_text(encoding="utf-8")).readline):
        if token.type in (tokenize.COMMENT, tokenize.STRING):
            yield from enumerate(token.string.splitlines(), token.start[0])


def docstrings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the docstrings of a file, those of attributes included, except those of functions."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        own = isinstance(node, ast.Module | ast.ClassDef)
        for number, child in enumerate(node.body):
            is_text = isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)
            if is_text and isinstance(child.value.value, str) and (own or number > 0):
                yield child.lineno, child.value.value


@cache
def trees() -> dict[Path, ast.Module]:
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in files(".py") if "tests" not in path.parts}


def test_sources_have_no_dialect():
    own = Path(__file__)
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in files(".py")
        if path != own and DIALECT.search(path.read_text(encoding="utf-8"))
        for number, line in prose_of_source(path)
        if DIALECT.search(line)
    ]
    assert found == []


def test_pages_and_manifests_have_no_dialect():
    pages = [
        *ROOT.glob("*.md"),
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "examples").rglob("*.md"),
        *files(".md", ".yaml"),
    ]
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in pages
        for number, line in enumerate(prose_of_page(path.read_text(encoding="utf-8")).splitlines(), 1)
        if DIALECT.search(line)
    ]
    assert found == []


def commands_of_rck(command: click.Command, name: str) -> Iterator[tuple[str, str]]:
    """Yield each help text of the command line with its place."""
    context = click.Context(command)
    yield name, command.help or ""
    for parameter in command.get_params(context):
        if isinstance(parameter, click.Option):
            yield f"{name} {parameter.opts[0]}", parameter.help or ""
    if isinstance(command, click.Group):
        for child in command.list_commands(context):
            found = command.get_command(context, child)
            assert found is not None
            yield from commands_of_rck(found, f"{name} {child}")


def helps_of_the_language() -> Iterator[tuple[str, str]]:
    for command in full_grammar(discover()).commands.values():
        yield command.name, command.summary
        for argument in (*command.arguments, *command.options):
            yield f"{command.name} {argument.name}", getattr(argument, "summary", "")


def helps_of_plugins() -> Iterator[tuple[str, str]]:
    plugins = discover()
    for kind in HOOK_OF_KIND:
        for contribution in plugins.all(kind):
            yield contribution.name, contribution.summary
            for option in getattr(contribution, "options", ()):
                yield f"{contribution.name} {option.name}", option.help


@pytest.mark.parametrize(
    "helps",
    [lambda: commands_of_rck(cli, "rck"), helps_of_the_language, helps_of_plugins],
    ids=["rck", "language", "plugins"],
)
def test_help_starts_with_an_imperative_or_a_noun(helps):
    found = [f"{place}: {text}" for place, text in helps() if NOT_A_HELP.match(text) or DIALECT.search(text)]
    assert found == []


def test_docstrings_of_functions_start_with_an_imperative_verb():
    found = []
    for path, tree in trees().items():
        for node in ast.walk(tree):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            text = ast.get_docstring(node) or ""
            if not NOT_A_DOCSTRING.match(text):
                continue
            if not any("property" in ast.unparse(decorator) for decorator in node.decorator_list):
                found.append(f"{path.relative_to(ROOT)}:{node.lineno}: {text.splitlines()[0]}")
    assert found == []


def test_docstrings_of_modules_classes_and_attributes_start_with_a_noun():
    found = [
        f"{path.relative_to(ROOT)}:{number}: {text.splitlines()[0]}"
        for path, tree in trees().items()
        for number, text in docstrings(tree)
        if NOT_A_NOUN.match(text)
    ]
    assert found == []


def test_names_of_tests_have_no_dialect():
    names = {
        name for path in (ROOT / "tests").rglob("*.py") for name in re.findall(r"def (test_\w+)", path.read_text())
    }
    assert sorted(name for name in names if IN_TEST_NAMES.search(name)) == []
