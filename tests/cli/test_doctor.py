"""`rck doctor` lists installed and missing libraries with their install commands."""

import json
import re
import subprocess
import sys
from importlib.metadata import metadata, packages_distributions, requires

import pytest
from click.testing import CliRunner

from rck.cli import doctor as module
from rck.cli.doctor import CORE, EXTRAS, Extra, doctor, import_trouble, remedy_for


def examined(*options):
    done = CliRunner().invoke(doctor, ["--quick", "--json", *options])
    return done.exit_code, {one["name"]: one for one in json.loads(done.output)}


def test_every_extra_and_every_dependency_is_checked():
    brings = {
        extra: {line.rpartition("extra ==")[0] for line in requires("rck") if line.endswith(f"extra == '{extra}'")}
        for extra in metadata("rck").get_all("Provides-Extra")
    }
    # The extras that `all` omits are for developers of RCK.
    assert {extra for extra in brings if brings[extra] <= brings["all"]} == {"all", *(one.name for one in EXTRAS)}
    needed = {re.split(r"[^\w-]", line)[0].lower() for line in requires("rck") if "extra ==" not in line}
    owners = packages_distributions()
    assert {owner.lower() for name in CORE for owner in owners[name]} >= needed
    assert len(CORE) == len(needed)


def test_working_libraries_are_listed_with_their_version():
    status, found = examined()
    assert found["libraries"]["state"] == "fine"
    assert "numpy " in found["libraries"]["found"]
    assert re.fullmatch(r"\d+ parts", found["catalogue"]["found"])
    assert found["plugins"]["state"] == found["folders"]["state"] == "fine"
    assert status == 0


def test_missing_extra_is_not_an_error_and_its_install_command_is_shown(monkeypatch):
    monkeypatch.setattr(module, "EXTRAS", (Extra("step", "reading STEP files", ("no_such_module",)),))
    status, found = examined()
    assert status == 0
    assert found["step"] == {
        "name": "step",
        "state": "missing",
        "found": "not installed: no_such_module",
        "gives": "reading STEP files",
        "remedy": "pip install 'rck[step]'",
    }
    text = CliRunner().invoke(doctor, ["--quick"]).output
    assert "- step       reading STEP files: not installed: no_such_module\n" in text
    assert text.endswith("Install everything that is missing: pip install 'rck[step]'\n")


def test_missing_core_library_is_reported_with_the_other_results(monkeypatch):
    monkeypatch.setattr(module, "CORE", ("numpy", "no_such_module"))
    status, found = examined()
    assert status == 1
    assert found["libraries"]["state"] == "broken"
    assert found["libraries"]["remedy"] == "pip install --force-reinstall rck"
    assert "plugins" not in found
    assert {extra.name for extra in EXTRAS} <= set(found)


def test_library_that_is_too_old_is_an_error(monkeypatch):
    monkeypatch.setattr(module, "requires", lambda _: ["trimesh>=1000.5", "numpy>=1.26; extra == 'x'"])
    module._least_versions.cache_clear()
    status, found = examined()
    module._least_versions.cache_clear()
    assert status == 1
    assert found["libraries"]["state"] == "broken"
    assert "is older than 1000.5, which RCK requires" in found["libraries"]["found"]


def test_unwritable_folder_is_an_error(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("RCK_DATA", str(tmp_path / "file" / "data"))
    status, found = examined()
    assert status == 1
    assert found["folders"]["found"] == f"{tmp_path / 'file'} is not writable"
    assert found["folders"]["remedy"] == "set RCK_DATA to a writable folder"


@pytest.mark.parametrize(
    ("body", "trouble"),
    [
        ("raise RuntimeError('no')", "RuntimeError: no"),
        ("import os; os.abort()", "Python ended with status -6"),
        ("x = 1", ""),
    ],
)
def test_library_that_fails_to_import_is_reported(tmp_path, monkeypatch, body, trouble):
    (tmp_path / "bad_library.py").write_text(body)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert import_trouble(["bad_library"]) == trouble


def test_missing_system_library_is_reported_with_its_package():
    text = "ImportError: {}: cannot open shared object file: No such file or directory"
    assert remedy_for(text.format("libGL.so.1")) == "sudo apt install libgl1"
    assert remedy_for(text.format("libusb-1.0.so.0")) == "sudo apt install libusb-1.0-0"
    assert remedy_for(text.format("libodd.so.7")) == "install the package of your system that has libodd.so.7"
    assert remedy_for("RuntimeError: no") == ""


def test_doctor_imports_no_library_except_click():
    code = (
        "import sys\n"
        "import rck.cli.doctor\n"
        "heavy = {'numpy', 'numba', 'textual', 'msgspec', 'yaml', 'pluggy'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
