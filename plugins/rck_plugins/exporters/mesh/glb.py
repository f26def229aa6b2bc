"""Write GLB, the binary form of glTF 2.0 (Khronos Group, ISO/IEC 12113): a node per link, in metres.

In glTF, y points up: the root node rotates the robot, whose z axis points up. There are no normals on purpose: readers
must then use flat shading, which suits solids with edges.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from math import tan
from typing import Any

import numpy as np

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
from rck.geometry.mesh import Faceted, Mesh, triangles
from rck.geometry.transforms import rotation_about, to_quaternion, translation
from rck.hooks import Exported, Job, Values
from rck.model import Colour, Device, Robot, Texture, Visual
from rck.model.colours import to_linear
from rck.model.frame import IDENTITY

Y_UP = (1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1)
"""The matrix of the root node, in column-major order: z becomes y, and y becomes -z."""

NEAREST = 0.001
"""Near clipping distance of cameras whose data sheet has none, in metres; glTF requires a positive number."""

_FLOAT, _SHORT, _INT = 5126, 5123, 5125  # component types
_VERTICES, _INDICES = 34962, 34963  # targets of buffer views
_REPEAT = 10497
_HEADER = 12  # bytes

_Finish = tuple[Colour, int | None, float | None, float | None]
"""The colour, the number of the image, the roughness and the metalness of a material."""


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
        self._materials: dict[_Finish, dict[str, Any]] = {}
        self._images: dict[bytes, int] = {}
        self._image_list: list[dict[str, Any]] = []
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
                "materials": list(self._materials.values()),
                "accessors": self._accessors,
                "bufferViews": self._views,
                "buffers": [{"byteLength": self._size}],
            }
        if self._image_list:
            content |= {
                "images": self._image_list,
                "samplers": [{"wrapS": _REPEAT, "wrapT": _REPEAT}],
                "textures": [{"source": number, "sampler": 0} for number in range(len(self._image_list))],
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
            source = shape.source if isinstance(shape.source, Visual) else None
            points = None if source is None or source.texture is None else source.texture_points
            primitives.append({**self._surface(shape.surface, points), "material": self._material(shape, points)})
        key = json.dumps(primitives)
        if key not in self._mesh_of:
            self._mesh_of[key] = len(self._meshes)
            self._meshes.append({"name": name, "primitives": primitives})
        return self._mesh_of[key]

    def _material(self, shape: ExportShape, points: Floats | None) -> int:
        """Return the number of the material of a shape; only a shape with texture points shows its texture."""
        source = shape.source if isinstance(shape.source, Visual) else None
        image = None
        if source is not None and source.texture is not None and points is not None:
            image = self._image(source.texture)
        key = (shape.colour, image, *((None, None) if source is None else (source.roughness, source.metallic)))
        if key not in self._materials:
            self._materials[key] = _material(*key)
        return list(self._materials).index(key)

    def _image(self, texture: Texture) -> int:
        if texture.content not in self._images:
            self._images[texture.content] = len(self._image_list)
            kind = "image/png" if texture.content.startswith(b"\x89PNG") else "image/jpeg"
            view = self._view(texture.content)
            self._image_list.append({"bufferView": view, "mimeType": kind, "name": texture.name})
        return self._images[texture.content]

    def _surface(self, surface: Faceted, points: Floats | None) -> Mapping[str, Any]:
        """Return the accessors of a surface; `points` are those of its corners in an image. Shape (corners, 2)."""
        places, images = surface.vertices, None
        corners = triangles(surface)
        if points is not None:
            # A vertex of glTF has one point in the image.
            pairs = np.column_stack([surface.face_vertices, points])
            unique, number = np.unique(pairs, axis=0, return_inverse=True)
            places = surface.vertices[unique[:, 0].astype(np.int64)]
            # In glTF the first row of the image is at 0.
            images = np.column_stack([unique[:, 1], 1.0 - unique[:, 2]]).astype("<f4")
            corners = triangles(Mesh(places, surface.face_offsets, number.reshape(-1).astype(np.int64)))
        positions = places.astype("<f4")
        few = len(positions) < 0xFFFF
        indices = corners.astype("<u2" if few else "<u4")
        flat = b"" if images is None else images.tobytes()
        key = b"%d;%d;" % (len(positions), len(flat)) + positions.tobytes() + flat + indices.tobytes()
        if key not in self._surface_of:
            position = self._accessor(positions.tobytes(), _VERTICES, _FLOAT, len(positions), "VEC3")
            self._accessors[position] |= {"min": positions.min(axis=0).tolist(), "max": positions.max(axis=0).tolist()}
            attributes = {"POSITION": position}
            if images is not None:
                attributes["TEXCOORD_0"] = self._accessor(flat, _VERTICES, _FLOAT, len(images), "VEC2")
            kind = _SHORT if few else _INT
            index = self._accessor(indices.tobytes(), _INDICES, kind, indices.size, "SCALAR")
            self._surface_of[key] = {"attributes": attributes, "indices": index}
        return self._surface_of[key]

    def _accessor(self, data: bytes, target: int, component: int, count: int, shape: str) -> int:
        view = self._view(data, target=target)
        self._accessors.append({"bufferView": view, "componentType": component, "count": count, "type": shape})
        return len(self._accessors) - 1

    def _view(self, data: bytes, **more: int) -> int:
        self._views.append({"buffer": 0, "byteOffset": self._size, "byteLength": len(data), **more})
        self._buffer.append(_padded(data, b"\0"))
        self._size += len(self._buffer[-1])
        return len(self._views) - 1


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


def _material(colour: Colour, image: int | None, roughness: float | None, metallic: float | None) -> dict[str, Any]:
    *tint, opacity = to_linear(colour)
    linear = [round(channel, 6) for channel in tint]
    surface: dict[str, Any] = {
        "baseColorFactor": [*linear, round(opacity, 6)],
        "metallicFactor": 0.0 if metallic is None else metallic,
        "roughnessFactor": 0.6 if roughness is None else roughness,
    }
    if image is not None:
        surface["baseColorTexture"] = {"index": image}
    material: dict[str, Any] = {"pbrMetallicRoughness": surface, "doubleSided": True}
    return material if opacity == 1.0 else material | {"alphaMode": "BLEND"}


def _chunk(kind: bytes, data: bytes, padding: bytes) -> bytes:
    padded = _padded(data, padding)
    return len(padded).to_bytes(4, "little") + kind + padded


def _padded(data: bytes, padding: bytes) -> bytes:
    return data + padding * (-len(data) % 4)
