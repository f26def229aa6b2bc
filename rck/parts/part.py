"""Parts: manifests with parameter values, built into items, joints and ports."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from rck.model import Built, Finding, Port, RckError, Robot, Severity, compile_part
from rck.model.origin import Origin
from rck.model.quantities import Quantity, Units
from rck.parts.assets import decode_assets
from rck.parts.datasheet_figures import ELECTRICAL_FIGURES, FIGURES, MODEL_FIGURES, figure_value
from rck.parts.expressions import FUNCTIONS, ExpressionError, substitute
from rck.parts.manifest import Manifest, Parameter, upgrade_ports, upgrade_price
from rck.parts.spec_conversion import convert_part
from rck.support.job import UNOBSERVED, Job
from rck.support.names import did_you_mean
from rck.support.plain_yaml import line_of
from rck.support.typed_yaml import FileError, Strict, convert, parse, read_text
from rck.support.units import UNITS, convert_unit, dimension_of, parse_quantity, split_quantity

_ID = re.compile(r"[a-z0-9][a-z0-9._+-]*(/[a-z0-9][a-z0-9._+-]*)+")


def is_part_id(text: str) -> bool:
    """Return True if a text is an id of a part: vendor or family, slash, name."""
    return _ID.fullmatch(text) is not None


@dataclass(frozen=True, eq=False)
class Part:
    """A built part: items and joints in the frame of the part, and its ports."""

    id: str
    manifest: Manifest
    parameters: Mapping[str, float]
    robot: Robot
    ports: Mapping[str, Port]


@dataclass(frozen=True, eq=False)
class PartFile:
    """A manifest that was read and checked at its default parameters."""

    path: Path
    text: str
    raw: Mapping[str, Any]

    @cached_property
    def manifest(self) -> Manifest:
        """The manifest with the default parameters."""
        return self.filled(self.defaults)

    @cached_property
    def parameters(self) -> Mapping[str, Parameter]:
        """The parameters."""
        raw = {"parameters": self.raw["parameters"]} if "parameters" in self.raw else {}
        parameters = convert(raw, _Parameters, self.text, str(self.path)).parameters
        for name, parameter in parameters.items():
            problem = _parameter_problem(name, parameter)
            if problem:
                raise self.error(problem, "parameters", name)
        return parameters

    @property
    def defaults(self) -> dict[str, float]:
        """The default of each parameter."""
        return {name: parameter.default for name, parameter in self.parameters.items()}

    def filled(self, values: Mapping[str, float]) -> Manifest:
        """Return the manifest with parameter values."""
        known = dict(values)
        raw = {"values": self.raw["values"]} if "values" in self.raw else {}
        try:
            for name, value in convert(raw, _Values, self.text, str(self.path)).values.items():
                if name in known or not _is_name(name):
                    raise self.error(f"a value {_NAMES}, or of a parameter", "values", name)
                known[name] = substitute(value, known, ("values", name))
            data = {
                key: one if key == "parameters" else substitute(one, known, (key,)) for key, one in self.raw.items()
            }
        except ExpressionError as error:
            raise self.error(str(error), *error.keys) from None
        assets = decode_assets(self.path.with_suffix(".assets"))
        manifest = convert(data, Manifest, self.text, str(self.path), assets)
        if not {"source", "sources"} & data.keys():
            raise self.error("required key missing: source or sources")
        if not is_part_id(manifest.part):
            raise self.error(f"{manifest.part!r} is not an id such as robotis/xm540-w270", "part")
        return manifest

    def error(self, message: str, *keys: str | int) -> FileError:
        """Return an error about the value at a path of keys."""
        return FileError(str(self.path), line_of(self.text, keys), keys, message)


class _Parameters(Strict, frozen=True):
    """The parameters of a manifest, which are read first."""

    parameters: dict[str, Parameter] = {}


class _Values(Strict, frozen=True):
    """The values of a manifest, which are computed before the rest is read."""

    values: dict[str, float | str] = {}


_NAMES = "name has letters, digits and _, and is not the name of a function or constant"


def _is_name(name: str) -> bool:
    return name.isidentifier() and name != "pi" and name not in FUNCTIONS


def _parameter_problem(name: str, parameter: Parameter) -> str:
    """Return the reason why a parameter is not valid; empty if it is."""
    if not _is_name(name):
        return f"a parameter {_NAMES}"
    if not parameter.min <= parameter.default <= parameter.max:
        return f"the default {parameter.default:g} is not within {parameter.min:g} to {parameter.max:g}"
    if parameter.step is not None and not parameter.step > 0:
        return f"the step {parameter.step:g} is not greater than zero"
    if parameter.unit and dimension_of(parameter.unit) == "number":
        return (
            f"{parameter.unit!r} is not a unit{did_you_mean(parameter.unit, [u for us in UNITS.values() for u in us])}"
        )
    return ""


def read_part_file(path: Path) -> PartFile:
    """Read the manifest in a file; an error names the file, the line and the path of keys."""
    text = read_text(path)
    raw = parse(text, str(path))
    upgrade_ports(raw)
    upgrade_price(raw)
    return PartFile(path, text, raw)


def choose_parameters(file: PartFile, given: Mapping[str, Quantity], units: Units | None = None) -> dict[str, float]:
    """Return the value of every parameter in its unit: that of the user, else the default.

    A bare number is in `units`, those of the assembly; without any, in the parameter's own unit.
    """
    chosen = file.defaults
    for name, quantity in given.items():
        parameter = file.parameters.get(name)
        if parameter is None:
            known = ", ".join(file.parameters) or "none"
            raise RckError(
                f"{file.raw.get('part')}: there is no parameter {name}{did_you_mean(name, chosen)}; known: {known}"
            )
        chosen[name] = _parameter_value(name, parameter, quantity, units)
    return chosen


def _parameter_value(name: str, parameter: Parameter, quantity: Quantity, units: Units | None) -> float:
    value = _in_own_unit(parameter, quantity, units)
    slack = 1e-9 * max(1.0, abs(parameter.min), abs(parameter.max))
    if not parameter.min - slack <= value <= parameter.max + slack:
        unit = f" {parameter.unit}" if parameter.unit else ""
        raise RckError(f"{name} = {value:g}{unit} is not within {parameter.min:g} to {parameter.max:g}{unit}")
    if parameter.step and abs(value / parameter.step - round(value / parameter.step)) > 1e-6:
        raise RckError(f"{name} = {value:g} is not a multiple of {parameter.step:g}")
    return value


def _in_own_unit(parameter: Parameter, quantity: Quantity, units: Units | None) -> float:
    """Return a quantity as a number of the parameter's own unit."""
    dimension, unit = bare_unit(parameter, units)
    if not isinstance(quantity, str):
        return convert_unit(float(quantity), dimension, unit, parameter.unit)
    if dimension == "number":
        return parse_quantity(quantity, dimension, parameter.unit)
    number, stated = split_quantity(quantity, dimension)
    return convert_unit(number, dimension, stated or unit, parameter.unit)


def bare_unit(parameter: Parameter, units: Units | None) -> tuple[str, str]:
    """Return the dimension of a parameter and the unit of a bare number for it in a file with these units."""
    dimension = dimension_of(parameter.unit)
    return dimension, (units and units.of(dimension)) or parameter.unit


def build_part(file: PartFile, given: Mapping[str, Quantity] | None = None) -> Built[Part]:
    """Build the part with these parameters, numbers in the units of the parameters, or return findings."""
    values = choose_parameters(file, given or {})
    return part_from_manifest(file.filled(values), file.path.parent, values)


def part_from_manifest(
    manifest: Manifest, folder: Path, parameters: Mapping[str, float], job: Job = UNOBSERVED
) -> Built[Part]:
    """Return the part of a filled-in manifest, or findings if it cannot be built.

    Mesh files are looked up in the folder.
    """
    findings = [*_figure_findings(manifest), *_electrical_findings(manifest), *_status_findings(manifest)]
    if findings:
        return Built(None, tuple(findings))
    origin = _origin(manifest, parameters)
    name, mass_status = manifest.part.replace(".", "-"), manifest.status.get("mass", "")
    defined = convert_part(manifest, name, origin, folder, manifest.figures, job, mass_status)
    if defined.value is None:
        return Built(None, defined.findings)
    robot = compile_part(defined.value)
    if robot.value is None:
        return Built(None, (*defined.findings, *robot.findings))
    ports = {port.name: port for port in defined.value.ports}
    return Built(Part(manifest.part, manifest, parameters, robot.value, ports), (*defined.findings, *robot.findings))


def _figure_findings(manifest: Manifest) -> list[Finding]:
    findings = []
    for name, quantity in manifest.figures.items():
        if name not in FIGURES:
            message = f"there is no figure {name}{did_you_mean(name, FIGURES)}"
            fix = "state currents under the key `electrical`" if name.endswith("current") else ""
            findings.append(Finding(704, Severity.ERROR, f"figures.{name}", message, fix))
            continue
        try:
            figure_value(name, quantity)
        except RckError as error:
            findings.append(Finding(704, Severity.ERROR, f"figures.{name}", str(error)))
    return findings


def _electrical_findings(manifest: Manifest) -> list[Finding]:
    stated = [("electrical", manifest.electrical.problems())]
    if manifest.price is not None:
        stated.append(("price", manifest.price.problems()))
    return [
        Finding(704, Severity.ERROR, f"{key}.{name}", message) for key, problems in stated for name, message in problems
    ]


def _status_findings(manifest: Manifest) -> list[Finding]:
    """Return the findings for names of figures that `status` and `sources` do not know."""
    known = [*FIGURES, *ELECTRICAL_FIGURES, *MODEL_FIGURES]
    named = [(f"status.{name}", name) for name in manifest.status]
    named += [
        (f"sources.{number}.figures", name) for number, one in enumerate(manifest.sources) for name in one.figures
    ]
    return [
        Finding(704, Severity.ERROR, where, f"there is no figure {name}{did_you_mean(name, known)}")
        for where, name in named
        if name not in known
    ]


def _origin(manifest: Manifest, parameters: Mapping[str, float]) -> Origin:
    """Return the data of the part for a bill of materials."""
    chosen = ((name, value, manifest.parameters[name].unit) for name, value in parameters.items())
    return Origin(
        manifest.part,
        manifest.name,
        manifest.vendor,
        manifest.price,
        tuple(chosen),
        electrical=manifest.electrical,
    )
