"""Generated pages match the current code."""

import ast
import json
import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent


def test_command_reference_matches_the_grammar():
    tool = runpy.run_path(str(ROOT / "tools" / "command_reference.py"))
    written = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    assert written == tool["page"](), "run python tools/command_reference.py"


def test_subcommand_reference_matches_the_help(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    tool = runpy.run_path(str(ROOT / "tools" / "command_reference.py"))
    written = (ROOT / "docs" / "shell.md").read_text(encoding="utf-8")
    assert written == tool["shell_page"](), "run python tools/command_reference.py"


@pytest.mark.parametrize("name", ["assembly.schema.json", "part.schema.json"])
def test_published_schema_matches_the_code(name):
    tool = runpy.run_path(str(ROOT / "tools" / "schemas.py"))
    written = (ROOT / "docs" / "schemas" / name).read_text(encoding="utf-8")
    assert written == tool["schema_text"](tool["SCHEMAS"][name]), "run python tools/schemas.py"


def test_template_page_matches_the_plugin_templates():
    tool = runpy.run_path(str(ROOT / "tools" / "plugin_templates.py"))
    assert tool["PAGE"].read_text(encoding="utf-8") == tool["page"](), "run python tools/plugin_templates.py"


def test_every_hook_links_to_its_template():
    tool = runpy.run_path(str(ROOT / "tools" / "plugin_templates.py"))
    guide = (ROOT / "docs" / "plugins" / "README.md").read_text(encoding="utf-8")
    sections = {text.split("`")[1]: text for text in guide.split("\n### ")[1:]}
    missing = [kind for kind, hook in tool["HOOKS"].items() if f"templates.md#{kind}" not in sections[hook]]
    assert missing == []


def keys_of_schemas():
    """Return each key of assembly files and manifests with the page that must name it."""
    schemas = {
        name: json.loads((ROOT / "docs" / "schemas" / f"{name}.schema.json").read_text(encoding="utf-8"))["$defs"]
        for name in ("part", "assembly")
    }
    for kind, record in schemas["part"].items():
        yield from (("parts.md", kind, key) for key in record["properties"])
    for kind in schemas["assembly"].keys() - schemas["part"].keys():
        yield from (("assembly.md", kind, key) for key in schemas["assembly"][kind]["properties"])


def test_every_key_of_a_schema_is_named_on_its_page():
    named = {}
    for page in ("parts.md", "assembly.md"):
        text = (ROOT / "docs" / page).read_text(encoding="utf-8")
        code = re.findall(r"^```.*?^```$|`[^`]+`", text, re.MULTILINE | re.DOTALL)
        named[page] = {word for piece in code for word in re.findall(r"[\w-]+", piece)}
    missing = [f"{page}: {kind}.{key}" for page, kind, key in keys_of_schemas() if key not in named[page]]
    assert missing == []


def test_package_diagram_matches_the_imports():
    tool = runpy.run_path(str(ROOT / "tools" / "import_diagram.py"))
    written = tool["PAGE"].read_text(encoding="utf-8")
    assert written == tool["rewritten"](written), "run python tools/import_diagram.py"


def test_every_picture_is_made_by_make_pictures():
    tool = runpy.run_path(str(ROOT / "tools" / "pictures.py"))
    made = {f"{name}.svg" for name in tool["EDITOR"]} | {f"{name}.png" for name in (*tool["DRAWN"], *tool["BUILT"])}
    sheets = re.findall(r"pictures/(parts-[\w-]+\.png)", (ROOT / "docs" / "catalogue.md").read_text(encoding="utf-8"))
    assert {file.name for file in tool["FOLDER"].iterdir()} == made | {"README.md", *sheets}


def test_every_picture_is_shown_on_some_page():
    tool = runpy.run_path(str(ROOT / "tools" / "pictures.py"))
    shown = {(page.parent / link).resolve() for page in pages() for link, _ in links(page) if "://" not in link}
    assert [file.name for file in tool["FOLDER"].iterdir() if file.suffix != ".md" and file not in shown] == []


def pages():
    """Return all documentation pages: the guides and the README of each folder."""
    folders = ["bench", "docs", "examples", "importers", "parts_library", "plugins", "tests", "tools"]
    return [*ROOT.glob("*.md"), *(page for folder in folders for page in (ROOT / folder).rglob("*.md"))]


def links(page):
    """Return the links of a page as (file, anchor)."""
    return re.findall(r"\]\(([^)#\s]*)(?:#([^)]*))?\)", without_blocks(page.read_text(encoding="utf-8")))


def without_blocks(text):
    """Return the text of a page without code blocks."""
    return re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


def anchors(page):
    """Return the anchors of a page's headings, as GitHub generates them."""
    found = []
    for heading in re.findall(r"^#+ (.*)$", without_blocks(page.read_text(encoding="utf-8")), re.MULTILINE):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
        anchor = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        found.append(f"{anchor}-{found.count(anchor)}" if anchor in found else anchor)
    return found


def test_links_between_pages_have_a_target():
    broken = []
    for page in pages():
        for link, anchor in links(page):
            target = page.parent / link if link else page
            if "://" in link:
                continue
            if not target.exists() or (anchor and anchor not in anchors(target)):
                broken.append(f"{page.relative_to(ROOT)}: {link}#{anchor}")
    assert broken == []


def test_prose_is_wrapped():
    long = [
        f"{page.relative_to(ROOT)}: {line[:60]}..."
        for page in pages()
        if page.name != "interface.md"
        for line in without_blocks(page.read_text(encoding="utf-8")).splitlines()
        if len(line) > 130 and not line.startswith("|")
    ]
    assert long == []


def test_the_public_interface_is_listed():
    tool = runpy.run_path(str(ROOT / "tools" / "public_interface.py"))
    written = (ROOT / "docs" / "interface.md").read_text(encoding="utf-8")
    assert written == tool["page"](), "run python tools/public_interface.py, and say in CHANGELOG.md what changed"


def listed_names():
    """Return the names that the page lists, by package or module."""
    listed = {}
    module = ""
    for line in (ROOT / "docs" / "interface.md").read_text(encoding="utf-8").splitlines():
        if heading := re.match(r"###? `(rck[\w.]*)`", line):
            module = heading[1]
        elif entry := re.match(r"- \*\*`(\w+)", line):
            listed.setdefault(module, set()).add(entry[1])
    return listed


def test_examples_outside_the_plugin_guides_import_only_rck_itself():
    for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        if page.name != "interface.md":
            source = "\n".join(re.findall(r"```(?:python|text)\n(.*?)```", page.read_text(), re.DOTALL))
            assert re.findall(r"^(?:from rck|import rck\.).*", source, re.MULTILINE) == [], page.name


def test_templates_and_plugin_guides_use_only_the_public_interface():
    listed = listed_names()
    sources = {file.relative_to(ROOT): file.read_text() for file in (ROOT / "rck" / "templates").glob("*/*.py")}
    for page in (ROOT / "docs" / "plugins").glob("*.md"):
        sources[page.relative_to(ROOT)] = "\n".join(re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL))
    used = {
        (source, node.module, alias.name)
        for source, text in sources.items()
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("rck.")
        for alias in node.names
    }
    assert len(used) > 50
    unlisted = sorted(
        f"{source}: {module}.{name}" for source, module, name in used if name not in listed.get(module, ())
    )
    assert unlisted == []
