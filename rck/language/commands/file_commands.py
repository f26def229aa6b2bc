"""Commands for files: save, load, new, import, export, run."""

from pathlib import Path
from typing import TYPE_CHECKING

from rck.assembly import collision_rules, edits
from rck.assembly.document import Assembly
from rck.assembly.journal import journal_path, recoverable
from rck.assembly.local_parts import contacts_of, home_settings, local_parts_of, with_port_names
from rck.exporting.export import exporter_for, prepare_export, with_short_names
from rck.grammar import Argument, Arguments, CommandOption, ValueKind
from rck.hooks import Command, Exporter, Importer
from rck.hooks.file_exchange import FileContents, importer_for, read_file, require_robot
from rck.hooks.options import state_units
from rck.language.argument_values import parse_new_name
from rck.language.document import Document
from rck.language.session_command import CommandOutcome, SessionCommand
from rck.model import RckError
from rck.support.files import path_in, refuse_unwritable, write_files
from rck.support.finding import errors_of
from rck.support.names import nearest_name
from rck.support.units import counted

if TYPE_CHECKING:
    from rck.language.session import Session


def _path(session: "Session | Document", arguments: Arguments) -> Path:
    return arguments.read("file", lambda text: path_in(session.folder, text))


def _save(session: "Session", arguments: Arguments) -> CommandOutcome:
    path = session.save(
        _path(session, arguments) if arguments.text("file") else None, overwrite=arguments.has("overwrite")
    )
    return CommandOutcome(f"saved {path}")


def _refuse_to_lose(session: "Session", arguments: Arguments) -> None:
    if session.unsaved and not arguments.has("discard"):
        raise RckError("there are unsaved changes; save first, or add --discard")


def _load(session: "Session", arguments: Arguments) -> CommandOutcome:
    path = _path(session, arguments)
    _refuse_to_lose(session, arguments)
    left = recoverable(path) if session.journal is not None and path != session.path else None
    if left is not None and not (arguments.has("recover") or arguments.has("discard")):
        changed = left.doubt and f"; {left.doubt}"
        choices = "add --recover to run them on the file, or --discard to delete them"
        raise arguments.refuse(f"{path.name}: {left} in the last session{changed}; {choices}", "file")
    if left is not None:
        # A refusal of a plugin must not lose the commands that can be recovered.
        session.will_write(journal_path(path))
        if arguments.has("discard"):
            journal_path(path).unlink(missing_ok=True)
    recovery = left if arguments.has("recover") else None
    with arguments.pointing("file"):
        session.open(path, recovery)
    if recovery is None:
        return CommandOutcome(f"loaded {path}")
    lost = f"; {counted(recovery.damaged, 'damaged record')} cannot be recovered" if recovery.damaged else ""
    return CommandOutcome(f"loaded {path}; recovered {counted(len(recovery.entries), 'command')}{lost}")


def _new(session: "Session", arguments: Arguments) -> CommandOutcome:
    _refuse_to_lose(session, arguments)
    name = arguments.read("name", parse_new_name) if arguments.text("name") else "untitled"
    session.begin(Assembly(name=name))
    return CommandOutcome(f"started assembly {name}")


def _import(document: Document, arguments: Arguments) -> tuple[Document, str]:
    path = _path(document, arguments)
    importer = importer_for(path, document.plugins, arguments.option("format"))
    options = _options(document, arguments, importer)
    contents = read_file(path, document.plugins, options, importer.name, document.job)
    robot = require_robot(contents, path)
    errors = errors_of(contents.findings)
    if errors:
        raise RckError(str(errors[0]))
    with arguments.pointing("name"):
        changed = with_imported(document.assembly, contents, path, arguments.text("name"))
    summary = contents.summary or f"{len(robot.items)} items, {len(robot.joints)} joints"
    findings = "".join(f"\n{finding}" for finding in contents.findings)
    return document.with_assembly(changed), f"imported {path.name}: {summary}{findings}"


def _options(document: Document, arguments: Arguments, exchanger: Importer | Exporter) -> dict[str, str]:
    """Return the options of a line; lengths and angles without a unit get the unit of the assembly."""
    options = {name: word.text for name, word in arguments.settings("options").items()}
    return state_units(exchanger.options, options, document.units.of)


def with_imported(assembly: Assembly, contents: FileContents, path: Path, name: str = "") -> Assembly:
    """Return the assembly with the parts of a file as local parts, each with one instance."""
    stem = nearest_name(path.stem, "imported")
    local_parts = local_parts_of(contents.parts, path.name, name or stem, contents.summary)
    for definition, (own, part) in zip(contents.parts, local_parts.items(), strict=True):
        new = own if own == name else edits.new_name(assembly, nearest_name(own, stem), assembly.local_parts)
        assembly = edits.add_local_part(assembly, new, part)
        assembly = collision_rules.with_rules(assembly, contacts_of(definition, new))
        for joint, position in home_settings(definition, assembly.units).items():
            assembly = edits.set_joint_setting(assembly, f"{new}/{joint}", position=position)
    return assembly


def with_imported_again(assembly: Assembly, contents: FileContents, path: Path) -> tuple[Assembly, list[str]]:
    """Return the assembly with the local parts of a file replaced, and messages about parts that are missing now."""
    known = [name for name, part in assembly.local_parts.items() if part.source == path.name]
    local_parts = local_parts_of(contents.parts, path.name, known[0], contents.summary)
    gone = [f"{name}; it is kept unchanged" for name in known if name not in local_parts]
    for definition, (name, read) in zip(contents.parts, local_parts.items(), strict=True):
        part = read
        if name in known:
            part = with_port_names(read, assembly.local_parts[name])
            lost = [port for port in assembly.local_parts[name].ports if port not in part.ports]
            gone += [f"{name}.{', '.join(lost)}; attach the instances there to another port"] if lost else []
        change = edits.set_local_part if name in known else edits.add_local_part
        assembly = change(assembly, name, part)
        if name in assembly.parts:
            assembly = collision_rules.with_rules(assembly, contacts_of(definition, name))
    return assembly, gone


def _export(session: "Session", arguments: Arguments) -> CommandOutcome:
    out = _path(session, arguments)
    with arguments.pointing("file"):
        refuse_unwritable(out)
    robot = session.compile().unwrap().robot
    if arguments.has("short-names"):
        robot = with_short_names(robot)
    format_name = arguments.option("format")
    options = _options(session.document, arguments, exporter_for(out, robot, session.plugins, format_name))
    files, exported = prepare_export(robot, out, session.plugins, options, format_name, session.job)
    # A script that fails later must know every file that it has to restore.
    for path in files:
        session.will_write(path)
    write_files(files)
    lines = [f"wrote {path}" for path in files] + [str(finding) for finding in exported.findings]
    return CommandOutcome("\n".join(lines))


_DEPTH = 10
"""Largest number of nested scripts."""


def _run(session: "Session", arguments: Arguments) -> CommandOutcome:
    path = _path(session, arguments)
    if path.resolve() in session.running:
        raise arguments.refuse(f"{path.name} runs itself", "file")
    if len(session.running) >= _DEPTH:
        raise arguments.refuse(f"scripts can be nested at most {_DEPTH} deep", "file")
    before = session.history
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise arguments.refuse(f"{path} is not a text file in UTF-8", "file") from None
    session.running.append(path.resolve())
    try:
        outcomes = session.run_script(text, path.name)
    finally:
        session.running.pop()
    changes = sum(outcome.changed for outcome in outcomes)
    if session.history.first is before.first and session.history is not before:
        # One command is one step to undo.
        session.replace_history(before.then(arguments.line.strip(), session.assembly))
    return CommandOutcome(f"{path.name}: {changes} changes", changed=session.history is not before)


_DISCARD = CommandOption("discard", "discard unsaved changes")
_FILE = Argument("file", ValueKind.FILE)

COMMANDS = (
    SessionCommand(
        "save",
        "save the assembly to its file, or to FILE.rck",
        (Argument("file", ValueKind.FILE, optional=True),),
        (CommandOption("overwrite", "replace the file even if another program has changed it"),),
        details="If you save to another folder, the parts and assemblies that it uses must be found from there too.",
        examples=("save", "save desk-arm.rck"),
        run=_save,
    ),
    SessionCommand(
        "load",
        "open another assembly",
        (_FILE,),
        (_DISCARD, CommandOption("recover", "run the commands that were not saved in the last session")),
        examples=("load desk-arm.rck",),
        aliases=("open",),
        slow=True,
        run=_load,
    ),
    SessionCommand(
        "new",
        "start an empty assembly",
        (Argument("name", ValueKind.NAME, optional=True),),
        (_DISCARD,),
        examples=("new desk-arm",),
        run=_new,
    ),
    Command(
        "import",
        "read a file of another format as a local part",
        (
            _FILE,
            Argument("name", ValueKind.NAME, optional=True),
            Argument("options", ValueKind.SETTING, optional=True),
        ),
        (CommandOption("format", "importer (default: detected from the file)", ValueKind.FORMAT),),
        "The geometry is stored in the assembly, so the file is not needed any more.",
        ("import gantry.robot", "import arm.robot arm length-unit=mm"),
        repeatable=False,
        slow=True,
        run=_import,
    ),
    SessionCommand(
        "export",
        "write the robot in another format",
        (_FILE, Argument("options", ValueKind.SETTING, optional=True)),
        (
            CommandOption("format", "exporter (default: chosen by the file extension)", ValueKind.FORMAT),
            CommandOption("short-names", "drop instance names where the rest of a name is still unique"),
        ),
        examples=("export arm.robot", "export panda.urdf --short-names"),
        slow=True,
        run=_export,
    ),
    SessionCommand(
        "run",
        "run the commands of a script, all or none",
        (_FILE,),
        details="A script has one command on each line. If a command is refused, the assembly and the files that the"
        " script has written are restored. `undo` undoes the whole script.",
        examples=("run build.rcks",),
        slow=True,
        run=_run,
    ),
)
