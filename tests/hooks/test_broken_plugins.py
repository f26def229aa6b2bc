"""A plugin that is broken, in any way and in any hook, is left out and reported; the rest goes on."""

import sys

import pytest

from rck.hooks import HOOK_OF_KIND, Check, Exporter, Importer, Viewer, discover
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
    "a slip of the pen": ("def rck_checks(:\n    return []", "SyntaxError"),
    "an exit": ("import sys\nsys.exit(3)", "SystemExit: 3"),
    "an exception": ("1 / 0", "ZeroDivisionError: division by zero"),
    "an exception that cannot be printed": (
        "class Sulk(Exception):\n    def __str__(self):\n        raise ValueError\nraise Sulk",
        "Sulk",
    ),
    "a cancellation": ("import asyncio\nraise asyncio.CancelledError", "CancelledError"),
    "a recursion without end": ("def f():\n    f()\nf()", "RecursionError"),
    "no hook": ("def rck_checks():\n    return []", "mark its hooks with rck.hooks.hookimpl"),
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
        "option format: a choice, and nothing else, has choices",
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
def test_importing_a_plugin_survives(what, install):
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
def test_an_entry_point_that_leads_nowhere_is_survived(value, install):
    install("broken", "nothing = None", {"broken": value})
    install("sound", SOUND)
    plugins = restricted("broken", "sound")
    assert [check.name for check in plugins.all(Check)] == ["sound"]
    assert [finding.code for finding in plugins.findings] == [601]
    assert info(plugins, "broken").module == value


def test_two_plugins_of_one_module_count_once(install):
    install("sound", SOUND, {"one": "sound", "two": "sound"})
    plugins = restricted("one", "two")
    assert [check.name for check in plugins.all(Check)] == ["sound"]
    assert [info(plugins, name).state for name in ("one", "two")] == ["loaded", "failed"]


def test_the_user_can_interrupt_a_plugin(install):
    install("slow", "raise KeyboardInterrupt")
    with pytest.raises(KeyboardInterrupt):
        restricted("slow").load_all()
    install("slow2", "from rck.hooks import hookimpl\n@hookimpl\ndef rck_checks():\n    raise KeyboardInterrupt")
    with pytest.raises(KeyboardInterrupt):
        restricted("slow2").all(Check)


def test_a_plugin_that_failed_is_not_tried_again(install):
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
def test_in_every_hook_rck_survives_a_plugin_that(what, hook, install):
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
    # What it contributed elsewhere is gone as well, and the others are not harmed.
    assert "other" not in [one.name for one in (*plugins.all(Viewer), *plugins.all(Check))]
    assert "sound" in [check.name for check in plugins.all(Check)]


@pytest.mark.parametrize("name", ["''", "'  '", "None", "7"])
def test_a_contribution_without_a_name_is_refused(name, install):
    install("broken", SOUND.replace('"sound"', name))
    plugins = restricted("broken")
    assert plugins.all(Check) == ()
    assert [finding.code for finding in plugins.findings] == [603]


def test_of_two_contributions_of_one_kind_and_name_the_first_counts_and_the_other_is_reported(install):
    install("alpha", SOUND)
    install("beta", SOUND.replace("finds nothing", "finds nothing either"))
    plugins = restricted("alpha", "beta")
    assert [(plugin, check.summary) for plugin, check in plugins.named(Check)] == [("alpha", "finds nothing")]
    (finding,) = plugins.findings
    assert (finding.code, finding.where) == (604, "plugin beta")
    assert "Check sound is left out: plugin alpha has one of this name" in finding.message
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


def test_a_fault_in_what_a_plugin_contributed_switches_it_off_and_tells_the_user(install):
    install("faulty", FAULTY_EXPORTER)
    plugins = restricted("faulty")
    (exporter,) = plugins.all(Exporter)
    assert len(plugins.all(Importer)) == 1
    said = "plugin faulty failed: IndexError: list index out of range"
    with pytest.raises(RckError, match=said), plugins.guard(exporter):
        exporter.write("robot", "x", {}, None)
    assert plugins.all(Exporter) == plugins.all(Importer) == ()
    assert [finding.code for finding in plugins.findings] == [602]
    assert info(plugins, "faulty").state == "failed"


def test_a_refusal_passes_through_the_guard_and_harms_nobody(install):
    install("faulty", FAULTY_EXPORTER)
    plugins = restricted("faulty")
    (exporter,) = plugins.all(Exporter)
    with pytest.raises(RckError, match=r"^too heavy$"), plugins.guard(exporter):
        exporter.write("heavy", "x", {}, None)
    with pytest.raises(FileNotFoundError), plugins.guard(exporter):
        exporter.write("homeless", "x", {}, None)
    assert plugins.all(Exporter) == (exporter,)
    assert plugins.findings == ()


def test_the_guard_lets_the_faults_of_rck_itself_through():
    with pytest.raises(KeyError), restricted().guard("not from a plugin"):
        raise KeyError


def test_a_plugin_can_be_failed_by_name_and_once_is_enough(install):
    install("sound", SOUND)
    plugins = restricted("sound")
    assert len(plugins.all(Check)) == 1
    for _ in range(2):
        plugins.fail("sound", ValueError("no such robot"))
    assert plugins.all(Check) == ()
    assert [(finding.code, finding.message) for finding in plugins.findings] == [(602, "ValueError: no such robot")]


HANGS = "import threading\nthreading.Event().wait()\n"


def test_a_plugin_that_hangs_when_imported_is_left_behind_and_named(install, hurry):
    hurry("hanging", 0.2)
    install("hanging", HANGS)
    install("sound", SOUND)
    plugins = restricted("hanging", "sound")
    assert [check.name for check in plugins.all(Check)] == ["sound"]
    (finding,) = plugins.findings
    assert (finding.code, finding.where) == (601, "plugin hanging")
    assert "did not come back within 0.2 s" in finding.message


HOOK = "from rck.hooks import hookimpl\n@hookimpl\ndef {hook}():\n    {body}\n"


@pytest.mark.parametrize("hook", sorted(HOOK_OF_KIND.values()))
def test_a_plugin_that_hangs_in_any_hook_is_left_behind_and_named(hook, install, hurry):
    install("sleeping", HOOK.format(hook=hook, body="import threading\n    threading.Event().wait()"))
    install("sound", SOUND)
    plugins = restricted("sleeping", "sound")
    plugins.load_all()
    hurry("sleeping", 0.2)
    for kind in HOOK_OF_KIND:
        assert "sleeping" not in [plugin for plugin, _ in plugins.named(kind)]
    assert [check.name for check in plugins.all(Check)] == ["sound"]
    (finding,) = plugins.findings
    assert (finding.code, finding.where) == (602, "plugin sleeping")
    assert f"failed in {hook}: Hangs: it did not come back within 0.2 s" in finding.message


@pytest.mark.parametrize("hook", sorted(HOOK_OF_KIND.values()))
def test_a_plugin_that_floods_the_output_in_any_hook_is_kept_quiet_and_named(hook, install, capfd):
    install("loud", HOOK.format(hook=hook, body="print('me\\n' * 100_000)\n    return []"))
    plugins = restricted("loud")
    for kind in HOOK_OF_KIND:
        plugins.all(kind)
    (finding,) = plugins.findings
    assert (finding.code, finding.where) == (606, "plugin loud")
    assert capfd.readouterr() == ("", "")


def test_a_plugin_that_floods_the_output_is_kept_quiet_and_named(install, capfd):
    install("loud", "import sys\nfor line in range(100_000):\n    print('me', file=sys.stderr)\n" + SOUND)
    plugins = restricted("loud")
    assert [check.name for check in plugins.all(Check)] == ["sound"]
    (finding,) = plugins.findings
    assert (finding.code, finding.where) == (606, "plugin loud")
    assert finding.message.startswith("printed 300000 characters where it should be silent: me")
    assert capfd.readouterr() == ("", "")
