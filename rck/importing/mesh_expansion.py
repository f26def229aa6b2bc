"""Estimates of what a mesh file expands to, made before a library reads it: instances of objects, and memory."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rck.importing.assets import Unavailable
from rck.importing.import_options import ImportLimits
from rck.importing.work_budget import memory_limit
from rck.importing.xml_file import scan_xml

_BYTES_PER_ELEMENT = 400
"""Memory of an XML element in the libraries."""
_CHECKED = 0xFFFF
"""The number of elements is checked whenever these bits are zero."""
_COPIES = 4
"""Number of copies of an array while a file is read."""
_COMPONENTS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16}
_SIZES = {5120: 1, 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4}
"""Sizes of the component types of glTF, in bytes (specification 2.0, section 3.6.2.2)."""
_UNCOUNTABLE = 10**15
"""Bytes from which an amount is not written out."""
_GLB_HEAD = 20


class ObjectCount:
    """Objects of a file that contain other objects, possibly many times."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._own: dict[str, int] = {}
        self._inner: dict[str, list[str]] = {}

    def add(self, name: str, own: int = 0, inner: Iterable[str] = ()) -> None:
        """Add meshes and contained objects to an object."""
        self._own[name] = self._own.get(name, 0) + own
        self._inner.setdefault(name, []).extend(inner)

    def total(self, roots: Iterable[str]) -> int:
        """Return the number of meshes after expansion; one more than the limit for cycles and larger numbers."""
        counted: dict[str, int] = {}
        for root in roots:
            self._count(root, counted)
        return min(sum(counted.get(root, 0) for root in roots), self._most + 1)

    def _count(self, root: str, counted: dict[str, int]) -> None:
        # Not recursive: files can nest deeper than Python's stack.
        under_way: set[str] = set()
        waiting = [root]
        while waiting:
            name = waiting[-1]
            if name in counted:
                waiting.pop()
                continue
            inner = self._inner.get(name, [])
            missing = [one for one in dict.fromkeys(inner) if one not in counted]
            if not missing:
                number = self._own.get(name, 0) + sum(counted[one] for one in inner)
                counted[name] = min(number, self._most + 1)
                under_way.discard(name)
                waiting.pop()
            elif name in under_way:
                counted[name] = self._most + 1
            else:
                under_way.add(name)
                waiting += missing


def refuse_expansion_of_gltf(data: bytes, kind: str, name: str, limits: ImportLimits) -> None:
    """Refuse a glTF file whose arrays or nodes take more than the limits; leave invalid files to the reader."""
    try:
        document = json.loads(data if kind == "gltf" else _json_of_glb(data))
        size = sum(_accessor_size(one) for one in document.get("accessors", ()))
        meshes = sum("mesh" in node for node in document.get("nodes", ()))
    except (ValueError, TypeError, AttributeError, RecursionError):
        return
    _refuse_memory(size * _COPIES, len(data), name, limits)
    _refuse_objects(meshes, name, limits)


def _json_of_glb(data: bytes) -> bytes:
    return data[_GLB_HEAD : _GLB_HEAD + int.from_bytes(data[12:16], "little")]


def _accessor_size(accessor: Mapping[str, Any]) -> int:
    each = _COMPONENTS.get(accessor.get("type", ""), 1) * _SIZES.get(accessor.get("componentType", 0), 4)
    return max(int(accessor.get("count", 0)), 0) * each


def refuse_expansion_of_collada(data: bytes, name: str, limits: ImportLimits) -> None:
    """Refuse a COLLADA file with more elements or instances than the limits."""
    count = ObjectCount(limits.objects)
    holders = [""]
    scenes: list[str] = []
    elements = 0

    def start(tag: str, attributes: Mapping[str, str]) -> None:
        nonlocal elements
        elements += 1
        if not elements & _CHECKED:
            _refuse_memory(elements * _BYTES_PER_ELEMENT, len(data), name, limits)
        kind = tag.rpartition(":")[2]
        if kind in ("node", "visual_scene"):
            own = f"#{attributes.get('id') or f' {elements}'}"
            count.add(holders[-1], inner=(own,))
            holders.append(own)
            if kind == "visual_scene":
                scenes.append(own)
        elif kind == "instance_node":
            count.add(holders[-1], inner=(attributes.get("url", ""),))
        elif kind in ("instance_geometry", "instance_controller"):
            count.add(holders[-1], own=1)

    def end(tag: str) -> None:
        if tag.rpartition(":")[2] in ("node", "visual_scene"):
            holders.pop()

    scan_xml(data, name, start, end)
    _refuse_memory(elements * _BYTES_PER_ELEMENT + len(data) * _COPIES, len(data), name, limits)
    _refuse_objects(count.total(scenes), name, limits)


def refuse_expansion_of_3mf(models: Sequence[bytes], packed: int, name: str, limits: ImportLimits) -> None:
    """Refuse the models of a 3MF file, of `packed` bytes, with more elements or components than the limits."""
    count = ObjectCount(limits.objects)
    roots: list[str] = []
    elements = 0
    holder = ""

    def start(tag: str, attributes: Mapping[str, str]) -> None:
        nonlocal elements, holder
        elements += 1
        if not elements & _CHECKED:
            _refuse_memory(elements * _BYTES_PER_ELEMENT, packed, name, limits)
        kind = tag.rpartition(":")[2]
        if kind == "object":
            holder = attributes.get("id", "")
        elif kind == "mesh":
            count.add(holder, own=1)
        elif kind == "component":
            count.add(holder, inner=(attributes.get("objectid", ""),))
        elif kind == "item":
            roots.append(attributes.get("objectid", ""))

    for model in models:
        scan_xml(model, name, start)
    _refuse_memory(elements * _BYTES_PER_ELEMENT, packed, name, limits)
    _refuse_objects(count.total(roots), name, limits)


def _refuse_memory(needed: int, size: int, name: str, limits: ImportLimits) -> None:
    most = memory_limit(limits, size)
    if needed > most:
        # Damaged files may announce more than a float can hold.
        about = f"about {needed / 1e6:.0f} MB" if needed < _UNCOUNTABLE else f"more than {_UNCOUNTABLE / 1e6:.0e} MB"
        message = f"{name} needs {about} of memory, more than the limit of {most / 1e6:.0f} MB"
        raise Unavailable(message, "raise it with the option most-memory", code=509)


def _refuse_objects(number: int, name: str, limits: ImportLimits) -> None:
    if number > limits.objects:
        message = f"{name} has more than {limits.objects} objects"
        raise Unavailable(message, "raise the limit with the option most-objects", code=509)
