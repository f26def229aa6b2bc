"""The contents of a USD file: prims with their attributes, in metres and kilograms, z up."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import isnan
from typing import Any

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.transforms import from_euler, scaling
from rck.importing.file_errors import NotOfFormat, refused
from rck.model import Texture
from rck_importers.usd.own_data import own_data


@dataclass(frozen=True, slots=True)
class Units:
    """The units of a stage, in SI units. Angles are in degrees."""

    metres: float = 1.0
    kilograms: float = 1.0

    def effort(self, turns: bool) -> float:
        """Return the unit of a torque or a force."""
        return self.kilograms * self.metres * (self.metres if turns else 1.0)

    def inertia(self, turns: bool) -> float:
        """Return the unit of an inertia or a mass."""
        return self.kilograms * (self.metres**2 if turns else 1.0)

    def travel(self, turns: bool) -> float:
        """Return the unit of a position, in radians or metres."""
        return float(np.pi / 180) if turns else self.metres


@dataclass(frozen=True, eq=False)
class Prim:
    """An element of a stage."""

    path: str
    type: str
    apis: tuple[str, ...]
    """The applied schemas, with the names of their instances."""
    name: str
    """The name that the file displays, or the last part of the path."""
    matrix: Floats
    """World from prim, in metres with z up; it may scale. Shape (4, 4)."""
    purpose: str
    visible: bool
    values: Mapping[str, Any]
    """The attributes that the file has, by name."""
    types: Mapping[str, str]
    exact: Mapping[str, Any]
    """The same values in double precision, where RCK wrote the file."""
    targets: Mapping[str, Sequence[str]]
    material: str
    physics_material: str
    members: Sequence[str]
    """The paths in a collision group."""
    rck: Mapping[str, Any]
    """Data that RCK wrote for itself."""
    source: str
    """The path that is equal for all instances of a prototype."""
    file: str

    @property
    def where(self) -> str:
        """File and path, for messages."""
        return f"{self.file}:{self.path}"

    @property
    def parent(self) -> str:
        """The path of the prim that contains it; empty at the top."""
        return self.path.rpartition("/")[0]

    def has(self, api: str) -> bool:
        """Return True if a schema is applied, perhaps with an instance."""
        return any(one == api or one.startswith(f"{api}:") for one in self.apis)

    def instances(self, api: str) -> list[str]:
        """Return the names of the instances of a schema."""
        return [one.partition(":")[2] for one in self.apis if one.startswith(f"{api}:")]

    def number(self, name: str, default: float) -> float:
        """Return an attribute as a number, which may be infinite."""
        value = self._value(name)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, (int, float)) or isnan(value):
            raise self.refusal(f"{name} is not a number")
        return float(value)

    def numbers(self, name: str, count: int) -> Floats | None:
        """Return an attribute as `count` finite numbers; None if the file does not have it."""
        value = self._value(name)
        if value is None:
            return None
        numbers = np.asarray(value, dtype=float).ravel()
        if len(numbers) != count or np.isnan(numbers).any():
            raise self.refusal(f"{name} is not a list of {count} numbers")
        return numbers

    def text(self, name: str, default: str = "") -> str:
        """Return an attribute as text."""
        value = self.values.get(name)
        return value if isinstance(value, str) else default

    def flag(self, name: str, default: bool) -> bool:
        """Return an attribute as a truth value."""
        value = self.values.get(name)
        return default if value is None else bool(value)

    def target(self, name: str) -> str:
        """Return the first target of a relationship; empty if it has none."""
        return next(iter(self.targets.get(name, ())), "")

    def refusal(self, message: str, *, code: int = 104, fix: str = "") -> NotOfFormat:
        """Return an error located at this prim."""
        return refused(self.where, message, code=code, fix=fix)

    def _value(self, name: str) -> Any:
        """Return an attribute, in double precision if that still agrees with what other programs read."""
        value, exact = self.values.get(name), self.exact.get(name)
        if exact is None or value is None:
            return value
        try:
            is_same = np.array_equal(np.asarray(exact, dtype=np.float32), np.asarray(value, dtype=np.float32))
        except (TypeError, ValueError):
            return value
        return exact if is_same else value


@dataclass(frozen=True, slots=True)
class Image:
    """An image that a material refers to, or the reason why it is missing."""

    name: str
    content: bytes
    problem: str


@dataclass(frozen=True, eq=False)
class Stage:
    """The prims of a file in their order, with its materials and images."""

    file: str
    units: Units
    default: str
    """The name of the prim that other files refer to; empty if there is none."""
    prims: tuple[Prim, ...]
    world: Floats
    """World from stage, in metres with z up. Shape (4, 4)."""
    materials: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """By path: name, shader and inputs."""
    images: Mapping[str, Image] = field(default_factory=dict)
    missing: Sequence[Sequence[str]] = ()
    """Files that do not exist, each with the file that refers to it."""
    is_animated: bool = False

    @cached_property
    def by_path(self) -> Mapping[str, Prim]:
        """The prims by path."""
        return {prim.path: prim for prim in self.prims}

    @cached_property
    def children(self) -> Mapping[str, Sequence[Prim]]:
        """The prims below each path, empty at the top."""
        found: dict[str, list[Prim]] = {}
        for prim in self.prims:
            found.setdefault(prim.parent, []).append(prim)
        return found

    def ancestors(self, path: str) -> Iterator[Prim]:
        """Yield the prim at a path and those that contain it, the innermost first."""
        while path:
            if path in self.by_path:
                yield self.by_path[path]
            path = path.rpartition("/")[0]

    def texture(self, key: str) -> Texture | None:
        """Return an image; None if it could not be read."""
        image = self.images[key]
        return Texture(image.name, image.content) if image.content else None


def stage_of(found: Mapping[str, Any], file: str) -> Stage:
    """Return the stage that :func:`rck_importers.usd.stage_reader.read_stage` found."""
    metres, kilograms = float(found["metres"]), float(found["kilograms"])
    if not (0 < metres < 1e6 and 0 < kilograms < 1e9):
        message = f"the units of {metres:g} m and {kilograms:g} kg are not possible"
        raise refused(file, message, code=104, fix="correct metersPerUnit and kilogramsPerUnit")
    turn = from_euler((np.pi / 2, 0.0, 0.0)) if found["up"] == "Y" else np.eye(4)
    world_from_stage = np.round(turn) @ scaling(metres)
    arrays = found["arrays"]
    prims = tuple(_prim(one, world_from_stage, arrays, file) for one in found["prims"])
    images = {key: Image(one["name"], bytes(one["content"]), one["problem"]) for key, one in found["textures"].items()}
    return Stage(
        file,
        Units(metres, kilograms),
        found["default"],
        prims,
        world_from_stage,
        found["materials"],
        images,
        found["missing"],
        any(one["moving"] for one in found["prims"]),
    )


def _prim(found: Mapping[str, Any], world_from_stage: Floats, arrays: Mapping[str, Any], file: str) -> Prim:
    values = {
        name: arrays[value["array"]] if isinstance(value, dict) and "array" in value else value
        for name, value in found["values"].items()
    }
    path = found["path"]
    # USD multiplies row vectors with matrices.
    matrix = world_from_stage @ np.array(found["matrix"], dtype=float).T
    if not np.isfinite(matrix).all():
        raise refused(f"{file}:{path}", "the transform has a number that is not finite", code=101)
    return Prim(
        path,
        found["type"],
        tuple(found["apis"]),
        _name(found),
        matrix,
        found["purpose"],
        found["visible"],
        values,
        found["types"],
        found["exact"],
        found["targets"],
        found.get("material", ""),
        found.get("physics_material", ""),
        found.get("members", ()),
        own_data(found["rck"]),
        found["source"],
        file,
    )


def _name(found: Mapping[str, Any]) -> str:
    own = found["values"].get("isaac:nameOverride") or found["display"]
    return own if isinstance(own, str) and own.strip() else found["path"].rpartition("/")[2]


def unique_names(prims: Sequence[Prim]) -> dict[str, str]:
    """Return a name for each path: that of the prim; if prims share one, the end of their paths that differs."""
    names = {prim.path: prim.name for prim in prims}
    depth = dict.fromkeys(names, 0)
    while True:
        shared: dict[str, list[str]] = {}
        for path, name in names.items():
            shared.setdefault(name, []).append(path)
        clashes = [path for paths in shared.values() if len(paths) > 1 for path in paths]
        longer = [path for path in clashes if depth[path] < path.count("/")]
        if not longer:
            return names
        for path in longer:
            depth[path] += 1
            names[path] = "/".join(path.split("/")[-depth[path] :])
