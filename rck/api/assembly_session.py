"""An assembly that a Python program edits."""

from collections.abc import Mapping
from pathlib import Path

from rck.api.robot_model import FilePath, RobotModel
from rck.assembly.cameras import saved_cameras
from rck.assembly.document import Assembly
from rck.grammar import quote
from rck.hooks import discover
from rck.language.session import Session, new_session, open_session


class AssemblySession:
    """An assembly that you edit with commands, as in the editor and in scripts. `rck.Assembly` is this class."""

    def __init__(self, path: FilePath | None = None) -> None:
        """Open a `.rck` file, or start an empty assembly without one; a file that does not exist yet is created."""
        file = None if path is None else Path(path)
        plugins = discover(file=file)
        if file is not None and file.exists():
            self._session = open_session(plugins, file)
        else:
            self._session = new_session(
                plugins, Path.cwd() if file is None else file.parent, file.stem if file else "untitled"
            )
        self._path = file

    @property
    def document(self) -> Assembly:
        """The present value of the document; it is immutable."""
        return self._session.assembly

    @property
    def session(self) -> Session:
        """The session behind this object."""
        return self._session

    def run(self, command: str) -> str:
        """Run one command of the command language and return its message. It applies completely or not at all."""
        return self._session.do(command).message

    def create(self, part: str, name: str, at: str | None = None, **parameters: object) -> str:
        """Add an instance of a part; `at` is a free port of another instance, such as `arm.flange`."""
        mate = "" if at is None else f" --at {quote(at)}"
        return self.run(" ".join(["create", quote(part), quote(name), *_settings(parameters)]) + mate)

    def mate(self, at: str, put: str) -> str:
        """Attach the port `put` of an instance to the port `at` of another one, both as `instance.port`."""
        return self.run(f"mate {quote(at)} {quote(put)}")

    def set(self, name: str, **properties: object) -> str:
        """Set properties of an instance, mate or joint."""
        return self.run(" ".join(["set", quote(name), *_settings(properties)]))

    def explode(self, name: str) -> tuple[str, ...]:
        """Replace a robot by one instance for each of its links, joined by its joints; return the new instances."""
        before = self._session.assembly.parts
        self.run(f"explode {quote(name)}")
        return tuple(one for one in self._session.assembly.order if one not in before)

    def undo(self) -> str:
        """Undo the last command."""
        return self.run("undo")

    def redo(self) -> str:
        """Redo the command that was undone last."""
        return self.run("redo")

    def save(self, path: FilePath | None = None) -> Path:
        """Save the assembly, by default to the file that it was opened from, and return the path."""
        return self._session.save(Path(path) if path is not None else self._path)

    def robot(self) -> RobotModel:
        """Compile the assembly into a robot."""
        built = self._session.compile()
        cameras = saved_cameras(self._session.assembly)
        return RobotModel(built.unwrap().robot, self._session.plugins, built.findings, cameras)


def _settings(values: Mapping[str, object]) -> list[str]:
    return [f"{name}={quote(str(value))}" for name, value in values.items()]
