"""Functions that read a file as RCK does; each refuses a bad file with an RckError or with findings."""

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

from rck.assembly.journal import recoverable
from rck.assembly.native_file import read_assembly
from rck.cli.plugin_search import read_index
from rck.cli.reach import _read_goals
from rck.control import client_recording, served_state
from rck.control.hub import Hub
from rck.control.served_world import ServedWorld
from rck.editor.settings import read_keymap, read_settings
from rck.hooks import Job, Mount, Plugins, discover
from rck.hooks.file_exchange import FileContents, importer_for, read_file
from rck.hooks.plugin_settings import read_switches
from rck.language.session import new_session, open_session
from rck.model import Robot
from rck.parts.part_checks import check_files
from rck.parts.port_types import read_port_types
from rck.simulation.event_table import read_table
from rck.simulation.program_runner import read_program
from rck.simulation.recording import Replay, read_recording
from rck.simulation.sensors import SensorSetting
from rck.simulation.simulation import Simulation
from rck.simulation.state_file import read_state, restore_state
from rck.support.finding import errors_of

Options = Mapping[str, str]


@cache
def plugins() -> Plugins:
    """Return the installed plugins."""
    return discover()


@cache
def _robot(name: str) -> Robot:
    example = Path(__file__).parents[2] / "examples" / f"{name}.rck"
    return open_session(plugins(), example).compile().unwrap().robot


def _import(path: Path, options: Options) -> str:
    importer = importer_for(path, plugins())
    known = {option.name for option in importer.options}
    contents = read_file(path, plugins(), {name: value for name, value in options.items() if name in known})
    return _verdict(contents)


def _verdict(contents: FileContents) -> str:
    errors = errors_of(contents.findings)
    assert errors or contents.robot is not None or contents.events is not None, "nothing was read and no error says why"
    return str(errors[0]) if errors else ""


def _assembly(path: Path, _options: Options) -> str:
    built = open_session(plugins(), path).compile()
    return "; ".join(map(str, errors_of(built.findings)))


def _script(path: Path, _options: Options) -> str:
    new_session(plugins(), path.parent).run_script(path.read_text("utf-8", "replace"), path.name)
    return ""


def _program(path: Path, _options: Options) -> str:
    read_program(path, _robot("puma-cell" if "puma" in path.name else "desk-cell"), plugins())
    return ""


def _manifest(path: Path, _options: Options) -> str:
    return "; ".join(str(one) for _, findings in check_files([path], Job()) for one in errors_of(findings))


def _recipe(path: Path, _options: Options) -> str:
    return _verdict(read_file(path.with_name("side.dxf"), plugins()))


def _events(path: Path, _options: Options) -> str:
    events = read_table(path, _robot("desk-cell"))
    Simulation(_robot("desk-cell"), events[:20], plugins=plugins())
    return ""


def _settings(path: Path, _options: Options) -> str:
    if path.name == "plugins.yaml":
        read_switches(path.parent)
    elif path.name == "keys.yaml":
        return "; ".join(read_keymap(path.parent)[1])
    else:
        read_settings(path.parent)
    return ""


def _goals(path: Path, _options: Options) -> str:
    _read_goals(path)
    return ""


def _state(path: Path, _options: Options) -> str:
    robot = _robot("desk-arm")
    sensor = SensorSetting("imu", Mount("inner", robot.items[0].name))
    simulation = Simulation(robot, (), plugins=plugins(), sensors=[sensor])
    restore_state(simulation, read_state(path), str(path))
    simulation.run(simulation.time + 0.2, 0.02)
    return ""


def _recording(path: Path, _options: Options) -> str:
    replay = Replay(_robot("desk-arm"), read_recording(path))
    replay.show_at(0.02)
    return ""


def _served(path: Path, _options: Options) -> str:
    served_state.resume(ServedWorld.of(_robot("desk-cell"), plugins()), path)
    return ""


def _clients(path: Path, _options: Options) -> str:
    hub = Hub(ServedWorld.of(_robot("desk-cell"), plugins()))
    # A long recording is replayed for a long time.
    if all(message.time < 3 for message in client_recording.read_recording(path, hub.world.robot.name)):
        return "; ".join(client_recording.replay(hub, path))
    return ""


def _port_types(path: Path, _options: Options) -> str:
    read_port_types([path.parents[1]])
    return ""


def _index(path: Path, _options: Options) -> str:
    read_index(path)
    return ""


def _journal(path: Path, _options: Options) -> str:
    assembly = path.with_name("desk-arm.rck")
    read_assembly(assembly)
    found = recoverable(assembly)
    if found is None:
        return ""
    open_session(plugins(), assembly).recover_from(found)
    return str(found) if found.damaged else ""


READERS: dict[str, Callable[[Path, Options], str]] = {
    "import": _import, "assembly": _assembly, "script": _script, "program": _program, "manifest": _manifest,
    "recipe": _recipe, "events": _events, "settings": _settings, "goals": _goals, "state": _state,
    "recording": _recording, "journal": _journal, "served": _served, "clients": _clients, "port-types": _port_types,
    "index": _index,
}  # fmt: skip
