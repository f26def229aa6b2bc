"""Port types: the files that describe them, and the geometry that they give to ports."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from rck.model import Port, RckError
from rck.model.interface import Interface, mirrored_interface
from rck.model.quantities import Quantities, Units
from rck.parts.interface_spec import Gender, InterfaceSpec, convert_interface
from rck.support.typed_yaml import FileError, Strict, convert, parse, read_text

FOLDER = "port_types"
"""Name of the folder in a parts library that has the files of port types."""
_NUMBER = r"(\d+(?:\.\d+)?)"
_FAMILY = re.compile(r"(?<=-)N(?=-|t?$)")
"""The place of the number in the name of a family, such as `shaft-N` and `spline-Nt`."""


class PortTypeSpec(InterfaceSpec, frozen=True, kw_only=True):
    """A port type: its geometry where it is published."""

    summary: str
    male: str = ""
    """Description of the male side, such as `the motor`."""
    female: str = ""
    sources: list[str] = []
    """The documents that state the geometry; empty for a type without geometry."""
    notes: str = ""

    @property
    def geometry(self) -> InterfaceSpec:
        """The geometry without the description."""
        return InterfaceSpec(self.holes, self.pilot, self.pin, self.shaft, self.profile, self.load)


class PortTypeFile(Strict, frozen=True):
    """A file of port types. `N` in a name stands for a number, which the geometry may use as `N`."""

    port_types: dict[str, PortTypeSpec]
    units: Units = Units()


@dataclass(frozen=True, eq=False)
class PortTypes:
    """The port types of all libraries."""

    specs: Mapping[str, tuple[PortTypeSpec, Units]]
    _families: Mapping[str, tuple[re.Pattern[str], dict[str, Any], Units]]
    _known: dict[tuple[str, Gender], Interface | None] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """The names of all port types, with `N` in the names of families."""
        return sorted([*self.specs, *self._families])

    def summary(self, name: str) -> str:
        """Return the summary of one of the `names`."""
        return self.specs[name][0].summary if name in self.specs else str(self._families[name][1]["summary"])

    def find(self, name: str) -> tuple[PortTypeSpec, Units] | None:
        """Return the description of a port type; None if there is none. `shaft-6` is of the family `shaft-N`."""
        if name in self.specs:
            return self.specs[name]
        for pattern, raw, units in self._families.values():
            match = pattern.fullmatch(name)
            if match:
                filled = _with_number(raw, float(match[1]))
                return convert(filled, PortTypeSpec, "", name), units
        return None

    def interface(self, name: str, gender: str | None) -> Interface | None:
        """Return the geometry of one side of a port type; None if it is not published."""
        side: Gender = "female" if gender == "female" else "male"
        if (name, side) not in self._known:
            found = self.find(name)
            interface = found and convert_interface(found[0].geometry, side, Quantities(found[1]))
            if found and interface and side == "female" and any(one.at is not None for one in found[0].geometry.holes):
                # A list of holes is that of the male side, which the female side faces.
                interface = mirrored_interface(interface)
            self._known[name, side] = interface
        return self._known[name, side]

    def resolved(self, ports: Mapping[str, Port]) -> Mapping[str, Port]:
        """Return the ports with the geometry of their types; ports with their own geometry keep it."""
        return {
            name: port
            if port.interface is not None or port.type == "any"
            else replace(port, interface=self.interface(port.type, port.gender))
            for name, port in ports.items()
        }


def _with_number(raw: Any, number: float) -> Any:
    """Return data in which the value `N` is replaced by a number."""
    if isinstance(raw, dict):
        return {key: _with_number(one, number) for key, one in raw.items()}
    if isinstance(raw, list):
        return [_with_number(one, number) for one in raw]
    return number if raw == "N" else raw


def port_type_paths(folder: Path) -> list[Path]:
    """Return the files of port types of a library, sorted."""
    return sorted((folder / FOLDER).glob("*.yaml"))


def read_port_types(folders: Iterable[Path]) -> PortTypes:
    """Return the port types of these libraries; a later library overrides an earlier one."""
    specs: dict[str, tuple[PortTypeSpec, Units]] = {}
    families: dict[str, tuple[re.Pattern[str], dict[str, Any], Units]] = {}
    for folder in folders:
        for path in port_type_paths(folder):
            text = read_text(path)
            raw = parse(text, str(path))
            # A number in place of N, to check the file.
            file = convert(_with_number(raw, 10.0), PortTypeFile, text, str(path))
            for name, spec in file.port_types.items():
                _check(path, name, spec, file.units)
                if _FAMILY.search(name):
                    stem = _NUMBER.join(map(re.escape, _FAMILY.split(name)))
                    families[name] = re.compile(stem), raw["port-types"][name], file.units
                else:
                    specs[name] = spec, file.units
    return PortTypes(specs, families)


def _check(path: Path, name: str, spec: PortTypeSpec, units: Units) -> None:
    try:
        geometry = convert_interface(spec.geometry, "male", Quantities(units))
        convert_interface(spec.geometry, "female", Quantities(units))
    except RckError as error:
        raise FileError(str(path), None, ("port-types", name), str(error)) from None
    if geometry is not None and not spec.sources:
        raise FileError(str(path), None, ("port-types", name), "the source of the geometry is missing")
