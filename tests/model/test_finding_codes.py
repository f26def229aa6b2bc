"""Finding codes agree with their documentation and with the source that reports them."""

import ast
import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from rck.model import Finding, ModelError, RckError, Severity, build_joint
from rck.model.subitem import CODE_OF_FLAW
from rck.support.finding import errors_of
from rck.support.finding_codes import CODES, TIERS

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "findings.md"


def sources() -> list[Path]:
    """All files of source but the table of codes."""
    folders = ("rck", "plugins", "importers", "parts_library")
    files = (path for folder in folders for path in (ROOT / folder).rglob("*.py"))
    return sorted(path for path in files if path != ROOT / "rck" / "model" / "codes.py")


def literals(node: ast.AST) -> list[int]:
    """The whole numbers that an expression can be: `404`, or `104 if ... else 101`."""
    if isinstance(node, ast.IfExp):
        return literals(node.body) + literals(node.orelse)
    return [node.value] if isinstance(node, ast.Constant) and type(node.value) is int else []


def place_of_code(function: ast.FunctionDef) -> int | None:
    """Where callers put the parameter `code`, not counting `self`."""
    names = [argument.arg for argument in function.args.args if argument.arg != "self"]
    return names.index("code") if "code" in names else None


def reported(path: Path) -> Iterator[tuple[int, int, str | None]]:
    """Line, code and severity, where it stands there, of all that a file of source reports."""
    text = path.read_text(encoding="utf-8")
    if "Finding" not in text and "code" not in text:
        return
    nodes = list(ast.walk(ast.parse(text)))
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef)]
    takes_code = {one.name: place_of_code(one) for one in functions} | {"Finding": 0, "Misfit": 0}
    for node in nodes:
        codes: list[int] = []
        severity = None
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            place = takes_code.get(name)
            if place is not None and place < len(node.args):
                codes = literals(node.args[place])
            codes += [code for word in node.keywords if word.arg == "code" for code in literals(word.value)]
            given = node.args[1] if name == "Finding" and len(node.args) > 1 else None
            severity = given.attr.lower() if isinstance(given, ast.Attribute) else None
        elif isinstance(node, ast.FunctionDef):
            named = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
            codes = [code for name, value in named if name.arg == "code" and value for code in literals(value)]
        elif isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "code":
            codes = literals(node.value)
        for code in codes:
            yield node.lineno, code, severity


@pytest.fixture(scope="module")
def reports() -> list[tuple[Path, int, int, str | None]]:
    """File, line, code and severity of all that the sources report."""
    return [(path.relative_to(ROOT), *report) for path in sources() for report in reported(path)]


@pytest.fixture(scope="module")
def table_writer() -> ModuleType:
    spec = importlib.util.spec_from_file_location("findings_table", ROOT / "tools" / "findings_table.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_lists_every_code_with_its_title_severity_and_remedy():
    rows = re.findall(r"^\| RCK(\d+) \| (.+) \| (.+) \| (.+) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    listed = {int(number): tuple(rest) for number, *rest in rows}
    known = {number: (code.title, code.severity, code.remedy) for number, code in CODES.items()}
    assert listed == known, "run: python tools/findings_table.py"
    assert len(rows) == len(CODES)


def test_page_is_up_to_date(table_writer):
    page = PAGE.read_text(encoding="utf-8")
    assert table_writer.rewritten(page) == page, "run: python tools/findings_table.py"


def test_script_keeps_introduction_and_replaces_tables(table_writer):
    outdated = f"# Findings\n\nRead this.\n\n{table_writer.MARK}\n## Old (RCK1xx)\n"
    fresh = table_writer.rewritten(outdated)
    assert fresh.startswith("# Findings\n\nRead this.\n")
    assert "## Old (RCK1xx)" not in fresh
    assert "RCK405" in fresh


def test_every_tier_is_a_section_of_the_page_and_every_code_has_a_tier():
    page = PAGE.read_text(encoding="utf-8")
    for tier, title in TIERS.items():
        assert f"## {title} (RCK{tier}xx)\n" in page
    assert {number // 100 for number in CODES} == set(TIERS)


@pytest.mark.parametrize("number", CODES)
def test_code_has_title_severity_and_remedy(number):
    code = CODES[number]
    assert "|" not in code.title + code.remedy
    assert set(code.severity.split(" or ")) <= {severity.name.lower() for severity in Severity}
    assert code.remedy.endswith(".")


def test_every_code_is_reported_somewhere(reports):
    found = {code for _, _, code, _ in reports} | set(CODE_OF_FLAW.values())
    assert set(CODES) - found == set()


def test_no_source_reports_an_unknown_code(reports):
    assert [f"{path}:{line} reports {code}" for path, line, code, _ in reports if code not in CODES] == []


def test_sources_report_codes_with_documented_severity(reports):
    wrong = [
        f"{path}:{line} reports {code} as {severity}, codes.py says {CODES[code].severity}"
        for path, line, code, severity in reports
        if severity and code in CODES and severity not in CODES[code].severity.split(" or ")
    ]
    assert wrong == []


def test_finding_with_unknown_code_is_refused():
    with pytest.raises(ValueError, match="999"):
        Finding(999, Severity.NOTE, "here", "what")


def test_finding_is_one_line_with_location_and_remedy():
    finding = Finding(405, Severity.ERROR, "joint elbow", "position 3 is outside its limits", "move it")
    assert str(finding) == "RCK405 error: joint elbow: position 3 is outside its limits (move it)"
    assert str(Finding(504, Severity.NOTE, "", "metres were assumed")) == "RCK504 note: metres were assumed"


def test_findings_are_immutable_values():
    one, same = (Finding(404, Severity.ERROR, "joint a", "reversed") for _ in range(2))
    assert one == same
    assert len({one, same}) == 1
    with pytest.raises(AttributeError):
        one.code = 405


def test_severities_are_ordered():
    assert Severity.NOTE < Severity.WARNING < Severity.ERROR


def test_unwrap_of_failed_build_raises_error_with_findings():
    built = build_joint("elbow", "revolute", "upper", "lower", limits=(1.0, -1.0))
    assert built.value is None
    with pytest.raises(ModelError, match="RCK404 error: joint elbow") as caught:
        built.unwrap()
    assert caught.value.findings == built.findings == errors_of(built.findings)
    assert isinstance(caught.value, RckError)


def test_unwrap_returns_value_despite_warnings():
    built = build_joint("lift", "prismatic", "column", "carriage")
    assert [finding.code for finding in built.findings] == [406]
    assert built.unwrap() is built.value
