"""Write USD (https://openusd.org/release/api/usd_physics_page_front.html)."""

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath

from rck.exporting import (
    LinkModel,
    LinkTree,
    Merge,
    MeshAssets,
    link_tree,
    models_of,
    rigid_pairs,
    shapes_of,
    untested_pairs,
)
from rck.hooks import Exported, Job, Values
from rck.model import Robot
from rck.support.requirements import Need, refuse_missing
from rck_plugins.exporters.usd.bodies import PRIMITIVES, body_prim
from rck_plugins.exporters.usd.joints import joint_prim
from rck_plugins.exporters.usd.prims import Prim, layer_text

JOINTS = "joints"
"""The scope with the joints of a robot."""

SCENE = "PhysicsScene"
"""A sibling of the robot, so that a scene that references the robot keeps its own physics scene."""

_REMARK = "Written by RCK. Metres, kilograms, seconds, newtons; angles in degrees."


def write(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    """Write the scene, as text or binary according to the file name extension."""
    as_text = PurePath(name).suffix.lower() == ".usda"
    if not as_text:
        refuse_missing("a binary file (a .usda file does not need it)", Need("pxr", "pip install 'rck[usd]'"))
    # A body without a mass gets that of its shapes at the density of water.
    merge = Merge.FIXED if values.get("merge-fixed", False) else Merge.WEIGHTLESS
    tree = link_tree(robot, merge=merge, taken=(JOINTS,), identifiers=True)
    shapes = shapes_of(robot, primitives=PRIMITIVES)
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
    return Exported({name: content})


class _Writer:
    """The prims of robots and loose objects."""

    def __init__(self, tree: LinkTree, shapes: MeshAssets, paths: Mapping[int, str]) -> None:
        self._tree = tree
        self._shapes = shapes
        self._paths = paths
        """The path of each link."""
        self._filtered = _filtered_pairs(tree)

    def model_prim(self, model: LinkModel, path: str) -> Prim:
        """Return the prim of a robot or loose object at the path."""
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
        """Filter the pairs of bodies that RCK never tests."""
        for number, body in zip(model.links, bodies, strict=True):
            if number in self._filtered:
                body.apis = [*body.apis, "PhysicsFilteredPairsAPI"]
                paths = ", ".join(f"<{self._paths[other]}>" for other in self._filtered[number])
                body.properties.append(f"rel physics:filteredPairs = [{paths}]")


def _filtered_pairs(tree: LinkTree) -> dict[int, list[int]]:
    """Return the links that each link is not tested against, each pair once. USD never tests neighbours of a joint."""
    partners: dict[int, list[int]] = {}
    for one, other in (*untested_pairs(tree), *rigid_pairs(tree)):
        if tree.links[other].parent != one and tree.links[one].parent != other:
            partners.setdefault(one, []).append(other)
    return partners


def binary(text: str) -> bytes:
    """Convert the text of a scene to a binary file."""
    from pxr import Sdf

    layer = Sdf.Layer.CreateAnonymous(".usda")
    layer.ImportFromString(text)
    # The library can write binary files only to disk.
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scene.usdc"
        layer.Export(str(path))
        return path.read_bytes()
