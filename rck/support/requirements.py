"""Optional libraries that a feature requires, checked before any work starts."""

from dataclasses import dataclass
from importlib.util import find_spec

from rck.support.finding import RckError


@dataclass(frozen=True, slots=True)
class Need:
    """Required module of another package."""

    module: str
    install: str
    """The command that installs it, such as `pip install 'rck[mujoco]'`."""


def refuse_missing(what: str, *needs: Need) -> None:
    """Raise an error with the install command if a required module is missing; import nothing."""
    for need in needs:
        if find_spec(need.module) is None:
            raise RckError(f"{what} needs {need.module}, which is not installed: {need.install}")
