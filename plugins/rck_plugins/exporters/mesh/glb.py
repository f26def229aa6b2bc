"""Write GLB, the binary form of glTF 2.0 (Khronos Group, ISO/IEC 12113): a node per link, in metres.

In glTF, y points up: the root node rotates the robot, whose z axis points up. There are no normals on purpose: readers
must then use flat shading, which suits solids with edges.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from math import tan
from typing import Any

from rck.exporting import (
    ExportLink,
    ExportShape,
    LinkTree,
    MeshAssets,
    PlacedDevice,
    legal_names,
    link_tree,
    loss,
    shapes_of,
)
from rck.exporting.device_data import CAMERAS, DEVICE_FROM_BACKWARD, view_angles
from rck.exporting.file_text import tidy
from rck.geometry.arrays import Floats
from rck.geometry.mesh import Faceted, triangles
from rck.geometry.transforms import rotation_about, to_quaternion, translation
from rck.hooks import Exported, Job, Values
from rck.model import Colour, Device, Robot
from rck.model.colours import to_linear
from rck.model.frame import IDENTITY

Y_UP = (1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1)
"""The matrix of the root node, in column-major order: z becomes y, and y becomes -z."""

NEAREST = 0.001
"""Near clipping distance of cameras whose data sheet has none, in metres; glTF requires a positive number."""

_FLOAT, _SHORT, _INT = 5126, 5123, 5125  # component types
_VERTICES, _INDICES = 34962, 34963  # targets of buffer views
_HEADER = 12  # bytes


def write(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    """Write the robot with its joints at their positions."""
    tree = link_tree(robot)
    shapes = shapes_of(robot)
    job.progress(0.3, "meshes")
    scene = _Scene(tree, shapes, solid=values.get("shapes") == "solid")
    message = "masses, joints and device values are written to `extras`, which most programs ignore"
    return Exported({name: scene.file()}, (loss(name, message),) if robot.items else ())


class _Scene:
    """The contents of a file; equal meshes and materials are written once."""

    def __init__(self, tree: LinkTree, shapes: MeshAssets, *, solid: bool) -> None:
        inner = [name for link in tree.links for name in _names_on(link)]
        (top,) = legal_names([tree.name], taken=inner)
        self._nodes: list[dict[str, Any]] = [{"name": top, "matrix": Y_UP}]
        self._cameras: list[dict[str, Any]] = []
        self._meshes: list[dict[str, Any]] = []
        self._materials: dict[Colour, int] = {}
        self._accessors: list[dict[str, Any]] = []
        self._views: list[dict[str, int]] = []
        self._buffer: list[bytes] = []
        self._size = 0
        self._mesh_of: dict[object, int] = {}
        self._surface_of: dict[bytes, dict[str, Any]] = {}
        node_of_link: list[int] = []
        for link in tree.links:
            parent = 0 if link.parent is None else node_of_link[link.parent]
            node_of_link.append(self._add_link(link, parent, shapes, solid))

    def file(self) -> bytes:
        """Return the bytes of the file."""
        content: dict[str, Any] = {
            "asset": {"version": "2.0", "generator": "RCK", "extras": {"units": "metres, radians, kilograms"}},
            "scene": 0,
            "scenes": [{"nodes": [0]}],
            "nodes": self._nodes,
        }
        if self._cameras:
            content["cameras"] = self._cameras
        if self._meshes:
            content |= {
                "meshes": self._meshes,
                "materials": [_material(colour) for colour in self._materials],
                "accessors": self._accessors,
                "bufferViews": self._views,
                "buffers": [{"byteLength": self._size}],
            }
        text = json.dumps(content, separators=(",", ":")).encode("ascii")
        chunks = [_chunk(b"JSON", text, b" ")]
        if self._meshes:
            chunks.append(_chunk(b"BIN\0", b"".join(self._buffer), b"\0"))
        length = _HEADER + sum(map(len, chunks))
        return b"".join([b"glTF", *(number.to_bytes(4, "little") for number in (2, length)), *chunks])

    def _add_link(self, link: ExportLink, parent: int, shapes: MeshAssets, solid: bool) -> int:
        number = self._add_node(parent, link.name, _current_pose(link))
        self._nodes[number]["extras"] = _extras(link)
        for placed in link.items:
            wanted = [shape for shape in shapes.of_item[placed.number] if (shape.solid if solid else shape.seen)]
            drawn = [shape for shape in wanted if len(shape.surface.face_vertices)]
            if drawn:
                in_place = placed.pose is IDENTITY
                holder = number if in_place else self._add_node(number, f"{link.name}_shape", placed.pose)
                self._nodes[holder]["mesh"] = self._mesh(link.name, drawn)
        for frame in link.frames:
            self._add_node(number, frame.name, frame.pose)
        for placed_device in link.devices:
            self._add_device(number, placed_device)
        return number

    def _add_device(self, parent: int, placed: PlacedDevice) -> None:
        device = placed.device
        camera = _camera(device)
        # Cameras of glTF look along -z.
        pose = placed.pose if camera is None else placed.pose @ DEVICE_FROM_BACKWARD
        node = self._nodes[self._add_node(parent, placed.name, pose)]
        if camera is not None:
            node["camera"] = len(self._cameras)
            self._cameras.append(camera)
        node["extras"] = {"device": device.kind.value, "figures": dict(device.values)}

    def _add_node(self, parent: int, name: str, pose: Floats) -> int:
        node: dict[str, Any] = {"name": name}
        if (pose != IDENTITY).any():
            w, x, y, z = to_quaternion(pose).tolist()
            node |= {"translation": tidy(pose[:3, 3]).tolist(), "rotation": [x, y, z, w]}
        self._nodes.append(node)
        self._nodes[parent].setdefault("children", []).append(len(self._nodes) - 1)
        return len(self._nodes) - 1

    def _mesh(self, name: str, shapes: Sequence[ExportShape]) -> int:
        """Return the number of the mesh of these shapes, each a primitive."""
        primitives = []
        for shape in shapes:
            material = self._materials.setdefault(shape.colour, len(self._materials))
            primitives.append({**self._surface(shape.surface), "material": material})
        key = json.dumps(primitives)
        if key not in self._mesh_of:
            self._mesh_of[key] = len(self._meshes)
            self._meshes.append({"name": name, "primitives": primitives})
        return self._mesh_of[key]

    def _surface(self, surface: Faceted) -> Mapping[str, Any]:
        """Return the accessors of a surface."""
        points = surface.vertices.astype("<f4")
        few = len(points) < 0xFFFF
        corners = triangles(surface).astype("<u2" if few else "<u4")
        key = b"%d;" % len(points) + points.tobytes() + corners.tobytes()
        if key not in self._surface_of:
            position = self._accessor(points.tobytes(), _VERTICES, _FLOAT, len(points), "VEC3")
            self._accessors[position] |= {"min": points.min(axis=0).tolist(), "max": points.max(axis=0).tolist()}
            kind = _SHORT if few else _INT
            index = self._accessor(corners.tobytes(), _INDICES, kind, corners.size, "SCALAR")
            self._surface_of[key] = {"attributes": {"POSITION": position}, "indices": index}
        return self._surface_of[key]

    def _accessor(self, data: bytes, target: int, component: int, count: int, shape: str) -> int:
        view = {"buffer": 0, "byteOffset": self._size, "byteLength": len(data), "target": target}
        self._views.append(view)
        self._buffer.append(_padded(data, b"\0"))
        self._size += len(self._buffer[-1])
        self._accessors.append(
            {"bufferView": len(self._views) - 1, "componentType": component, "count": count, "type": shape}
        )
        return len(self._accessors) - 1


def _names_on(link: ExportLink) -> Iterator[str]:
    yield link.name
    yield from (placed.name for placed in link.frames)
    yield from (placed.name for placed in link.devices)


def _current_pose(link: ExportLink) -> Floats:
    """Return parent from link with the joint at its position. Shape (4, 4)."""
    joint = link.mover
    if joint is None or joint.position == 0.0:
        return link.pose
    if joint.kind.turns:
        return link.pose @ rotation_about(link.axis, joint.position, link.anchor)
    return link.pose @ translation(joint.position * link.axis)


def _extras(link: ExportLink) -> dict[str, Any]:
    extras: dict[str, Any] = {"mass": link.mass_properties.mass}
    if (joint := link.mover) is not None:
        extras["joint"] = {
            "name": link.joint_name,
            "kind": joint.kind.value,
            "axis": tidy(link.axis).tolist(),
            "anchor": tidy(link.anchor).tolist(),
            "position": joint.position,
        }
        if joint.limits is not None:
            extras["joint"] |= {"lower": joint.limits.lower, "upper": joint.limits.upper}
    return extras


def _camera(device: Device) -> dict[str, Any] | None:
    """Return the glTF camera of a device; None if it is no camera, or its field of view is not known."""
    width, height = view_angles(device)
    if device.kind not in CAMERAS or height is None:
        return None
    lens = {"yfov": height, "znear": device.values.get("min-range") or NEAREST}
    if width is not None:
        lens["aspectRatio"] = tan(width / 2) / tan(height / 2)
    if (far := device.values.get("max-range", 0.0)) > lens["znear"]:
        lens["zfar"] = far
    return {"type": "perspective", "perspective": lens}


def _material(colour: Colour) -> dict[str, Any]:
    *tint, opacity = to_linear(colour)
    linear = [round(channel, 6) for channel in tint]
    material: dict[str, Any] = {
        "pbrMetallicRoughness": {
            "baseColorFactor": [*linear, round(opacity, 6)],
            "metallicFactor": 0.0,
            "roughnessFactor": 0.6,
        },
        "doubleSided": True,
    }
    return material if opacity == 1.0 else material | {"alphaMode": "BLEND"}


def _chunk(kind: bytes, data: bytes, padding: bytes) -> bytes:
    padded = _padded(data, padding)
    return len(padded).to_bytes(4, "little") + kind + padded


def _padded(data: bytes, padding: bytes) -> bytes:
    return data + padding * (-len(data) % 4)
