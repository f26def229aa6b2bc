"""Write USD (https://openusd.org/release/api/usd_physics_page_front.html)."""

import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path, PurePath

from rck.exporting import (
    ExportLink,
    LinkModel,
    LinkTree,
    Merge,
    MeshAssets,
    legal_name,
    legal_names,
    link_tree,
    list_names,
    loss,
    models_of,
    rigid_pairs,
    shapes_of,
    untested_pairs,
)
from rck.geometry.arrays import Floats
from rck.hooks import Exported, Job, Values
from rck.model import Finding, Robot
from rck.support.requirements import Need, refuse_missing
from rck_plugins.exporters.usd.balls import Ball, balls_of
from rck_plugins.exporters.usd.bodies import PRIMITIVES, body_prim
from rck_plugins.exporters.usd.drives import actuator_prim, drive_of, tendon_prim
from rck_plugins.exporters.usd.joints import JointPlaces, ball_prim, joint_prim, loop_prim
from rck_plugins.exporters.usd.looks import LOOKS, Looks, looks_of
from rck_plugins.exporters.usd.prims import Prim, layer_text, rel
from rck_plugins.exporters.usd.scene import SCENE, scene_prim

JOINTS = "joints"
"""The scope with the joints of a robot."""
ACTUATORS, TENDONS, LOOPS = "actuators", "tendons", "loops"
RESERVED = (JOINTS, ACTUATORS, TENDONS, LOOPS, LOOKS)
"""The names of scopes."""

_REMARK = "Written by RCK. Metres, kilograms, seconds, newtons; angles in degrees."


def write(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    """Write the scene, as text or binary according to the file name extension, and its textures."""
    as_text = PurePath(name).suffix.lower() == ".usda"
    if not as_text:
        refuse_missing("a binary file (a .usda file does not need it)", Need("pxr", "pip install 'rck[usd]'"))
    merge = Merge.FIXED if values.get("merge-fixed", False) else Merge.MOVING_WEIGHTLESS
    tree = link_tree(robot, merge=merge, taken=RESERVED, identifiers=True)
    shapes = shapes_of(robot, primitives=PRIMITIVES)
    job.progress(0.2, "bodies")
    top = tree.name if tree.name != SCENE else f"{SCENE}_2"
    looks = looks_of(robot, shapes, f"/{top}/{LOOKS}", f"{legal_name(PurePath(name).stem)}_textures")
    writer = _Writer(tree, shapes, looks, top)
    main = writer.main_prim()
    text = layer_text([main, scene_prim(robot)], top, _REMARK)
    job.progress(0.9, "file")
    content = text.encode() if as_text else binary(text)
    return Exported({name: content, **looks.files}, tuple(writer.losses(name)))


class _Writer:
    """The prims of robots and loose objects."""

    def __init__(self, tree: LinkTree, shapes: MeshAssets, looks: Looks, top: str) -> None:
        self._tree = tree
        self._shapes = shapes
        self._looks = looks
        self._top = top
        self._models = models_of(tree)
        self._path_of_model = [
            f"/{top}" if len(self._models) == 1 else f"/{top}/{model.name}" for model in self._models
        ]
        self._model_of_link = {
            number: path
            for model, path in zip(self._models, self._path_of_model, strict=True)
            for number in model.links
        }
        self._balls = {ball.links[-1]: ball for ball in balls_of(tree)}
        self._skipped = {number for ball in self._balls.values() for number in ball.links[:-1]}
        self._ball_names = self._names_of_balls()
        self._paths = {number: f"{path}/{tree.links[number].name}" for number, path in self._model_of_link.items()}
        """The path of each link."""
        self._places = JointPlaces(tree.robot, dict(self._joint_paths()), self._joint_titles())
        self._static = set(self._still_links())
        self._untested = {*untested_pairs(tree), *rigid_pairs(tree)}
        self._filtered = self._filtered_pairs()
        self._lost: list[str] = []

    def losses(self, where: str) -> Iterator[Finding]:
        """Yield what the file does not have."""
        if self._lost:
            message = f"not supported by USD: {list_names(self._lost)}"
            yield loss(where, message, changes_behaviour=True)

    def main_prim(self) -> Prim:
        """Return the prim of the whole robot."""
        prims = [self._model_prim(model, path) for model, path in zip(self._models, self._path_of_model, strict=True)]
        single = len(prims) == 1
        main = prims[0] if single else Prim("Xform", self._top, kind="assembly", children=prims)
        robot = self._tree.robot
        main.title = robot.name
        if robot.poses:
            titles = self._places.titles
            main.data["poses"] = {
                pose.name: {titles[joint]: position for joint, position in pose.positions.items() if joint in titles}
                for pose in robot.poses
            }
        tendons = self._tendons()
        scopes = [
            Prim("Scope", LOOPS, children=list(self._loops())),
            tendons,
            Prim("Scope", ACTUATORS, children=list(self._actuators(tendons))),
            self._looks.scope,
        ]
        main.children += [scope for scope in scopes if scope.children]
        return main

    def _names_of_balls(self) -> dict[int, str]:
        """Return the name of each ball joint, by its last link."""
        hinges = {joint.name for ball in self._balls.values() for joint in ball.hinges}
        taken = [name for joint, name in self._tree.joint_names.items() if joint not in hinges]
        names = legal_names([ball.title for ball in self._balls.values()], taken=taken, identifiers=True)
        return dict(zip(self._balls, names, strict=True))

    def _joint_paths(self) -> Iterator[tuple[str, str]]:
        ball_of = {number: last for last, ball in self._balls.items() for number in ball.links}
        for number, link in enumerate(self._tree.links):
            if link.joint is not None:
                name = self._ball_names[ball_of[number]] if number in ball_of else link.joint_name
                yield link.joint.name, f"{self._model_of_link[number]}/{JOINTS}/{name}"

    def _joint_titles(self) -> dict[str, str]:
        """Return the names of the joints in the file that they come from where they are unique, or their own."""
        joints = [link.joint for link in self._tree.links if link.joint is not None]
        count = Counter(joint.source_name for joint in joints)
        titles = {
            joint.name: joint.source_name if count[joint.source_name] == 1 and joint.source_name else joint.name
            for joint in joints
        }
        for ball in self._balls.values():
            titles |= {joint.name: f"{ball.title}-{axis}" for joint, axis in zip(ball.hinges, "xyz", strict=True)}
        return titles

    def _still_links(self) -> Iterator[int]:
        """Yield the links that are no rigid bodies: loose objects that are fixed, and what is fixed without a mass."""
        links = self._tree.links
        moving = {link.group for link in links if link.mover is not None or link.floats}
        for model in self._models:
            for number in model.links:
                if links[number].group not in moving and (model.loose or links[number].mass_properties.mass <= 0.0):
                    yield number

    def _model_prim(self, model: LinkModel, path: str) -> Prim:
        """Return the prim of a robot or loose object at the path."""
        prim = Prim("Xform", path.rpartition("/")[2], kind="component")
        joints: list[tuple[int, Prim]] = []
        links = self._tree.links
        devices = {device.name: place for place, device in enumerate(self._tree.robot.devices)}
        for number in sorted(set(model.links) - self._skipped, key=lambda one: links[one].items[0].number):
            link, ball = links[number], self._balls.get(number)
            mass = link.mass_properties if ball is None else ball.mass
            moves = number not in self._static
            body = body_prim(link, mass, self._shapes, self._looks, devices, moves=moves)
            prim.children.append(self._filter(number, body))
            if not link.floats and moves:
                place = -1 if link.joint is None else self._tree.robot.joint_index[link.joint.name]
                joints.append((place, self._joint(number, link, ball, path)))
        if not model.loose:
            prim.apis = ["PhysicsArticulationRootAPI"]
        if joints:
            ordered = [joint for _, joint in sorted(joints, key=lambda one: one[0])]
            prim.children.append(Prim("Scope", JOINTS, children=ordered))
        return prim

    def _joint(self, number: int, link: ExportLink, ball: Ball | None, path: str) -> Prim:
        parent = link.parent if ball is None else self._tree.links[ball.links[0]].parent
        bodies = (path if parent is None else self._paths[parent], self._paths[number])
        tested = parent is not None and self._is_tested(parent, number)
        if ball is not None:
            return ball_prim(ball, bodies, self._ball_names[number], self._places, tested=tested)
        return joint_prim(link, bodies, self._places, tested=tested)

    def _is_tested(self, one: int, other: int) -> bool:
        """Return True if two links, both with collision shapes, are tested against each other."""
        solid = all(any(placed.item.subitems for placed in self._tree.links[number].items) for number in (one, other))
        return solid and (min(one, other), max(one, other)) not in self._untested

    def _filter(self, number: int, body: Prim) -> Prim:
        """Filter the pairs of bodies that RCK never tests."""
        if number in self._filtered:
            body.apis = [*body.apis, "PhysicsFilteredPairsAPI"]
            body.properties.append(rel("physics:filteredPairs", [self._paths[one] for one in self._filtered[number]]))
        return body

    def _filtered_pairs(self) -> dict[int, list[int]]:
        """Return the links that each link is not tested against, each pair once.

        USD never tests neighbours of a joint.
        """
        tree = self._tree
        parent_of = {last: tree.links[ball.links[0]].parent for last, ball in self._balls.items()}
        partners: dict[int, list[int]] = {}
        for one, other in sorted(self._untested):
            parents = [parent_of.get(number, tree.links[number].parent) for number in (one, other)]
            if parents[1] != one and parents[0] != other and not {one, other} & self._skipped:
                partners.setdefault(one, []).append(other)
        return partners

    def _loops(self) -> Iterator[Prim]:
        loops = self._tree.robot.loops
        names = legal_names([loop.name for loop in loops], identifiers=True)
        for name, loop in zip(names, loops, strict=True):
            (one, first), (other, second) = (self._tree.link_of_item[item] for item in loop.items)
            frames: tuple[Floats, Floats] = (first @ loop.poses[0], second @ loop.poses[1])
            yield loop_prim(loop, (self._paths[one], self._paths[other]), name, frames)

    def _tendons(self) -> Prim:
        """Return the fixed tendons; others are lost."""
        fixed = [tendon for tendon in self._tree.robot.tendons if tendon.joints]
        self._lost += [f"tendon {tendon.name}" for tendon in self._tree.robot.tendons if not tendon.joints]
        names = legal_names([tendon.name for tendon in fixed], identifiers=True)
        made = [tendon_prim(tendon, name, self._places.paths) for name, tendon in zip(names, fixed, strict=True)]
        return Prim("Scope", TENDONS, children=made)

    def _actuators(self, tendons: Prim) -> Iterator[Prim]:
        robot = self._tree.robot
        fixed = [tendon.name for tendon in robot.tendons if tendon.joints]
        target_of = {f"joint {name}": path for name, path in self._places.paths.items()}
        target_of |= {
            f"tendon {name}": f"/{self._top}/{TENDONS}/{prim.name}"
            for name, prim in zip(fixed, tendons.children, strict=True)
        }
        for number, link in enumerate(self._tree.links):
            target_of |= {f"frame {one.item.name}": self._paths[number] for one in link.items}
            target_of |= {f"frame {one.frame.name}": f"{self._paths[number]}/{one.name}" for one in link.frames}
        driving = {id(drive_of(joint, robot)) for joint in robot.joints}
        others = [one for one in robot.actuators if id(one) not in driving]
        names = legal_names([one.name for one in others], identifiers=True)
        for name, one in zip(names, others, strict=True):
            what = "joint" if one.joint else "tendon" if one.tendon else "frame"
            target = target_of.get(f"{what} {one.joint or one.tendon or one.frame}")
            if target is None:
                self._lost.append(f"actuator {one.name}")
            else:
                yield actuator_prim(one, robot.actuators.index(one), name, target)


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
