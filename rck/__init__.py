"""RCK, the Robot Construction Kit: assemble robots from parts, simulate them, export them to every simulator.

The public interface: :func:`load`, :class:`Assembly`, :func:`catalogue`, :func:`simulate`, :func:`export`,
:func:`render`, and the errors that they raise. Nothing else is imported until one of these is used.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rck.api import AssemblySession as Assembly
    from rck.api import PartCatalogue, RobotModel, catalogue, export, load, render, simulate
    from rck.support.finding import Finding, RckError

__version__ = "0.2.0"

__all__ = [
    "Assembly",
    "Finding",
    "PartCatalogue",
    "RckError",
    "RobotModel",
    "__version__",
    "catalogue",
    "export",
    "load",
    "render",
    "simulate",
]

_HOMES = {"Assembly": ("rck.api", "AssemblySession")}
_HOMES |= {name: ("rck.support.finding", name) for name in ("Finding", "RckError")}


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'rck' has no attribute {name!r}")
    from importlib import import_module

    module, attribute = _HOMES.get(name, ("rck.api", name))
    return getattr(import_module(module), attribute)


def __dir__() -> list[str]:
    return __all__
