"""RCK, the Robot Construction Kit: assemble robots from parts, simulate them, export them to every simulator.

The public interface: :func:`load`, :class:`Assembly`, :func:`catalogue`, :func:`simulate`, :func:`export`,
:func:`render`, the actions of events, and the errors that they raise. Nothing else is imported until one of these is
used.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rck.api import ArmModel, PartCatalogue, RobotModel, actions, catalogue, export, load, render, simulate
    from rck.api import AssemblySession as Assembly
    from rck.control import connected
    from rck.support.finding import Finding, RckError

__version__ = "0.2.0"

__all__ = [
    "ArmModel",
    "Assembly",
    "Finding",
    "PartCatalogue",
    "RckError",
    "RobotModel",
    "__version__",
    "actions",
    "catalogue",
    "connected",
    "export",
    "load",
    "render",
    "simulate",
]

_HOMES = {"Assembly": ("rck.api", "AssemblySession")}
_HOMES |= {"connected": ("rck.control", "connected")}
_HOMES |= {name: ("rck.support.finding", name) for name in ("Finding", "RckError")}


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'rck' has no attribute {name!r}")
    from importlib import import_module

    module, attribute = _HOMES.get(name, ("rck.api", name))
    return getattr(import_module(module), attribute)


def __dir__() -> list[str]:
    return __all__
