"""A broken plugin is reported; the others keep working."""

import sys

import pytest

from rck.hooks import HOOK_OF_KIND, Check, Exporter, Importer, Viewer, discover
from rck.hooks.manager import PluginFailure
from rck.model import RckError

SOUND = """
from rck.hooks import Check, hookimpl

@hookimpl
def rck_checks():
    return [Check("sound", "finds nothing", lambda robot: [])]
"""

FAULTY_IMPORTS = {
    "a missing library": ("import a_library_that_nobody_has", "ModuleNotFoundError"),
    "a missing name": ("from rck.hooks import Teleporter", "ImportError"),
    "a syntax error": ("def rck_checks(:\n    return []", "SyntaxError"),
    "an exit": ("import sys\nsys.exit(3)", "SystemExit: 3"),
    "an exception": ("1 / 0", "ZeroDivisionError: division by zero"),
    "an exception that cannot be printed": (
        "class Sulk(Exception):\n    def __str__(self):\n        raise ValueError\nraise Sulk",
        "Sulk",
    ),
    "a cancellation": ("import asyncio\nraise asyncio.CancelledError", "CancelledError"),
    "a recursion without end": ("def f():\n    f()\nf()", "RecursionError"),
    "no hook": ("def rck_checks():\n    return []", "mark rck_checks with rck.hooks.hookimpl"),
    "an unknown hook": (
        "from rck.hooks import hookimpl\n@hookimpl\ndef rck_teleporters():\n    return []",
        "unknown hook 'rck_teleporters'",
    ),
    "a hook with an argument": (
        "from rck.hooks import hookimpl\n@hookimpl\ndef rck_checks(robot):\n    return []",
        "'robot'",
    ),
    "an option without choices": (
        "from rck.hooks import Option\nOption('format', 'which', 'choice')",
        "option format: options of type choice must have choices",
    ),
    "an ending that is no tuple": (
        "from rck.hooks import Exporter\nExporter('x', 'x', ('.x'), lambda *all: None)",
        "endings are a tuple",
    ),
}


def restricted(*names):
    return discover((), {"RCK_PLUGINS": ",".join(names)})


def info(plugins, name):
    (found,) = [one for one in plugins.infos() if one.name == name]
    return found


@pytest.mark.parametrize("what", FAULTY_IMPORTS)
def test_plugin_that_cannot_be_imported_is_disabled_and_reported(what, install):
    source, reason = FAULTY_IMPORTS[what]
    install("broken", source)
    install("sound", SOUND)
    plugins = restricted("broken", "sound")
    assert [check.name for check in plugins.all(Check)] == ["sound"]
    assert info(plugins, "sound").state == "loaded"
    assert info(plugins, "broken").state == "failed"
    assert reason in info(plugins, "broken").reason
    (finding,) = plugins.findings
    assert (finding.code, finding.where, finding.fix) == (601, "plugin broken", "rck plugins disable broken")
    assert reason in finding.message
    assert "\n" not in finding.message


@pytest.mark.parametrize("value", ["broken:missing", "broken:nothing", "not a module!", "nowhere_to_be_found"])
def test_invalid_entry_point_is_reported(value, install):
    install("broken", "nothing = None", {"broken": value})
    install("sound", SOUND)
    plugins = restricted("broken", "sound")
    assert [check.name for check in plugins.all(Check)] == ["sound"]
    assert [finding.code for finding in plugins.findings] == [601]
    assert info(plugins, "broken").module == value


def test_second_plugin_of_the_same_module_fails(install):
    install("sound", SOUND, {"one": "sound", "two": "sound"})
    plugins = restricted("one", "two")
    assert [check.name for check in plugins.all(Check)] == ["sound"]
    assert [info(plugins, name).state for name in ("one", "two")] == ["loaded", "failed"]


def test_keyboard_interrupt_in_a_plugin_is_raised(install):
    install("slow", "raise KeyboardInterrupt")
    with pytest.raises(KeyboardInterrupt):
        restricted("slow").load_all()
    install("slow2", "from rck.hooks import hookimpl\n@hookimpl\ndef rck_checks():\n    raise KeyboardInterrupt")
    with pytest.raises(KeyboardInterrupt):
        restricted("slow2").all(Check)


def test_failed_plugin_is_not_imported_again(install):
    install("broken", "import sys\nsys.tries = getattr(sys, 'tries', 0) + 1\nraise OSError('no')")
    plugins = restricted("broken")
    for kind in HOOK_OF_KIND:
        assert plugins.all(kind) == ()
    assert sys.tries == 1
    assert len(plugins.findings) == 1
    del sys.tries


FAULTY_ANSWERS = {
    "raises": ("raise RuntimeError('worn out')", 602, "RuntimeError: worn out"),
    "exits": ("raise SystemExit", 602, "SystemExit"),
    "forgets to return": ("pass", 603, "not NoneType"),
    "returns a text": ("return 'text'", 603, "not str"),
    "returns a number": ("return 7", 603, "not int"),
    "yields": ("yield 1", 603, "not generator"),
    "returns a list of something else": ("return [1, 'a']", 603, "not a list with int, str"),
    "returns what another hook wants": ("return [Wrong('x', 'x')]", 603, "not a list with Wrong"),
}


@pytest.mark.parametrize("hook", sorted(HOOK_OF_KIND.values()))
@pytest.mark.parametrize("what", FAULTY_ANSWERS)
def test_plugin_whose_hook_fails_is_disabled_and_reported(what, hook, install):
    body, code, reason = FAULTY_ANSWERS[what]
    other = "rck_viewers" if hook == "rck_checks" else "rck_checks"
    contribution = {
        "rck_checks": 'Check("other", "x", lambda robot: [])',
        "rck_viewers": 'Viewer("other", "x", lambda robot, values: None)',
    }[other]
    source = f"""
from collections import namedtuple
from rck.hooks import Check, Viewer, hookimpl

Wrong = namedtuple("Wrong", "name summary")

@hookimpl
def {hook}():
    {body}

@hookimpl
def {other}():
    return [{contribution}]
"""
    install("broken", source)
    install("sound", SOUND)
    plugins = restricted("broken", "sound")
    (kind,) = [kind for kind, name in HOOK_OF_KIND.items() if name == hook]
    before = plugins.all(Viewer if other == "rck_viewers" else Check)
    assert "other" in [one.name for one in before]
    assert "broken" not in [plugin for plugin, _ in plugins.named(kind)]
    (finding,) = plugins.findings
    assert (finding.code, finding.where) == (code, "plugin broken")
    assert reason in finding.message
    assert hook in finding.message
    assert info(plugins, "broken").state == "failed"
    # Its other contributions are removed too; other plugins are not affected.
    assert "other" not in [one.name for one in (*plugins.all(Viewer), *plugins.all(Check))]
    assert "sound" in [check.name for check in plugins.all(Check)]


@pytest.mark.parametrize("name", ["''", "'  '", "None", "7"])
def test_contribution_without_a_name_is_refused(name, install):
    install("broken", SOUND.replace('"sound"', name))
    plugins = restricted("broken")
    assert plugins.all(Check) == ()
    assert [finding.code for finding in plugins.findings] == [603]


def test_second_contribution_of_the_same_name_is_reported_and_ignored(install):
    install("alpha", SOUND)
    install("beta", SOUND.replace("finds nothing", "finds nothing either"))
    plugins = restricted("alpha", "beta")
    assert [(plugin, check.summary) for plugin, check in plugins.named(Check)] == [("alpha", "finds nothing")]
    (finding,) = plugins.findings
    assert (finding.code, finding.where) == (604, "plugin beta")
    assert "Check sound is ignored: plugin alpha has one" in finding.message
    assert info(plugins, "beta").state == "loaded"


FAULTY_EXPORTER = """
from rck.hooks import Exporter, Importer, hookimpl
from rck.model import RckError

def write(robot, name, values, job):
    if robot == "heavy":
        raise RckError("too heavy")
    if robot == "homeless":
        open("/nowhere/at/all")
    raise IndexError("list index out of range")

@hookimpl
def rck_exporters():
    return [Exporter("faulty", "fails", (".x",), write)]

@hookimpl
def rck_importers():
    return [Importer("faulty", "x", (".x",), lambda path, head: False, lambda path, values, job: None)]
"""


def test_contribution_that_raises_is_reported_and_stays_enabled(install):
    install("faulty", FAULTY_EXPORTER)
    plugins = restricted("faulty")
    (exporter,) = plugins.all(Exporter)
    expected = r"^plugin faulty: exporter faulty failed: IndexError: list index out of range \(faulty.py, line 10\); "
    for _ in range(2):
        with pytest.raises(PluginFailure, match=expected):
            exporter.write("robot", "x", {}, None)
    assert plugins.all(Exporter) == (exporter,)
    (finding,) = plugins.findings
    assert (finding.code, finding.where, finding.fix) == (602, "plugin faulty", "rck plugins disable faulty")
    assert info(plugins, "faulty").state == "loaded"


def test_failure_names_the_file_that_was_read(install, tmp_path):
    install("faulty", FAULTY_EXPORTER)
    (importer,) = restricted("faulty").all(Importer)
    file = tmp_path / "arm.x"
    with pytest.raises(PluginFailure, match=f"importer faulty failed on {file}: TypeError: read returned NoneType"):
        importer.read(file, {}, None)


def test_refusal_passes_through_the_guard(install):
    install("faulty", FAULTY_EXPORTER)
    plugins = restricted("faulty")
    (exporter,) = plugins.all(Exporter)
    with pytest.raises(RckError, match=r"^too heavy$"):
        exporter.write("heavy", "x", {}, None)
    with pytest.raises(FileNotFoundError):
        exporter.write("homeless", "x", {}, None)
    assert plugins.all(Exporter) == (exporter,)
    assert plugins.findings == ()


def test_guard_does_not_catch_errors_of_rck_itself():
    with pytest.raises(KeyError), restricted().guard("not from a plugin"):
        raise KeyError


HOOK = """from rck.hooks import hookimpl
print('imported')
@hookimpl
def {hook}():
    print('called')
    return []
"""


@pytest.mark.parametrize("hook", sorted(HOOK_OF_KIND.values()))
def test_output_of_every_hook_goes_to_stderr(hook, install, capsys):
    install("loud", HOOK.format(hook=hook))
    plugins = restricted("loud")
    for kind in HOOK_OF_KIND:
        plugins.all(kind)
    assert plugins.findings == ()
    assert capsys.readouterr() == ("", "imported\ncalled\n")
