"""Pages that are written by tools say what the code says now, and README's commands exist."""

import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent


def test_the_command_reference_is_the_grammar():
    tool = runpy.run_path(str(ROOT / "tools" / "command_reference.py"))
    written = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    assert written == tool["page"](), "run python tools/command_reference.py"


@pytest.mark.parametrize("name", ["assembly.schema.json", "part.schema.json"])
def test_the_published_schema_is_that_of_the_code(name):
    tool = runpy.run_path(str(ROOT / "tools" / "schemas.py"))
    written = (ROOT / "docs" / "schemas" / name).read_text(encoding="utf-8")
    assert written == tool["schema_text"](tool["SCHEMAS"][name]), "run python tools/schemas.py"


def test_links_between_pages_lead_somewhere():
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    broken = [
        f"{page.relative_to(ROOT)}: {link}"
        for page in pages
        for link in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
        if "://" not in link and not (page.parent / link).exists()
    ]
    assert broken == []


def test_every_subcommand_in_the_readme_exists():
    from rck.cli.main import COMMANDS

    shell = "\n".join(re.findall(r"```sh\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL))
    used = set(re.findall(r"^rck ([a-z]+)", shell, re.MULTILINE))
    assert used
    assert used <= set(COMMANDS)


def test_python_in_the_readme_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for code in re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL):
        exec(compile(code, "README.md", "exec"), {})
    assert "shoulder/axis" in capsys.readouterr().out
