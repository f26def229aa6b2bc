"""Libraries that a feature cannot do without and that not everybody has: they are asked for before any work."""

from dataclasses import dataclass
from importlib.util import find_spec

from rck.model.finding import RckError


@dataclass(frozen=True, slots=True)
class Need:
    """A module of another package."""

    module: str
    install: str
    """The command that installs it, such as `pip install 'rck[mujoco]'`."""


def refuse_missing(what: str, *needs: Need) -> None:
    """Refuse what needs a module that is not installed, with the command that helps; nothing is imported."""
    for need in needs:
        if find_spec(need.module) is None:
            raise RckError(f"{what} needs {need.module}, which is not installed: {need.install}")
