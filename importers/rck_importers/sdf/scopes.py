"""Frames of an SDF file: each model is a scope of names, and a pose may be relative to any named frame.

See the specification, "Pose Frame Semantics" (http://sdformat.org/tutorials?tut=pose_frame_semantics).
"""

from dataclasses import dataclass, field
from math import radians

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.transforms import from_quaternion, identity, invert, translation
from rck.importing.robot_reader import Reading, pose_of
from rck.importing.xml_file import Element

DEEPEST = 100
"""Maximum nesting depth of models."""


@dataclass(frozen=True, eq=False)
class ScopeEntry:
    """Named frame of a scope: a link, a joint, or an explicit frame."""

    element: Element
    pose: Floats
    relative_to: str
    """Frame that the pose is given in; empty for the frame of the scope."""
    attached_to: str
    """Frame that it moves with; itself for a link."""


@dataclass(eq=False)
class Scope:
    """Model or world, with its named frames and models."""

    name: str
    path: str
    """Names of the enclosing models and its own, separated by /; empty for the outermost."""
    element: Element
    reading: Reading
    """Reading context of the file that defines it."""
    version: tuple[int, ...]
    parent: "Scope | None" = None
    pose: Floats = field(default_factory=identity)
    """In the frame that `relative_to` names in the parent."""
    relative_to: str = ""
    placement_frame: str = ""
    static: bool = False
    merged: bool = False
    """True if its names belong to the parent, as with an include that merges."""
    entries: dict[str, ScopeEntry] = field(default_factory=dict)
    models: "dict[str, Scope]" = field(default_factory=dict)

    def full_name(self, name: str) -> str:
        """Return the name, prefixed with those of the enclosing models."""
        return f"{self.path}/{name}" if self.path else name


def merged_scope(scope: Scope, name: str) -> Scope | None:
    """Return the merged model of a scope that has the name, or in which the first part of a nested name is a model."""
    inner = name.partition("::")[0]
    for model in scope.models.values():
        if model.merged and (name in model.entries or inner in model.models or merged_scope(model, name)):
            return model
    return None


def text_of(element: Element, tag: str, default: str = "") -> str:
    """Return the text of the first child with that tag."""
    child = element.first(tag)
    return default if child is None else child.text.strip() or default


def number_of(element: Element, tag: str, default: float) -> float:
    """Return the number in the first child with that tag; `inf` is allowed."""
    child = element.first(tag)
    if child is None or not child.text.strip():
        return default
    said = child.text.strip().lower()
    if said in ("inf", "+inf", "-inf", "infinity", "-infinity"):
        return float(said)
    return child.one_of(said, tag)


def pose_element(element: Element) -> tuple[Floats, str]:
    """Return the pose of an element, and the name of the frame that it is relative to."""
    pose = element.first("pose")
    if pose is None:
        return identity(), ""
    relative_to = pose.get("relative_to") or pose.get("frame")
    if not pose.text.strip():
        return identity(), relative_to
    if pose.get("rotation_format") == "quat_xyzw":
        numbers = pose.numbers_of(pose.text, "pose", 7)
        x, y, z, w = numbers[3:].tolist()
        if not np.linalg.norm(numbers[3:]) > 1e-12:
            raise pose.refusal("the quaternion of the pose is zero", code=104)
        return translation(numbers[:3]) @ from_quaternion((w, x, y, z)), relative_to
    numbers = pose.numbers_of(pose.text, "pose", 6)
    turns = np.array([radians(angle) for angle in numbers[3:]]) if pose.get("degrees") == "true" else numbers[3:]
    return pose_of(numbers[:3], turns), relative_to


def world_from_scope(scope: Scope) -> Floats:
    """Return the pose of a model frame in the world. Shape (4, 4)."""
    poses = []
    here: Scope | None = scope
    while here is not None:
        poses.append(_parent_from_scope(here))
        here = here.parent
    world = identity()
    for pose in reversed(poses):
        world = world @ pose
    return world


def _parent_from_scope(scope: Scope) -> Floats:
    base = identity()
    if scope.parent is not None and scope.relative_to:
        base = scope_from_frame(scope.parent, scope.relative_to, scope.element)
    pose = base @ scope.pose
    if scope.placement_frame:
        # The pose is that of the placement frame, not of the model frame.
        pose = pose @ invert(scope_from_frame(scope, scope.placement_frame, scope.element))
    return pose


def scope_from_frame(scope: Scope, name: str, asked_by: Element, seen: frozenset[object] = frozenset()) -> Floats:
    """Return the pose of a named frame in the frame of the scope. Shape (4, 4)."""
    if name in ("", "__model__", "__root__") or (name == "world" and scope.parent is None):
        return identity()
    if (id(scope), name) in seen:
        raise asked_by.refusal(f"the pose of {name} is relative to itself", code=202)
    inner, _, rest = name.partition("::")
    if rest and inner in scope.models:
        model = scope.models[inner]
        return _parent_from_scope(model) @ scope_from_frame(model, rest, asked_by, seen | {(id(scope), name)})
    if name in scope.models:
        return _parent_from_scope(scope.models[name])
    entry = scope.entries.get(name)
    merged = merged_scope(scope, name)
    if entry is None and merged is not None:
        return _parent_from_scope(merged) @ scope_from_frame(merged, name, asked_by, seen | {(id(scope), name)})
    if entry is None:
        raise asked_by.refusal(f"there is no frame {name!r} in {scope.path or scope.name}", code=207)
    return scope_from_frame(scope, entry.relative_to, entry.element, seen | {(id(scope), name)}) @ entry.pose


def link_of(scope: Scope, name: str, asked_by: Element) -> tuple[Scope, str]:
    """Return the scope and the name of the link that a named frame moves with; the name may be `world`."""
    seen: set[object] = set()
    while True:
        if (id(scope), name) in seen:
            raise asked_by.refusal(f"{name} is attached to itself", code=202)
        seen.add((id(scope), name))
        if name == "world" and "world" not in scope.entries:
            return scope, "world"
        inner, _, rest = name.partition("::")
        if rest and inner in scope.models:
            scope, name = scope.models[inner], rest
            continue
        if name == "__model__" or (name in scope.models and name not in scope.entries):
            scope = scope if name == "__model__" else scope.models[name]
            name = canonical_link(scope, asked_by)
            continue
        entry = scope.entries.get(name)
        merged = merged_scope(scope, name)
        if entry is None and merged is not None:
            scope = merged
            continue
        if entry is None:
            raise asked_by.refusal(f"there is no link or frame {name!r} in {scope.path or scope.name}", code=201)
        if entry.attached_to == name:
            return scope, name
        name = entry.attached_to or "__model__"


def canonical_link(scope: Scope, asked_by: Element) -> str:
    """Return the canonical link of the model: the declared one, or the first."""
    said = scope.element.get("canonical_link")
    if said:
        return said
    for name, entry in scope.entries.items():
        if entry.element.tag == "link":
            return name
    for name in scope.models:
        return f"{name}::__model__"
    raise asked_by.refusal(f"model {scope.name} has no links", code=201)
