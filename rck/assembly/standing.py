"""Where instances stand, worked out one by one, so that a fault elsewhere in the assembly does not matter."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from rck.assembly.document import Assembly, Mate
from rck.assembly.ends import EndFrame, end_frame, parse_end
from rck.assembly.mates import at_from_put, joint_name, mate_joint, set_joint, wanted_position
from rck.assembly.pieces import Body
from rck.assembly.rerooted import rerooted, root_of
from rck.catalogue.quantities import Quantities
from rck.geometry.arrays import Floats
from rck.geometry.transforms import identity, invert
from rck.model import RckError, with_positions
from rck.model.joint import motion


@dataclass(frozen=True, eq=False)
class Standing:
    """The poses of an assembly's instances as it stands, its joints where the user put them."""

    assembly: Assembly
    body: Callable[[str], Body]
    """What the instance of that name is made of."""

    def world_from_part(self, name: str, item: str | None = None) -> Floats:
        """The frame of a part in the world as one of its items carries it, unless said the one that it stands on.

        While the part's own joints stand as drawn, it is the same for all items. Shape (4, 4).
        """
        chain = self._chain(name)
        here = parse_end(chain[0].at).instance if chain else name
        place = self.assembly.parts[here].place
        pose = identity() if place is None else self._read.frame(place)
        root = root_of(self.body(here).robot)
        for mate in chain:
            at, put = self.ends(mate)
            world_from_at = pose @ self._carried(here, root, at.item) @ self.moved_by_joint(mate, at) @ at.pose
            pose = world_from_at @ at_from_put(mate, at, put, self._read) @ invert(put.pose)
            here, root = parse_end(mate.put).instance, put.item
        return pose @ self._carried(name, root, item or root_of(self.body(name).robot))

    def ends(self, mate: Mate) -> tuple[EndFrame, EndFrame]:
        """The two ends of a mate on their parts."""
        at, put = (
            end_frame(end, self.body(end.instance).robot, self.body(end.instance).ports)
            for end in (parse_end(mate.at), parse_end(mate.put))
        )
        return at, put

    def moved_by_joint(self, mate: Mate, at: EndFrame) -> Floats:
        """How far the joint of a mate has moved what it puts in place, in the frame of the other part. Shape (4, 4)."""
        if mate.joint is None:
            return identity()
        name = joint_name(mate, parse_end(mate.put).instance)
        joint = mate_joint(mate, name, "base", ("moved",), at, self._read).unwrap()
        setting = self.assembly.joints.get(name)
        if setting is not None:
            joint = set_joint(joint, setting, self._read)
        return motion(joint, wanted_position(joint, setting, self._read))

    @cached_property
    def _putting(self) -> dict[str, Mate]:
        """The mate that puts each instance in its place."""
        return {parse_end(mate.put).instance: mate for mate in self.assembly.mates}

    @cached_property
    def _read(self) -> Quantities:
        return Quantities(self.assembly.units)

    def _chain(self, name: str) -> list[Mate]:
        """The mates from what stands free up to the instance."""
        chain: list[Mate] = []
        here = name
        while (mate := self._putting.get(here)) is not None:
            chain.append(mate)
            here = parse_end(mate.at).instance
            if len(chain) > len(self.assembly.mates):
                raise RckError(f"{name} stands on itself")
        return chain[::-1]

    def _carried(self, name: str, root: str, item: str) -> Floats:
        """How far the part's own joints have moved an item against the root. Shape (4, 4)."""
        own = self.body(name).robot
        settings = {
            joint.name: setting
            for joint in own.joints
            if (setting := self.assembly.joints.get(f"{name}/{joint.name}")) is not None
        }
        if not settings or root == item:
            return identity()
        robot = rerooted(own, root)
        joints = {key: set_joint(robot.joint(key), setting, self._read) for key, setting in settings.items()}
        wanted = {key: wanted_position(joint, settings[key], self._read) for key, joint in joints.items()}
        moved = with_positions(robot, {key: x for key, x in wanted.items() if joints[key].mimic is None})
        pose: Floats = moved.item(item).pose @ invert(robot.item(item).pose)
        return pose
