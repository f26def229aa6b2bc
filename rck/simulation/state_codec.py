"""Encoding of simulation states as JSON values, derived from the types of the fields."""

import base64
import zlib
from collections.abc import Mapping
from copy import copy
from dataclasses import fields, is_dataclass
from functools import cache
from math import isfinite, prod
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from rck.geometry.arrays import frozen
from rck.hooks.actions import Action
from rck.simulation.actions import ACTION_TYPES
from rck.simulation.events import Event
from rck.simulation.kinematic_state import NO_OBJECT
from rck.simulation.sensors import SensorRecord, SensorUnit
from rck.simulation.simulation import Simulation

_LARGEST = 1 << 28
"""Largest size of an array, in bytes."""


class StateError(ValueError):
    """A value of a state file has the wrong type."""


class StateCodec:
    """Encoder and decoder for the states of one simulation.

    Items, objects and joints are written by name, arrays exactly, and each event once: everything else refers to
    events by their index in `events`.
    """

    def __init__(self, simulation: Simulation) -> None:
        self.events: list[Event] = []
        self._index: dict[int, int] = {}
        self._sensors = simulation.sensors
        self._names: Mapping[str, list[str]] = {
            "item": [item.name for item in simulation.robot.items],
            "object": [thing.name for thing in simulation.kinematics.objects],
            "joint": list(simulation.kinematics.arrays.joint_names),
        }

    def index_of(self, event: Event) -> int:
        """Return the index of an event, which is added if it is new."""
        if id(event) not in self._index:
            self._index[id(event)] = len(self.events)
            self.events.append(event)
        return self._index[id(event)]

    def encode_events(self) -> list[Any]:
        """Return the events, in the order of their indexes."""
        return [self._encode_fields(event) for event in self.events]

    def decode_events(self, data: list[Any]) -> None:
        """Read the events to which the other values refer."""
        self.events = [self._decode_fields(row, Event) for row in data]

    def encode(self, value: Any, hint: Any) -> Any:
        """Return a value as JSON can hold it."""
        if hint is Event:
            return self.index_of(value)
        if isinstance(value, Action):
            return {"kind": type(value).__name__, **self._encode_fields(value)}
        if isinstance(value, SensorUnit):
            return self._encode_fields(value.record())
        if is_dataclass(hint):
            return self._encode_fields(value)
        if hint is float and not isfinite(value):
            return str(value)
        origin, inner = get_origin(hint), get_args(hint)
        if origin is Annotated:
            return self._encode_named(value, inner[1])
        if origin is np.ndarray:
            return _pack(value)
        if origin in (Union, UnionType):
            (other,) = (each for each in inner if each is not NoneType)
            return None if value is None else self.encode(value, other)
        if origin is dict:
            pairs = [(self.encode(key, inner[0]), self.encode(each, inner[1])) for key, each in value.items()]
            return dict(pairs) if all(isinstance(key, str) for key, _ in pairs) else [list(pair) for pair in pairs]
        if origin is tuple and inner[-1] is not Ellipsis:
            return [self.encode(each, one) for each, one in zip(value, inner, strict=True)]
        if origin in (tuple, list, set):
            encoded = [self.encode(each, inner[0]) for each in value]
            return sorted(encoded) if origin is set else encoded
        return value

    def decode(self, data: Any, hint: Any) -> Any:
        """Return the value that :meth:`encode` wrote."""
        if hint is Event:
            if not 0 <= _plain(data, int) < len(self.events):
                raise StateError(f"there is no event {data}")
            return self.events[data]
        if isinstance(hint, type) and issubclass(hint, Action):
            return self._decode_action(data)
        if hint is SensorUnit:
            record = self._decode_fields(data, SensorRecord)
            sensor = copy(self._sensors[record.name])
            sensor.recall(record)
            return sensor
        if is_dataclass(hint):
            return self._decode_fields(data, hint)
        if hint in (float, int, str, bool):
            return _plain(data, hint)
        origin, inner = get_origin(hint), get_args(hint)
        if origin is Annotated:
            return self._decode_named(data, inner[1])
        if origin is np.ndarray:
            return _unpack(data)
        if origin in (Union, UnionType):
            (other,) = (each for each in inner if each is not NoneType)
            return None if data is None else self.decode(data, other)
        if origin is dict:
            pairs = data.items() if isinstance(data, dict) else _plain(data, list)
            return {self.decode(key, inner[0]): self.decode(each, inner[1]) for key, each in pairs}
        if origin is tuple and inner[-1] is not Ellipsis:
            return tuple(self.decode(each, one) for each, one in zip(_plain(data, list), inner, strict=True))
        if origin in (tuple, list, set):
            return origin(self.decode(each, inner[0]) for each in _plain(data, list))
        if origin is Literal and data not in inner:
            raise StateError(f"{data!r} is not one of {', '.join(map(str, inner))}")
        return data

    def _encode_fields(self, value: Any) -> dict[str, Any]:
        kind: Any = type(value)
        return {name: self.encode(getattr(value, name), hint) for name, hint in _hints(kind).items()}

    def _decode_fields(self, data: dict[str, Any], kind: Any) -> Any:
        given = _plain(data, dict)
        missing = [name for name in _hints(kind) if name not in given]
        if missing:
            raise StateError(f"{kind.__name__} has no {missing[0]}")
        return kind(**{name: self.decode(given[name], hint) for name, hint in _hints(kind).items()})

    def _decode_action(self, data: dict[str, Any]) -> Action:
        kinds = {kind.__name__: kind for kind in ACTION_TYPES}
        kind = _plain(data, dict).get("kind")
        if kind not in kinds:
            raise StateError(f"there is no action {kind!r}")
        action: Action = self._decode_fields(data, kinds[kind])
        return action

    def _encode_named(self, value: Any, label: str) -> Any:
        names = self._names[label.removeprefix("by ")]
        if label.startswith("by "):
            return dict(zip(names, value.tolist(), strict=True))
        if isinstance(value, np.ndarray):
            return [names[index] for index in value.tolist()]
        return "" if value == NO_OBJECT else names[value]

    def _decode_named(self, data: Any, label: str) -> Any:
        names = self._names[label.removeprefix("by ")]
        if label.startswith("by "):
            values = np.array([_plain(data, dict)[name] for name in names], dtype=float)
            values = values.reshape(len(names), *(() if label == "by joint" else (4, 4)))
            if not np.isfinite(values).all():
                raise StateError(f"the values {label} are not finite numbers")
            return frozen(values)
        if isinstance(data, list):
            return np.array([names.index(name) for name in data], dtype=np.int64)
        return names.index(data) if data else NO_OBJECT


@cache
def _hints(kind: Any) -> dict[str, Any]:
    """Return the types of the fields of a dataclass, without those that it computes itself."""
    hints = get_type_hints(kind, include_extras=True)
    return {each.name: hints[each.name] for each in fields(kind) if each.init}


def _pack(array: NDArray[Any]) -> list[Any]:
    content = zlib.compress(np.ascontiguousarray(array).tobytes())
    return [array.dtype.str, list(array.shape), base64.b64encode(content).decode()]


def _unpack(data: list[Any]) -> NDArray[Any]:
    name, shape, content = _plain(data, list)
    dtype = np.dtype(_plain(name, str))
    count = prod(_plain(size, int) for size in shape)
    if dtype.kind not in "biuf" or min(shape, default=0) < 0 or count * dtype.itemsize > _LARGEST:
        raise StateError(f"there is no array of type {name} and shape {shape}")
    # One byte more than the array has, to notice a longer content.
    raw = zlib.decompressobj().decompress(base64.b64decode(content), count * dtype.itemsize + 1)
    return np.frombuffer(raw, dtype=dtype).reshape(shape).copy()


def _plain(data: Any, kind: Any) -> Any:
    """Return a value of JSON that must be of a type; numbers that JSON does not have are texts."""
    if kind is float and (type(data) is int or data in ("inf", "-inf", "nan")):
        return float(data)
    # A number of more bits does not fit into an array.
    if type(data) is not kind or (kind is int and abs(data) >= 1 << 63):
        raise StateError(f"{data!r:.40} is not a {kind.__name__}")
    return data
