"""Writing USD (https://openusd.org/release/api/usd_physics_page_front.html)."""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePath

from rck.exporting import (
    LinkModel,
    LinkTree,
    Merge,
    Shapes,
    link_tree,
    lost,
    models_of,
    rigid_pairs,
    shapes_of,
    some,
    untested_pairs,
)
from rck.exporting.losses import lost_by_all, moving_joints
from rck.hooks import Exported, Job, Values
from rck.hooks.needs import Need, refuse_missing
from rck.model import Finding, Robot
from rck_export_usd.bodies import body_prim
from rck_export_usd.devices import device_losses
from rck_export_usd.joints import joint_prim
from rck_export_usd.prims import Prim, layer_text

JOINTS = "joints"
"""The scope below a robot that has its joints."""

SCENE = "PhysicsScene"
"""Beside the robot, not below it, so that a scene that refers to the robot keeps its own."""

_REMARK = "Written by RCK. Metres, kilograms, seconds, newtons; angles in degrees."


def write(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    """The scene, as text or binary by the ending of its name, and what it could not hold."""
    as_text = PurePath(name).suffix.lower() == ".usda"
    if not as_text:
        refuse_missing("a binary file (a .usda file does without)", Need("pxr", "pip install 'rck[usd]'"))
    # A body that says nothing of its mass gets that of its shapes, filled with water.
    merge = Merge.FIXED if values.get("merge-fixed", False) else Merge.WEIGHTLESS
    tree = link_tree(robot, merge=merge, taken=(JOINTS,), identifiers=True)
    shapes = shapes_of(robot)
    job.progress(0.2, "bodies")
    models = models_of(tree)
    top = tree.name if tree.name != SCENE else f"{SCENE}_2"
    path_of_model = [f"/{top}"] if len(models) == 1 else [f"/{top}/{model.name}" for model in models]
    paths = {
        number: f"{path}/{tree.links[number].name}"
        for model, path in zip(models, path_of_model, strict=True)
        for number in model.links
    }
    writer = _Writer(tree, shapes, paths)
    prims = [writer.model_prim(model, path) for model, path in zip(models, path_of_model, strict=True)]
    main = prims[0] if len(models) == 1 else Prim("Xform", top, kind="assembly", children=prims)
    text = layer_text([main, Prim("PhysicsScene", SCENE)], top, _REMARK)
    job.progress(0.9, "file")
    content = text.encode() if as_text else binary(text)
    return Exported({name: content}, tuple(_losses(tree, models, name)))


class _Writer:
    """The prims of robots and loose objects."""

    def __init__(self, tree: LinkTree, shapes: Shapes, paths: Mapping[int, str]) -> None:
        self._tree = tree
        self._shapes = shapes
        self._paths = paths
        """That of each link."""
        self._partners = _partners(tree)

    def model_prim(self, model: LinkModel, path: str) -> Prim:
        """The robot or object, at the path."""
        prim = Prim("Xform", path.rpartition("/")[2], kind="component")
        joints = Prim("Scope", JOINTS)
        for number in model.links:
            link = self._tree.links[number]
            prim.children.append(body_prim(link, self._shapes, moves=not model.loose or link.floats))
            if link.parent is not None:
                parent = self._paths[link.parent]
            elif not model.loose and not link.floats:
                parent = path
            else:
                continue
            joints.children.append(joint_prim(link, parent, self._paths[number]))
        if not model.loose:
            prim.apis = ["PhysicsArticulationRootAPI"]
        self._add_filtered(model, prim.children)
        if joints.children:
            prim.children.append(joints)
        return prim

    def _add_filtered(self, model: LinkModel, bodies: Sequence[Prim]) -> None:
        """The pairs that may touch."""
        for number, body in zip(model.links, bodies, strict=True):
            if number in self._partners:
                body.apis = [*body.apis, "PhysicsFilteredPairsAPI"]
                paths = ", ".join(f"<{self._paths[other]}>" for other in self._partners[number])
                body.properties.append(f"rel physics:filteredPairs = [{paths}]")


def _partners(tree: LinkTree) -> dict[int, list[int]]:
    """For each link those that it may touch, each pair once; where a joint is between them, they may by themselves."""
    partners: dict[int, list[int]] = {}
    for one, other in (*untested_pairs(tree), *rigid_pairs(tree)):
        if tree.links[other].parent != one and tree.links[one].parent != other:
            partners.setdefault(one, []).append(other)
    return partners


def binary(text: str) -> bytes:
    """The same scene as a binary file."""
    from pxr import Sdf

    layer = Sdf.Layer.CreateAnonymous(".usda")
    layer.ImportFromString(text)
    # The library writes binary files to disk only.
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scene.usdc"
        layer.Export(str(path))
        return path.read_bytes()


def _losses(tree: LinkTree, models: Sequence[LinkModel], where: str) -> Iterator[Finding]:
    """What the format has no place for."""
    robot = tree.robot
    moving = moving_joints(robot)
    if followers := [joint.name for joint in moving if joint.mimic is not None]:
        yield lost(where, f"joints that follow others are free: {some(followers)}", matters=True)
    if fast := [joint.name for joint in moving if joint.speed is not None]:
        yield lost(where, f"the greatest speeds of joints are left out: {some(fast)}")
    if rough := [joint.name for joint in moving if joint.friction]:
        yield lost(where, f"the friction of joints is left out: {some(rough)}", matters=True)
    robots = [number for model in models if not model.loose for number in model.links]
    if weightless := [tree.links[n].name for n in robots if tree.links[n].mass_properties.mass <= 0.0]:
        message = f"what stands fast and weighs nothing gets a mass from its shapes: {some(weightless)}"
        yield lost(where, message)
    yield from device_losses(tree, where)
    yield from lost_by_all(robot, where)
