"""Names that mean something in drawings: layers and blocks called JOINT and PORT; and names made fit for RCK."""

import re
from dataclasses import dataclass

from rck.model.joint import JointKind
from rck.model.names import nearest_name

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
    """What a name such as JOINT_R_elbow says."""

    kind: JointKind
    name: str
    """Empty if it says none."""


@dataclass(frozen=True, slots=True)
class PortName:
    """What a name such as PORT_flange@iso9409-1-50-4-m6 says."""

    name: str
    kind: str


def is_joint(name: str) -> bool:
    """Whether a layer or block of that name means joints."""
    return name.upper().startswith("JOINT")


def is_port(name: str) -> bool:
    """Whether a layer or block of that name means ports."""
    return name.upper().startswith("PORT")


def joint_name(name: str) -> JointName:
    """JOINT, JOINT_R_name, JOINT_P_name, JOINT_C_name, JOINT_F_name: revolute unless it says otherwise."""
    match = _JOINT.fullmatch(name)
    letter, rest = (match[1], match[2]) if match else (None, "")
    wish = tidy(rest, "") if rest else ""
    return JointName(_KINDS[(letter or "R").upper()], f"joint{wish}" if wish.isdigit() else wish)


def port_name(name: str) -> PortName:
    """PORT_name, or PORT_name@kind."""
    match = _PORT.fullmatch(name)
    said, kind = (match[1], match[2]) if match else (name, None)
    return PortName(tidy(said, "port"), kind or "any")


def tidy(name: str, otherwise: str) -> str:
    """The name as RCK allows it; anonymous blocks lose their star."""
    return nearest_name(name.lstrip("*"), otherwise)


def readable(text: str) -> str:
    """The text without what no screen can show: bytes of a wrong encoding, control characters."""
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)


class UniqueNames:
    """Hands out names, each once: a second one gets a number."""

    def __init__(self) -> None:
        self._next: dict[str, int] = {}

    def take(self, wish: str) -> str:
        """The wish itself, or with the first number that is free."""
        number = self._next.get(wish, 1)
        name = wish if number == 1 else f"{wish}-{number}"
        self._next[wish] = number + 1
        if number > 1 and name in self._next:
            return self.take(wish)
        self._next.setdefault(name, 2)
        return name
