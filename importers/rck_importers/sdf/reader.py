"""Reader for SDF files."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from rck.geometry.arrays import Floats
from rck.geometry.mass_properties import NO_MASS
from rck.geometry.transforms import identity, invert
from rck.hooks import Imported, Job, Values
from rck.importing.file_errors import refused
from rck.importing.link_masses import split_mass
from rck.importing.linkage import Link, Linkage, LinkJoint
from rck.importing.robot_reader import Reading, read_robot
from rck.importing.xml_file import Element
from rck.model import Loop
from rck.model.extensions import extension
from rck_importers.sdf.joints import ball_loop, child_of, joints
from rck_importers.sdf.links import link
from rck_importers.sdf.models import root_scope
from rck_importers.sdf.scopes import Scope, link_of, scope_from_frame, world_from_scope


def read(path: Path, values: Values, job: Job) -> Imported:
    """Read the model of an SDF file, all models of a world, or the model selected by the option `model`."""
    return read_robot(path, values, job, lambda reading: _linkage(reading, str(values.get("model") or "")))


def _linkage(reading: Reading, wanted: str) -> Linkage:
    root = root_scope(reading.xml(reading.path), reading)
    if wanted:
        if wanted not in root.models:
            known = ", ".join(root.models)
            raise refused("option model", f"there is no model {wanted!r}; known: {known}", code=104)
        root.models = {wanted: root.models[wanted]}
    if len(root.models) == 1:
        _without_prefix(next(iter(root.models.values())), "")
    links: list[Link] = []
    link_joints: list[LinkJoint] = []
    frames: list[tuple[str, str, Floats]] = []
    loops: list[Loop] = []
    chains: dict[str, str] = {}
    for scope in _scopes(root):
        world = world_from_scope(scope)
        for name, entry in scope.entries.items():
            if entry.element.tag == "link":
                pose = world @ scope_from_frame(scope, name, entry.element)
                links.append(link(scope, name, entry.element, pose))
            elif entry.element.tag == "joint" and _is_second_ball(scope, entry.element, link_joints):
                loops.append(ball_loop(scope, name, entry.element))
            elif entry.element.tag == "joint":
                made, between = joints(scope, name, entry.element)
                link_joints += made
                links += between
                chains |= {one.name: made[-1].child for one in between}
            elif scope.parent is not None:
                holder, link_name = link_of(scope, name, entry.element)
                held = world_from_scope(holder) @ scope_from_frame(holder, link_name, entry.element)
                pose = invert(held) @ world @ scope_from_frame(scope, name, entry.element)
                frames.append((scope.full_name(name), holder.full_name(link_name), pose))
    ends = {end for joint in link_joints for end in (joint.base, joint.child)}
    if "world" in ends.union(*(loop.items for loop in loops)):
        links.insert(0, Link("world", identity()))
    name = next(iter(root.models)) if len(root.models) == 1 else root.name
    return Linkage(name, tuple(_with_shares(links, chains)), tuple(link_joints), tuple(frames), loops=tuple(loops))


def _is_second_ball(scope: Scope, element: Element, known: Sequence[LinkJoint]) -> bool:
    """Return True for a ball joint whose child another joint moves."""
    if element.get("type") != "ball":
        return False
    child = child_of(scope, element)
    return any(joint.child == child for joint in known)


def _with_shares(links: Sequence[Link], chains: Mapping[str, str]) -> Iterator[Link]:
    """Yield the links; those between the joints of a link take a share of its mass, and its pose.

    `chains` has the link that each link between joints leads to.
    """
    count = Counter(chains.values())
    by_name = {one.name: one for one in links}
    shares = {name: split_mass(by_name[name].mass or NO_MASS, number) for name, number in count.items()}
    for one in links:
        if child := chains.get(one.name):
            data = extension("mjcf", {"split-from": child})
            yield replace(one, pose=by_name[child].pose, mass=shares[child][0], extensions=data)
        elif one.name in shares:
            yield replace(one, mass=shares[one.name][1])
        else:
            yield one


def _scopes(root: Scope) -> Iterator[Scope]:
    waiting = [root]
    while waiting:
        scope = waiting.pop()
        yield scope
        waiting += reversed(scope.models.values())


def _without_prefix(scope: Scope, path: str) -> None:
    """Remove the name of the only model of a file from the names of its links."""
    waiting = [(scope, path)]
    while waiting:
        model, own = waiting.pop()
        model.path = own
        for inner in model.models.values():
            below = f"{own}/{inner.name}" if own else inner.name
            waiting.append((inner, own if inner.merged else below))
