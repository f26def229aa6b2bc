"""Names in drawings: layers and blocks named JOINT or PORT, and conversion to legal names."""

import re
from dataclasses import dataclass

from rck.model.joint import JointKind
from rck.support.names import nearest_name

_JOINT = re.compile(r"JOINT(?:[_\- ]?(R|P|C|F)(?=[_\- ]|\d|$))?[_\- ]?(.*)", re.IGNORECASE)
_PORT = re.compile(r"PORT[_\- ]?([^@]*)(?:@(.*))?", re.IGNORECASE)
_KINDS = {
    "R": JointKind.REVOLUTE,
    "P": JointKind.PRISMATIC,
    "C": JointKind.CONTINUOUS,
    "F": JointKind.FIXED,
}


@dataclass(frozen=True, slots=True)
class JointName:
    """Contents of a name such as JOINT_R_elbow."""

    kind: JointKind
    name: str
    """Empty if not stated."""


@dataclass(frozen=True, slots=True)
class PortName:
    """Contents of a name such as PORT_flange@iso9409-1-50-4-m6."""

    name: str
    kind: str


def is_joint(name: str) -> bool:
    """Return True if a layer or block with this name marks joints."""
    return name.upper().startswith("JOINT")


def is_port(name: str) -> bool:
    """Return True if a layer or block with this name marks ports."""
    return name.upper().startswith("PORT")


def joint_name(name: str) -> JointName:
    """Parse JOINT, JOINT_R_name, JOINT_P_name, JOINT_C_name or JOINT_F_name; the default is revolute."""
    match = _JOINT.fullmatch(name)
    letter, rest = (match[1], match[2]) if match else (None, "")
    wanted = tidy(rest, "") if rest else ""
    return JointName(_KINDS[(letter or "R").upper()], f"joint{wanted}" if wanted.isdigit() else wanted)


def port_name(name: str) -> PortName:
    """Parse PORT_name or PORT_name@kind."""
    match = _PORT.fullmatch(name)
    stated, kind = (match[1], match[2]) if match else (name, None)
    return PortName(tidy(stated, "port"), kind or "any")


def tidy(name: str, default: str) -> str:
    """Return the nearest legal name, without the star of anonymous blocks."""
    return nearest_name(name.lstrip("*"), default)


def readable(text: str) -> str:
    """Return the text with control characters and undecodable bytes replaced."""
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)


class UniqueNames:
    """Source of unique names: a repeated name gets a number."""

    def __init__(self) -> None:
        self._next: dict[str, int] = {}

    def take(self, wanted: str) -> str:
        """Return the wanted name, with the first free number if it is taken."""
        number = self._next.get(wanted, 1)
        name = wanted if number == 1 else f"{wanted}-{number}"
        self._next[wanted] = number + 1
        if number > 1 and name in self._next:
            return self.take(wanted)
        self._next.setdefault(name, 2)
        return name
