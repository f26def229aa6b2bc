"""Files: saving, loading, importing, exporting, running scripts."""

from pathlib import Path
from tempfile import TemporaryDirectory

from rck.assembly import contacts, edit
from rck.assembly.document import Assembly
from rck.assembly.imported import contacts_of, pieces_of, with_port_names
from rck.assembly.journal import recoverable
from rck.exporting.short_names import short_named
from rck.hooks import Exporter, Imported, Importer
from rck.hooks.exchange import export, exporter_for, importer_for, read_file, require_robot
from rck.hooks.options import state_units
from rck.language import values
from rck.language.grammar import Argument, Arguments, CommandSpec, Kind, Option
from rck.language.session import Outcome, Session, run_script
from rck.model import RckError, Robot
from rck.model.files import path_in, refuse_unwritable, write_atomically
from rck.model.finding import errors_of
from rck.model.names import nearest_name


def _path(session: Session, arguments: Arguments) -> Path:
    return arguments.read("file", lambda text: path_in(session.folder, text))


def _save(session: Session, arguments: Arguments) -> Outcome:
    path = session.save(_path(session, arguments) if arguments.text("file") else None)
    return Outcome(f"saved {path}")


def _refuse_to_lose(session: Session, arguments: Arguments) -> None:
    if session.unsaved and not arguments.has("discard"):
        raise RckError("there are unsaved changes: save first, or add --discard")


def _load(session: Session, arguments: Arguments) -> Outcome:
    path = _path(session, arguments)
    _refuse_to_lose(session, arguments)
    left = recoverable(path) if session.journal is not None and path != session.path else None
    if left is not None and left.matches and not (arguments.has("recover") or arguments.has("discard")):
        raise arguments.refuse(
            f"{len(left.entries)} commands were not saved when {path.name} was last edited: add --recover to do them"
            " again, or --discard to lose them",
            "file",
        )
    with arguments.pointing("file"):
        session.open(path)
    done = session.recover_from(left) if left is not None and arguments.has("recover") else []
    return Outcome(f"loaded {path}" + (f"; recovered {len(done)} commands" if done else ""))


def _new(session: Session, arguments: Arguments) -> Outcome:
    _refuse_to_lose(session, arguments)
    name = arguments.read("name", values.new_name) if arguments.text("name") else "untitled"
    session.start(name)
    return Outcome(f"a new assembly, {name}")


def _import(session: Session, arguments: Arguments) -> tuple[Assembly, str]:
    path = _path(session, arguments)
    importer = importer_for(path, session.plugins, arguments.option("format"))
    given = _options(session, arguments, importer)
    imported = read_file(path, session.plugins, given, importer.name, session.job)
    robot = require_robot(imported, path)
    broken = errors_of(imported.findings)
    if broken:
        raise RckError(str(broken[0]))
    with arguments.pointing("name"):
        changed = with_imported(session.assembly, robot, path, arguments.text("name"), imported)
    said = imported.summary or f"{len(robot.items)} items, {len(robot.joints)} joints"
    told = "".join(f"\n{finding}" for finding in imported.findings)
    return changed, f"imported {path.name}: {said}{told}"


def _options(session: Session, arguments: Arguments, exchanger: Importer | Exporter) -> dict[str, str]:
    """Return the options that a line gives; lengths and angles without a unit get the one of the assembly."""
    given = {name: word.text for name, word in arguments.settings("options").items()}
    return state_units(exchanger.options, given, session.assembly.units.of)


def with_imported(
    assembly: Assembly, robot: Robot, path: Path, wish: str = "", imported: Imported | None = None
) -> Assembly:
    """The assembly with an imported robot as a piece of its own, or several, each placed once."""
    stem = nearest_name(path.stem, "imported")
    for name, piece in pieces_of(imported or Imported(robot), robot, path.name, wish or stem).items():
        new = name if name == wish else edit.new_name(assembly, nearest_name(name, stem), assembly.pieces)
        assembly = edit.add_piece(assembly, new, piece)
        assembly = contacts.with_rules(assembly, contacts_of(robot, piece, new))
    return assembly


def with_imported_again(assembly: Assembly, robot: Robot, path: Path, imported: Imported) -> tuple[Assembly, list[str]]:
    """The assembly with the pieces that came from the file replaced; and what the file has no longer, for people."""
    known = [name for name, piece in assembly.pieces.items() if piece.source == path.name]
    pieces = pieces_of(imported, robot, path.name, known[0])
    gone = [f"{name}; it stays as it was" for name in known if name not in pieces]
    for name, read in pieces.items():
        piece = read
        if name in known:
            piece = with_port_names(read, assembly.pieces[name])
            lost = [port for port in assembly.pieces[name].ports if port not in piece.ports]
            gone += [f"{name}.{', '.join(lost)}; what is fastened there must go elsewhere"] if lost else []
        change = edit.set_piece if name in known else edit.add_piece
        assembly = change(assembly, name, piece)
        if name in assembly.parts:
            assembly = contacts.with_rules(assembly, contacts_of(robot, piece, name))
    return assembly, gone


def _export(session: Session, arguments: Arguments) -> Outcome:
    out = _path(session, arguments)
    with arguments.pointing("file"):
        refuse_unwritable(out)
    robot = session.compile().unwrap().robot
    if arguments.has("short-names"):
        robot = short_named(robot)
    given = _options(session, arguments, exporter_for(out, robot, session.plugins, arguments.option("format")))
    # Written elsewhere first: a script that fails later must know every file that it has to put back.
    with TemporaryDirectory() as folder:
        written, exported = export(
            robot, Path(folder) / out.name, session.plugins, given, arguments.option("format"), session.job
        )
        files = {out.parent / path.relative_to(folder): path.read_bytes() for path in written}
    for path in files:
        session.will_write(path)
    for path, content in files.items():
        write_atomically(path, content)
    lines = [f"wrote {path}" for path in files] + [str(finding) for finding in exported.findings]
    return Outcome("\n".join(lines))


_DEPTH = 10


def _run(session: Session, arguments: Arguments) -> Outcome:
    path = _path(session, arguments)
    if path.resolve() in session.running:
        raise arguments.refuse(f"{path.name} runs itself", "file")
    if len(session.running) >= _DEPTH:
        raise arguments.refuse(f"scripts run scripts {_DEPTH} deep at most", "file")
    before = session.history
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise arguments.refuse(f"{path} is not a text file (UTF-8)", "file") from None
    session.running.append(path.resolve())
    try:
        outcomes = run_script(session, text, path.name)
    finally:
        session.running.pop()
    changes = sum(one.changed for one in outcomes)
    if session.history.first is before.first and session.history is not before:
        # One command, one step to undo.
        session.history = before.then(arguments.line.strip(), session.assembly)
    return Outcome(f"{path.name}: {changes} changes", changed=session.history is not before)


_DISCARD = Option("discard", "lose unsaved changes")
_FILE = Argument("file", Kind.FILE)

COMMANDS = (
    CommandSpec(
        "save",
        "save the assembly to its file, or to FILE.rck",
        _save,
        (Argument("file", Kind.FILE, optional=True),),
        details="In another folder, the parts and assemblies that it uses must be found from there too.",
        edits=False,
        examples=("save", "save desk-arm.rck"),
    ),
    CommandSpec(
        "load",
        "open another assembly",
        _load,
        (_FILE,),
        (_DISCARD, Option("recover", "do again what was not saved when it was last edited")),
        edits=False,
        examples=("load desk-arm.rck",),
        aliases=("open",),
        slow=True,
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
            _FILE,
            Argument("name", Kind.NAME, optional=True),
            Argument("options", Kind.SETTING, optional=True),
        ),
        (Option("format", "the importer, if the file does not tell", Kind.FORMAT),),
        "The geometry is kept inside the assembly, so the file is not needed any more.",
        ("import gantry.robot", "import arm.robot arm length-unit=mm"),
        repeats=False,
        slow=True,
    ),
    CommandSpec(
        "export",
        "write the robot in another format; the ending tells which",
        _export,
        (_FILE, Argument("options", Kind.SETTING, optional=True)),
        (
            Option("format", "the exporter, if the ending does not tell", Kind.FORMAT),
            Option("short-names", "leave out the names of instances where the rest is still unique"),
        ),
        edits=False,
        examples=("export arm.robot", "export panda.urdf --short-names"),
        slow=True,
    ),
    CommandSpec(
        "run",
        "do the commands of a script, all of them or none",
        _run,
        (_FILE,),
        details="One command a line. If one is refused, everything is as before: the assembly, and the files that the"
        " script has written. It is undone in one step.",
        edits=False,
        examples=("run build.rcks",),
        slow=True,
    ),
)
