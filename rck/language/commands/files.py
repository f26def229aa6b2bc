"""Files: saving, loading, importing, exporting, running scripts."""

from pathlib import Path

from rck.assembly import edit
from rck.assembly.document import Assembly, Instance
from rck.assembly.history import History
from rck.assembly.imported import piece_of
from rck.hooks.exchange import export, read_file, require_robot
from rck.language import values
from rck.language.grammar import Argument, Arguments, CommandSpec, Kind, Option
from rck.language.session import Outcome, Session, run_script
from rck.model import RckError, Robot
from rck.model.finding import errors_of
from rck.model.names import name_findings


def _path(session: Session, text: str) -> Path:
    path = Path(text).expanduser()
    return path if path.is_absolute() else session.folder / path


def _save(session: Session, arguments: Arguments) -> Outcome:
    text = arguments.text("file")
    path = session.save(_path(session, text) if text else None)
    return Outcome(f"saved {path}")


def _load(session: Session, arguments: Arguments) -> Outcome:
    if session.unsaved and not arguments.has("discard"):
        raise RckError("there are unsaved changes: save first, or add --discard")
    path = _path(session, arguments.text("file"))
    session.open(path)
    return Outcome(f"loaded {path}")


def _new(session: Session, arguments: Arguments) -> Outcome:
    if session.unsaved and not arguments.has("discard"):
        raise RckError("there are unsaved changes: save first, or add --discard")
    name = arguments.text("name") or "untitled"
    if name_findings(name, "assembly"):
        raise arguments.refuse(f"{name!r} is not a name; use letters, digits, - and _", "name")
    session.history = History(Assembly(name=name))
    session.path = session.saved = None
    return Outcome(f"a new assembly, {name}")


def _import(session: Session, arguments: Arguments) -> tuple[Assembly, str]:
    path = _path(session, arguments.text("file"))
    imported = read_file(path, session.plugins, values.settings(arguments.texts("options")), arguments.option("format"))
    robot = require_robot(imported, path)
    broken = errors_of(imported.findings)
    if broken:
        raise RckError(str(broken[0]))
    changed = with_imported(session.assembly, robot, path, arguments.text("name"))
    told = "".join(f"\n{finding}" for finding in imported.findings)
    return changed, f"imported {path.name}: {len(robot.items)} items, {len(robot.joints)} joints{told}"


def with_imported(assembly: Assembly, robot: Robot, path: Path, wish: str = "") -> Assembly:
    """The assembly with an imported robot as a piece of its own, placed once."""
    stem = "".join(mark if mark.isalnum() or mark in "-_" else "-" for mark in path.stem)
    name = wish or edit.new_name(assembly, stem, assembly.pieces)
    return edit.add_instance(edit.set_piece(assembly, name, piece_of(robot, path.name)), name, Instance(name))


def _export(session: Session, arguments: Arguments) -> Outcome:
    out = _path(session, arguments.text("file"))
    robot = session.compile().unwrap().robot
    given = values.settings(arguments.texts("options"))
    written, exported = export(robot, out, session.plugins, given, arguments.option("format"))
    lines = [f"wrote {path}" for path in written] + [str(finding) for finding in exported.findings]
    return Outcome("\n".join(lines))


_DEPTH = 10


def _run(session: Session, arguments: Arguments) -> Outcome:
    path = _path(session, arguments.text("file"))
    if path in session.running:
        raise RckError(f"{path.name} runs itself")
    if len(session.running) >= _DEPTH:
        raise RckError(f"scripts run scripts {_DEPTH} deep at most")
    session.running.append(path)
    try:
        outcomes = run_script(session, path.read_text(encoding="utf-8"), path.name)
    except (OSError, UnicodeDecodeError) as error:
        raise RckError(f"{path}: {getattr(error, 'strerror', None) or 'this is not a text file'}") from None
    finally:
        session.running.pop()
    return Outcome(f"{path.name}: {sum(one.changed for one in outcomes)} changes")


_DISCARD = Option("discard", "lose unsaved changes")

COMMANDS = (
    CommandSpec(
        "save",
        "save the assembly to its file, or to FILE.rck",
        _save,
        (Argument("file", Kind.FILE, optional=True),),
        edits=False,
        examples=("save", "save desk-arm.rck"),
    ),
    CommandSpec(
        "load",
        "open another assembly",
        _load,
        (Argument("file", Kind.FILE),),
        (_DISCARD,),
        edits=False,
        examples=("load desk-arm.rck",),
        aliases=("open",),
    ),
    CommandSpec(
        "new",
        "start an empty assembly",
        _new,
        (Argument("name", Kind.NAME, optional=True),),
        (_DISCARD,),
        edits=False,
        examples=("new desk-arm",),
    ),
    CommandSpec(
        "import",
        "read a file of another format as a piece of this assembly",
        _import,
        (
            Argument("file", Kind.FILE),
            Argument("name", Kind.NAME, optional=True),
            Argument("options", Kind.SETTING, optional=True),
        ),
        (Option("format", "the importer, if the file does not tell", Kind.TEXT),),
        "The geometry is kept inside the assembly, so the file is not needed any more.",
        ("import gantry.robot", "import arm.robot arm length-unit=mm"),
        repeats=False,
    ),
    CommandSpec(
        "export",
        "write the robot in another format; the ending tells which",
        _export,
        (Argument("file", Kind.FILE), Argument("options", Kind.SETTING, optional=True)),
        (Option("format", "the exporter, if the ending does not tell", Kind.TEXT),),
        edits=False,
        examples=("export arm.robot",),
    ),
    CommandSpec(
        "run",
        "do the commands of a script, all of them or none",
        _run,
        (Argument("file", Kind.FILE),),
        edits=False,
        examples=("run build.rcks",),
    ),
)
