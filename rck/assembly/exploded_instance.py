"""Explosion of an instance: a robot becomes one instance for each link, joined by mates with its joints."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import msgspec
import numpy as np

from rck.assembly.collision_rules import with_rules
from rck.assembly.compiler import Compiled
from rck.assembly.document import Assembly, Instance, LocalPart, Mate, MateJoint, replaced
from rck.assembly.edits import mate_putting, new_name
from rck.assembly.local_parts import (
    actuator_spec,
    device_spec,
    exact_pose,
    extension_spec,
    local_part_of,
    loop_spec,
    plain_names,
    tendon_spec,
)
from rck.assembly.mate_ends import end_frame, parse_end
from rck.assembly.native_file import normalised
from rck.assembly.reroot import rerooted, root_of
from rck.assembly.shared_elements import renamed_references
from rck.geometry.arrays import Floats, frozen, lengths
from rck.geometry.mesh_holes import open_ends, round_holes
from rck.geometry.transforms import frame, identity, invert
from rck.model import Actuation, Item, Joint, PartDefinition, Port, RckError, Robot
from rck.model.extensions import freeze_extensions, merge_extensions
from rck.model.interface import Holes, Interface
from rck.model.quantities import PoseSpec
from rck.parts.interface_spec import interface_spec
from rck.parts.manifest import Follow, PartPort
from rck.support.names import legal_name, nearest_name
from rck.support.units import from_si

LINK_OF_FILE = " > "
"""Separates the file from the link in the source of the local part of a link."""
BODY = "body"
"""The name of the item of each link."""

_HOLE = "hole"
_MOST_HOLES = 100
"""Largest number of holes of a link that get ports."""
_FACE_TO_FACE = frozen(np.diag([1.0, -1.0, -1.0, 1.0]))
_PARALLEL = 0.9
"""Cosine above which two axes are too near to each other to define a frame."""


@dataclass(frozen=True, slots=True)
class Exploded:
    """The result of an explosion."""

    assembly: Assembly
    links: tuple[str, ...]
    """The new instances."""
    joints: Mapping[str, str]
    """The new name of each joint, by its old full name."""
    losses: tuple[str, ...]
    """Descriptions of what the new instances do not have."""


def exploded(assembly: Assembly, name: str, compiled: Compiled) -> Exploded:
    """Return the assembly with a local part and an instance for each item of an instance.

    Geometry, joints, motors, tendons, loops, devices, poses and collision rules stay as they are.
    """
    if len(compiled.bodies[name].robot.items) < 2:
        raise RckError(f"{name} has only one link; only an instance with several links can be exploded")
    return _Explosion(assembly, name, compiled).result()


@dataclass(eq=False)
class _Explosion:
    """One explosion; cached properties give the new names, and the methods build the new assembly."""

    assembly: Assembly
    name: str
    compiled: Compiled

    @property
    def instance(self) -> Instance:
        """The instance that is exploded."""
        return self.assembly.parts[self.name]

    @cached_property
    def mount(self) -> Mate | None:
        """The mate that attaches the instance."""
        return mate_putting(self.assembly, self.name)

    @cached_property
    def robot(self) -> Robot:
        """The robot in the frame of the part; its root is the item that a mate holds."""
        whole = self.compiled.bodies[self.name].robot
        return whole if self.mount is None else rerooted(whole, self._end_item(self.mount.put))

    @cached_property
    def links(self) -> dict[str, str]:
        """The instance of each item."""
        links: dict[str, str] = {}
        for item in self.robot.items:
            wish = nearest_name(item.name.replace("/", "-"), "link")
            taken = [self.name, *self.assembly.local_parts, *self.assembly.groups, *links.values()]
            links[item.name] = new_name(self.assembly, wish, taken)
        return links

    @cached_property
    def joints(self) -> dict[str, str]:
        """The new name of each joint."""
        inside = f"{self.name}/"
        used = {joint.name for joint in self.compiled.robot.joints if not joint.name.startswith(inside)}
        return self._short_names((joint.name for joint in self.robot.joints), used)

    @cached_property
    def tendons(self) -> dict[str, str]:
        """The new name of each tendon."""
        return self._short_names((tendon.name for tendon in self.robot.tendons), self.assembly.tendons)

    @cached_property
    def ports(self) -> dict[str, str]:
        """The new name of each port on its link."""
        return plain_names(self.compiled.bodies[self.name].ports)

    @cached_property
    def frames(self) -> dict[str, str]:
        """The new name of each frame on its link."""
        return plain_names(one.name for one in self.robot.frames)

    @cached_property
    def places(self) -> dict[str, str]:
        """The new full name of each item and frame."""
        on_links = {one.name: f"{self.links[one.item]}/{self.frames[one.name]}" for one in self.robot.frames}
        return on_links | {item: f"{link}/{BODY}" for item, link in self.links.items()}

    @cached_property
    def roots(self) -> list[str]:
        """The items that no joint moves; the first is the one that a mate holds."""
        return [self.robot.items[number].name for number in self.robot.tree.roots]

    @cached_property
    def frame_of(self) -> dict[str, Floats]:
        """The frame of each new local part in that of the old one: that of its item, for a root that of the part."""
        whole = {*self.roots, root_of(self.compiled.bodies[self.name].robot)}
        return {item.name: identity() if item.name in whole else item.pose for item in self.robot.items}

    @cached_property
    def ordered_items(self) -> list[str]:
        """The items in an order that keeps that of the joints and of the roots."""
        robot, tree = self.robot, self.robot.tree
        numbers = [number for number in tree.joint_of_item if number is not None]
        if numbers == sorted(numbers):
            return [item.name for item in robot.items]
        return [*self.roots, *(item for joint in robot.joints for item in joint.moves)]

    @cached_property
    def links_have_devices(self) -> bool:
        """True if each device can be on its link: it refers to no joint, and the order of the devices stays."""
        order = [self.ordered_items.index(device.item) for device in self.robot.devices]
        return order == sorted(order) and not any(device.joints for device in self.robot.devices)

    def _short_names(self, names: Iterable[str], used: Iterable[str]) -> dict[str, str]:
        """Return each name if it is new, otherwise with the name of the instance before it."""
        taken = set(used)
        plain = plain_names(names)
        return {old: name if name not in taken else f"{self.name}-{name}" for old, name in plain.items()}

    def _end_item(self, text: str) -> str:
        body = self.compiled.bodies[self.name]
        return end_frame(parse_end(text), body.robot, body.ports).item

    def result(self) -> Exploded:
        """Return the assembly, the names and the losses."""
        mates = [*self._joint_mates(), *self._base_mates()]
        attached = {parse_end(mate.put).instance for mate in mates}
        changed = self._with_names()
        old = {name: one for name, one in changed.parts.items() if name != self.name}
        new = {link: Instance(link, place=self._place(item, link in attached)) for item, link in self.links.items()}
        changed = replaced(
            changed,
            parts={**old, **new},
            mates=[*changed.mates, *mates],
            local_parts=self._local_parts(),
            order=self._order(),
        )
        changed = self._with_elements(changed)
        rules = (
            replace(rule, items=(self.places[rule.items[0]], self.places[rule.items[1]])) for rule in self.robot.rules
        )
        return Exploded(
            normalised(with_rules(changed, rules)),
            tuple(self.links[item] for item in self.ordered_items),
            {f"{self.name}/{joint}": new for joint, new in self.joints.items()},
            tuple(self._losses()),
        )

    def _losses(self) -> Iterable[str]:
        body, links = self.compiled.bodies[self.name], "its links"
        if body.bought:
            yield f"the bill of materials lists {links} as local parts, not {body.label}"
        if self.instance.with_:
            yield f"{links} keep the present values of its parameters"
        if self.instance.notes:
            yield f"its notes are lost: {self.instance.notes}"

    def _place(self, item: str, is_attached: bool) -> PoseSpec | None:
        """Return the place in the world of a link that no mate attaches."""
        if is_attached or (self.mount is not None and item == self.roots[0]):
            return None
        if self.mount is None:
            return self.instance.place
        return exact_pose(self.compiled.robot.item(f"{self.name}/{item}").pose, self.assembly.units)

    def _joint_mates(self) -> list[Mate]:
        """Return a mate for each joint, and for the items that a joint moves together."""
        mates = []
        for joint in self.robot.joints:
            first, *others = joint.moves
            mates.append(self._mate(joint.base, first, self.joints[joint.name], self._mate_joint(joint)))
            for item in others:
                source = legal_name(f"{self.name}/{item}/fixed")
                fixed = MateJoint(fixed="z", name=f"{self.links[item]}/fixed", source_name=source)
                base = first if joint.kind.moves else joint.base
                mates.append(self._mate(base, item, self.links[item], fixed))
        return mates

    def _mate(self, base: str, item: str, port: str, joint: MateJoint) -> Mate:
        return Mate(
            f"{self.links[base]}.{self._joint_port(base, port)}",
            f"{self.links[item]}.{self._joint_port(item, port)}",
            joint=joint,
        )

    def _joint_port(self, item: str, name: str) -> str:
        """Return the name of the port of a joint on a link."""
        body = self.compiled.bodies[self.name]
        places = {self.ports[one.name] for one in body.ports.values() if one.item == item}
        places |= {self.frames[one.name] for one in self.robot.frames if one.item == item}
        plain = name.replace("/", "-")
        return f"{plain}-joint" if plain in places else plain

    def _base_mates(self) -> list[Mate]:
        """Return the mates that hold the links of an attached instance: its root, and the others on that."""
        if self.mount is None:
            return []
        root, *others = self.roots
        fastened = [item for item in others if not self.robot.item(item).mobile]
        return [Mate(self.links[root], self.links[item]) for item in fastened]

    def _mate_joint(self, joint: Joint) -> MateJoint:
        """Return a joint about or along the z axis of its port, in the units of the assembly."""
        units, turns = self.assembly.units, joint.kind.turns
        dimension, unit = units.position_unit(turns)
        motion = "angular speed" if turns else "speed"
        force, torque = (None, joint.effort) if turns else (joint.effort, None)
        default = Actuation.UNKNOWN if joint.effort is None else Actuation.ACTUATED

        def here(value: float) -> float:
            return from_si(value, dimension, unit)

        mimic = joint.mimic
        return MateJoint(
            **{joint.kind.value: "z"},  # type: ignore[arg-type]
            name=self.joints[joint.name],
            limits=None if joint.limits is None else (here(joint.limits.lower), here(joint.limits.upper)),
            position=here(joint.position),
            speed=None if joint.speed is None else from_si(joint.speed, motion, units.of(motion) or ""),
            acceleration=None if joint.acceleration is None else here(joint.acceleration),
            torque=None if torque is None else from_si(torque, "torque", units.torque),
            force=None if force is None else from_si(force, "force", units.force),
            damping=joint.damping,
            friction=joint.friction,
            armature=joint.armature,
            stiffness=joint.stiffness,
            spring=here(joint.spring_position),
            actuation=None if joint.actuation is default else joint.actuation.value,
            follows=None if mimic is None else Follow(self.joints[mimic.joint], mimic.ratio, here(mimic.offset)),
            source_name=joint.source_name or legal_name(f"{self.name}/{joint.name}"),
            extensions=extension_spec(joint.extensions),
        )

    def _local_parts(self) -> dict[str, LocalPart]:
        """Return the local parts: the new ones, and the old ones without that of the instance if no other uses it."""
        users = [one for name, one in self.assembly.parts.items() if name != self.name]
        used = {one.part for one in users}
        kept = {
            name: one for name, one in self.assembly.local_parts.items() if name in used or name != self.instance.part
        }
        return kept | {self.links[item.name]: self._local_part(item) for item in self.robot.items}

    def _local_part(self, item: Item) -> LocalPart:
        link_from_part = invert(self.frame_of[item.name])
        # The product with an inverse would move the item by its rounding error.
        pose = identity() if self.frame_of[item.name] is item.pose else item.pose
        named = replace(
            item,
            name=BODY,
            pose=frozen(pose),
            source_name=item.source_name or legal_name(f"{self.name}/{item.name}"),
        )
        frames = [
            replace(one, name=self.frames[one.name], item=BODY, source_name=self._source(one.source_name, one.name))
            for one in self.robot.frames
            if one.item == item.name
        ]
        devices = [
            replace(one, item=BODY, source_name=self._source(one.source_name, one.name))
            for one in self.robot.devices
            if one.item == item.name and self.links_have_devices
        ]
        label = self.compiled.bodies[self.name].label
        part = local_part_of(
            PartDefinition(item.name, (named,), frames=tuple(frames), devices=tuple(devices)),
            self._source_file(item.name),
            f"{item.source_name or item.name} of {label}",
        )
        ports = {
            name: _port(replace(port, pose=frozen(link_from_part @ port.pose)))
            for name, port in self._ports_on(item.name).items()
        }
        if not any(name.startswith(_HOLE) for name in ports):
            ports |= {
                port.name: _port(replace(port, pose=frozen(link_from_part @ item.pose @ port.pose)))
                for port in _mounting_holes(item)
                if port.name not in ports
            }
        return msgspec.structs.replace(part, ports=ports)

    def _source_file(self, item: str) -> str:
        """Return the file that the robot was imported from, with the item; empty for a robot of the catalogue."""
        old = self.assembly.local_parts.get(self.instance.part)
        return f"{old.source}{LINK_OF_FILE}{item}" if old is not None and old.source else ""

    def _source(self, source_name: str, name: str) -> str:
        return source_name or legal_name(f"{self.name}/{name}")

    def _ports_on(self, item: str) -> dict[str, Port]:
        """Return the ports of a link, with poses in the old part: those of the part, and of its joints."""
        body = self.compiled.bodies[self.name]
        found = {self.ports[port.name]: port for port in body.ports.values() if port.item == item}
        for joint in self.robot.joints:
            first, *others = joint.moves
            held = [(joint.base, first, self.joints[joint.name], self._joint_frame(joint))]
            base = first if joint.kind.moves else joint.base
            held += [(base, other, self.links[other], self.robot.item(other).pose) for other in others]
            for at, put, name, pose in held:
                if at == item:
                    found[self._joint_port(item, name)] = Port(name, item, frozen(pose))
                if put == item:
                    found[self._joint_port(item, name)] = Port(name, item, frozen(pose @ _FACE_TO_FACE))
        for number, text in enumerate(self._faces, 1):
            end = end_frame(parse_end(text), body.robot, body.ports)
            if end.item == item:
                found[f"face-{number}"] = Port(f"face-{number}", item, end.pose)
        return found

    @cached_property
    def _faces(self) -> list[str]:
        """The faces of the instance that mates, tools and ports of the assembly refer to."""
        ends = [end for mate in self.assembly.mates for end in (mate.at, mate.put)]
        ends += [tool.on for tool in self.assembly.tools.values()]
        return [end for end in dict.fromkeys(ends) if "#" in end and parse_end(end).instance == self.name]

    def _joint_frame(self, joint: Joint) -> Floats:
        """Return the frame of a joint in the part: z along its axis, x like the item that it moves. Shape (4, 4)."""
        pose = self.robot.item(joint.moves[0]).pose
        if not joint.kind.moves:
            return pose
        x = next(x for x in pose[:3, :2].T if abs(x @ joint.direction) < _PARALLEL)
        return frame(joint.start, z=joint.direction, x=x)

    def _end(self, text: str) -> str:
        """Return an end of the exploded instance on its link; other ends stay."""
        end = parse_end(text)
        if end.instance != self.name:
            return text
        link = self.links[self._end_item(text)]
        if not end.place:
            return link
        if text in self._faces:
            return f"{link}.face-{self._faces.index(text) + 1}"
        return f"{link}.{self.ports.get(end.place) or self.frames.get(end.place) or BODY}"

    def _full(self, text: str, inner: Mapping[str, str]) -> str:
        """Return the new full name of what is inside the exploded instance; other names stay."""
        scope, _, name = text.partition("/")
        return inner.get(name, text) if scope == self.name else text

    def _with_names(self) -> Assembly:
        """Return the assembly with the references to what is inside the instance renamed."""
        assembly = self.assembly

        def place(text: str) -> str:
            return self._full(text, self.places)

        def joint(text: str) -> str:
            return self._full(text, self.joints)

        links = list(self.links.values())
        groups = {
            key: [new for one in group for new in (links if one == self.name else [place(one)])]
            for key, group in assembly.groups.items()
        }
        contacts = assembly.contacts
        if any(self.name in rule.between for rule in contacts):
            # A group has the name of the instance, so that rules for the instance stay.
            groups = {**groups, self.name: links}
        contacts = [
            msgspec.structs.replace(rule, between=(place(rule.between[0]), place(rule.between[1]))) for rule in contacts
        ]
        renamed = renamed_references(assembly, place, joint)
        return replaced(
            renamed,
            mates=[
                msgspec.structs.replace(mate, at=self._end(mate.at), put=self._end(mate.put)) for mate in renamed.mates
            ],
            joints={joint(key): setting for key, setting in assembly.joints.items()},
            poses={key: {joint(one): x for one, x in pose.items()} for key, pose in assembly.poses.items()},
            tools={key: msgspec.structs.replace(tool, on=self._end(tool.on)) for key, tool in assembly.tools.items()},
            ports={key: self._end(end) for key, end in assembly.ports.items()},
            groups=groups,
            contacts=contacts,
        )

    def _order(self) -> list[str]:
        """Return the instances in the order of the robot, the links in the place of the exploded instance."""
        listed = dict.fromkeys(self.compiled.instance_of_item.values())
        links = [self.links[item] for item in self.ordered_items]
        return [new for one in listed for new in (links if one == self.name else [one])]

    def _with_elements(self, assembly: Assembly) -> Assembly:
        """Return the assembly with the motors, tendons, loops, devices, poses and data of the robot."""
        robot, units = self.robot, self.assembly.units
        dimension = {joint.name: units.position_unit(joint.kind.turns) for joint in robot.joints}
        actuators = self._short_names((one.name for one in robot.actuators), assembly.actuators)
        loops = self._short_names((one.name for one in robot.loops), assembly.loops)
        poses = self._short_names((one.name for one in robot.poses), assembly.poses)
        devices = self._short_names((one.name for one in robot.devices), assembly.devices)
        shared = () if self.links_have_devices else robot.devices
        named = [replace(one, source_name=self._source(one.source_name, one.name)) for one in shared]
        return replaced(
            assembly,
            actuators=assembly.actuators
            | {
                actuators[one.name]: actuator_spec(one, self.joints, self.tendons, self.places)
                for one in robot.actuators
            },
            tendons=assembly.tendons | {self.tendons[one.name]: tendon_spec(one, self.joints) for one in robot.tendons},
            loops=assembly.loops | {loops[one.name]: loop_spec(one, self.places, units) for one in robot.loops},
            devices=assembly.devices
            | {devices[one.name]: device_spec(one, self.places, self.joints, units) for one in named},
            poses=assembly.poses
            | {
                poses[one.name]: {self.joints[key]: from_si(x, *dimension[key]) for key, x in one.positions.items()}
                for one in robot.poses
            },
            pose_extensions=assembly.pose_extensions
            | {poses[one.name]: extension_spec(one.extensions) for one in robot.poses if one.extensions},
            extensions=extension_spec(merge_extensions(freeze_extensions(assembly.extensions), robot.extensions)),
        )


def _mounting_holes(item: Item) -> Iterator[Port]:
    """Yield a port, with its pose in the item, at each open end of the holes in the visuals of an item."""
    holes = [hole for visual in item.visuals if visual.primitive is None for hole in round_holes(visual.surface)]
    for number, hole in enumerate(holes[:_MOST_HOLES], 1):
        ends = list(open_ends(hole))
        for letter, pose in zip("ab", ends, strict=False):
            name = f"{_HOLE}{number}-{letter}" if len(ends) > 1 else f"{_HOLE}{number}"
            depth = float(lengths((hole.end - hole.start)[None])[0])
            interface = Interface((Holes(((0.0, 0.0),), 2 * hole.radius, depth=depth),))
            note = f"hole of {2000 * hole.radius:.3g} mm"
            yield Port(name, item.name, frozen(pose), note=note, interface=interface)


def _port(port: Port) -> PartPort:
    """Return a port of a link; the geometry of a named type stays with the type."""
    place = exact_pose(port.pose)
    own = port.interface if port.type == "any" else None
    return PartPort(
        place.at,
        place.rpy,
        place.z,
        place.x,
        on=BODY,
        type=port.type,
        gender=port.gender,
        note=port.note,
        interface=None if own is None else interface_spec(own, port.gender or "male"),
    )
