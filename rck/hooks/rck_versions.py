"""The versions of RCK that a plugin declares, and the version of the plugin interface."""

import re
from functools import cache
from importlib.metadata import Distribution
from typing import TYPE_CHECKING

from rck import __version__
from rck.hooks.project_plugins import FilePoint

if TYPE_CHECKING:
    from packaging.specifiers import SpecifierSet

INTERFACE_VERSION = (0, 2)
"""Version of the plugin interface: the first number changes with incompatible changes, from 1 on; the second number
changes with additions, and before 1 with every change."""

_COMMENT = re.compile(r"^#\s*requires-rck\s*:\s*(\S.*)$", re.MULTILINE)
_HEAD_BYTES = 4096


def unmet_requirement(point: object) -> str:
    """Return why this version of RCK does not suit a plugin; empty if it does.

    Packages declare it in their dependencies, as `rck>=0.2,<0.3`; single files in a comment, `# requires-rck: >=0.2`.
    """
    try:
        wanted = _wanted(point)
        # Development versions count as the version that they lead to.
        suits = wanted is None or wanted.contains(__version__.partition(".dev")[0], prereleases=True)
    except ValueError as error:
        return f"its requirement of RCK cannot be read: {error}"
    return "" if suits else f"it requires rck{wanted}, and this is RCK {__version__}"


def _wanted(point: object) -> "SpecifierSet | None":
    if isinstance(point, FilePoint):
        with point.path.open("rb") as file:
            found = _COMMENT.search(file.read(_HEAD_BYTES).decode("utf-8", "replace"))
        return _parsed(f"rck {found[1].strip()}") if found else None
    distribution = getattr(point, "dist", None)
    return _declared(distribution) if isinstance(distribution, Distribution) else None


@cache
def _declared(distribution: Distribution) -> "SpecifierSet | None":
    """Return the requirement of a package, which may have many plugins."""
    return next((wanted for text in distribution.requires or () if (wanted := _parsed(text)) is not None), None)


def _parsed(text: str) -> "SpecifierSet | None":
    """Return the versions that a requirement of RCK states; None for a requirement of another package."""
    if not text.lower().startswith("rck"):
        return None
    # Only few plugins declare a requirement, and the library takes long to import.
    from packaging.requirements import Requirement

    requirement = Requirement(text)
    return requirement.specifier if requirement.name.lower() == "rck" and requirement.marker is None else None
