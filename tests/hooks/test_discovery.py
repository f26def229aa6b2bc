"""Plugin discovery: metadata only, disabled plugins, duplicate names."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from rck.hooks import Check, Plugins, discover
from rck.hooks.entry_points import installed_points
from rck.hooks.plugin_settings import switch

ROOT = Path(__file__).resolve().parents[2]

SOUND = """
from rck.hooks import Check, hookimpl

@hookimpl
def rck_checks():
    return [Check("{0}", "of {0}", lambda robot: [])]
"""


def infos(plugins, *names):
    return [info for info in plugins.infos() if info.name in names]


def test_a_plugin_is_listed_with_name_module_package_version_and_state(install):
    install("rck-sound", SOUND.format("sound"), {"sound": "rck_sound"}, version="2.5")
    (info,) = infos(discover((), {}), "sound")
    assert (info.name, info.module, info.package, info.version) == ("sound", "rck_sound", "rck-sound", "2.5")
    assert (info.state, info.reason) == ("ready", "")


def test_plugins_are_listed_in_order_of_name(install):
    for name in ("zeta", "alpha", "mid"):
        install(name, SOUND.format(name))
    names = [info.name for info in discover((), {}).infos()]
    assert names == sorted(names)
    assert {"alpha", "mid", "zeta"} <= set(names)


def test_listing_imports_no_plugin(install, site):
    install("loud", "raise SystemExit('I was imported')")
    script = (
        "import sys; from rck.hooks import discover; plugins = discover((), {}); infos = plugins.infos();"
        "print([i.state for i in infos if i.name == 'loud'], 'loud' in sys.modules, plugins.findings)"
    )
    path = os.pathsep.join([str(site), str(ROOT)])
    done = subprocess.run(
        [sys.executable, "-c", script], env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True
    )
    assert done.stderr == ""
    assert done.stdout == "['ready'] False ()\n"


def test_plugin_is_loaded_once_and_marked_as_loaded(install):
    install("sound", SOUND.format("sound") + "\nimport sys\nsys.loads = getattr(sys, 'loads', 0) + 1\n")
    plugins = discover((), {"RCK_PLUGINS": "sound"})
    for _ in range(2):
        plugins.load_all()
        plugins.all(Check)
    assert [info.state for info in infos(plugins, "sound")] == ["loaded"]
    assert sys.loads == 1
    del sys.loads


def test_the_environment_restricts_which_plugins_load(install):
    for name in ("a", "b", "c"):
        install(f"plug-{name}", SOUND.format(name), {name: f"plug_{name}"})
    plugins = discover((), {"RCK_PLUGINS": " a, c ,"})
    assert [check.name for check in plugins.all(Check)] == ["a", "c"]
    assert [(info.state, info.reason) for info in infos(plugins, "b")] == [("off", "not named in RCK_PLUGINS")]
    assert "plug_b" not in sys.modules


def test_an_empty_restriction_loads_nothing(install):
    install("sound", SOUND.format("sound"))
    plugins = discover((), {"RCK_PLUGINS": ""})
    assert plugins.all(Check) == ()
    assert {info.state for info in plugins.infos()} == {"off"}


def test_requested_plugin_that_is_not_installed_is_reported():
    plugins = discover((), {"RCK_PLUGINS": "ghost"})
    (finding,) = plugins.findings
    assert (finding.code, finding.where) == (605, "plugin ghost")


def test_plugin_named_as_off_is_not_imported(install):
    install("sound", SOUND.format("sound"))
    plugins = discover(["sound"], {})
    plugins.load_all()
    assert [(info.state, info.reason) for info in infos(plugins, "sound")] == [
        ("off", "disabled: rck plugins enable sound")
    ]
    assert "sound" not in sys.modules


def test_disabled_plugin_stays_disabled_until_enabled(install, tmp_path):
    install("sound", SOUND.format("sound"))
    environment = {"RCK_CONFIG": str(tmp_path / "settings"), "RCK_PLUGINS": "sound"}
    switch(tmp_path / "settings", "sound", on=False)
    assert discover(environment=environment).all(Check) == ()
    assert [info.state for info in infos(discover(environment=environment), "sound")] == ["off"]
    switch(tmp_path / "settings", "sound", on=True)
    assert [check.name for check in discover(environment=environment).all(Check)] == ["sound"]


def test_second_plugin_of_the_same_name_is_ignored_and_reported(install):
    install("pack-b", SOUND.format("b"), {"same": "pack_b"})
    install("pack-a", SOUND.format("a"), {"same": "pack_a"})
    plugins = discover((), {"RCK_PLUGINS": "same"})
    assert [check.name for check in plugins.all(Check)] == ["a"]
    assert "pack_b" not in sys.modules
    assert [(info.package, info.state) for info in infos(plugins, "same")] == [
        ("pack-a", "loaded"),
        ("pack-b", "failed"),
    ]
    assert infos(plugins, "same")[1].reason == "package pack-a has a plugin of this name, which is used instead"
    (finding,) = plugins.findings
    assert (finding.code, finding.where) == (604, "plugin same of package pack-b")


def test_shipped_plugin_cannot_be_replaced(install, site):
    install("aaa", SOUND.format("impostor"), {"same": "aaa"})
    install("rck", SOUND.format("genuine"), {"same": "rck_genuine", "zzz": "rck_zzz"})
    # The package is named rck like RCK's own; its module needs another name.
    (site / "rck.py").rename(site / "rck_genuine.py")
    (site / "rck_zzz.py").write_text(SOUND.format("impostor"))
    install("bbb", SOUND.format("impostor"))
    plugins = discover((), {"RCK_PLUGINS": "same,zzz,bbb"})
    assert [(plugin, check.name) for plugin, check in plugins.named(Check)] == [
        ("same", "genuine"),
        ("zzz", "impostor"),
    ]
    assert sorted(finding.where for finding in plugins.findings) == ["plugin bbb", "plugin same of package aaa"]


def test_package_found_twice_on_the_path_is_used_once(install, tmp_path, monkeypatch):
    second = tmp_path / "second"
    old = second / "sound-0.9.dist-info"
    old.mkdir(parents=True)
    (old / "METADATA").write_text("Metadata-Version: 2.1\nName: sound\nVersion: 0.9\n")
    (old / "entry_points.txt").write_text("[rck]\nsound = sound\n")
    monkeypatch.setattr(sys, "path", [*sys.path, str(second)])
    install("sound", SOUND.format("sound"), version="1.1")
    plugins = discover((), {"RCK_PLUGINS": "sound"})
    assert [info.version for info in infos(plugins, "sound")] == ["1.1"]
    assert plugins.findings == ()


@pytest.mark.parametrize("damage", [b"[rck]\nthis line has no equals sign\n", b"[rck]\n\xff\xfe = x\n"])
def test_damaged_entry_point_list_does_not_affect_other_packages(damage, install, site):
    install("hurt", "")
    install("sound", SOUND.format("sound"))
    (site / "hurt-1.0.dist-info" / "entry_points.txt").write_bytes(damage)
    plugins = discover((), {"RCK_PLUGINS": "sound"})
    assert [check.name for check in plugins.all(Check)] == ["sound"]
    (finding,) = plugins.findings
    assert (finding.code, finding.where) == (601, "package hurt")


def test_damaged_package_without_rck_plugins_is_not_reported(install, site):
    install("hurt", "")
    (site / "hurt-1.0.dist-info" / "entry_points.txt").write_text("[console_scripts]\nno equals sign\n")
    assert discover((), {"RCK_PLUGINS": ""}).findings == ()


@pytest.mark.parametrize("metadata", [None, "", "Metadata-Version: 2.1\n"])
def test_package_without_metadata_works(metadata, install, site):
    install("sound", SOUND.format("sound"))
    about = site / "sound-1.0.dist-info" / "METADATA"
    about.unlink() if metadata is None else about.write_text(metadata)
    plugins = discover((), {"RCK_PLUGINS": "sound"})
    assert [(info.package, info.version) for info in infos(plugins, "sound")] == [("?", "?")]
    assert [check.name for check in plugins.all(Check)] == ["sound"]


def test_packages_without_metadata_are_distinguished(install, site):
    for name in ("one", "two"):
        install(name, SOUND.format(name))
        (site / f"{name}-1.0.dist-info" / "METADATA").unlink()
    assert [check.name for check in discover((), {"RCK_PLUGINS": "one,two"}).all(Check)] == ["one", "two"]


def test_entry_points_are_found_as_the_standard_library_finds_them(install):
    from importlib.metadata import entry_points

    install("sound", SOUND.format("sound"), {"one": "sound", "two": "sound:x"})
    install("other", SOUND.format("other"))
    assert sorted(map(repr, installed_points()[0])) == sorted(map(repr, entry_points(group="rck")))


def test_no_entry_points_give_an_empty_list():
    plugins = Plugins([])
    plugins.load_all()
    assert plugins.infos() == plugins.all(Check) == plugins.findings == ()


def test_plugin_of_the_documentation_works(install):
    page = (ROOT / "docs" / "plugins" / "README.md").read_text(encoding="utf-8")
    source = re.search(r"```python\n(from rck\.hooks import Check.*?)```", page, re.DOTALL)[1]
    install("rck-mass-budget", source, {"mass-budget": "rck_mass_budget"})
    plugins = discover((), {"RCK_PLUGINS": "mass-budget"})
    (check,) = plugins.all(Check)
    assert check.name == "mass-budget"
    robot = build_heavy()
    assert [finding.message for finding in check.run(robot)] == ["weighs more than 25 kg"]


def build_heavy():
    import numpy as np

    from rck.geometry.mass_properties import MassProperties
    from rck.model import build_item, build_robot

    safe = build_item("safe", [], mass=MassProperties(300.0, np.zeros(3), np.eye(3))).unwrap()
    return build_robot("bank", [safe]).unwrap()


def test_errors_are_located_in_the_module_of_the_entry_point(install, site):
    install("helper", "def fail():\n    raise ValueError('broken')\n", {})
    install("suite", "import helper\n\nhelper.fail()\n")
    plugins = discover((), {"RCK_PLUGINS": "suite"})
    plugins.load_all()
    (finding,) = plugins.findings
    assert finding.where == "plugin suite"
    assert finding.message == "could not be loaded: ValueError: broken (suite.py, line 3)"
