"""Poses of single instances, which are known even if another part of the assembly has errors."""

from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from rck.assembly.compiler import Compiled, Compiler
from rck.assembly.definitions import InstanceBody
from rck.assembly.document import Assembly, Mate
from rck.assembly.mate_ends import EndFrame, end_frame, parse_end
from rck.assembly.mates import joint_name
from rck.assembly.reroot import root_of
from rck.geometry.arrays import Floats
from rck.geometry.transforms import identity, invert
from rck.model import RckError
from rck.model.quantities import Quantities


@dataclass(frozen=True, eq=False)
class InstancePoses:
    """The poses of the instances of an assembly, with its joints at their present positions.

    For each instance, only the instances that carry it are compiled.
    """

    assembly: Assembly
    compiler: Compiler
    opening: tuple[Path, ...] = ()
    """The files that are being read, outermost first."""
    _compiled: dict[str, Compiled] = field(default_factory=dict)

    def world_from_part(self, name: str, item: str | None = None) -> Floats:
        """Return the frame of a part in the world as one of its items carries it (default: its root). Shape (4, 4).

        While the joints inside the part are at their home positions, it is the same for all items.
        """
        instance = self.assembly.parts[name]
        if item is None and not any(parse_end(mate.put).instance == name for mate in self.assembly.mates):
            # The root of an instance that is not mated is where the assembly places it.
            self._body(name)
            return identity() if instance.place is None else Quantities(self.assembly.units).frame(instance.place)
        compiled = self._compile_carriers(name)
        robot = compiled.bodies[name].robot
        carrier = item or root_of(robot)
        pose: Floats = compiled.robot.item(f"{name}/{carrier}").pose @ invert(robot.item(carrier).pose)
        return pose

    def ends(self, mate: Mate) -> tuple[EndFrame, EndFrame]:
        """Return the frames of the two ends of a mate on their parts."""
        at, put = (self._end(text) for text in (mate.at, mate.put))
        return at, put

    def _end(self, text: str) -> EndFrame:
        end = parse_end(text)
        body = self._body(end.instance)
        return end_frame(end, body.robot, body.ports)

    def _body(self, name: str) -> InstanceBody:
        return self.compiler.definitions.body(self.assembly.parts[name], self.assembly, self.opening)

    def _compile_carriers(self, name: str) -> Compiled:
        """Compile the instance with the instances that it is attached to, directly or indirectly."""
        if name not in self._compiled:
            part = self._carriers(name)
            built = self.compiler.compile(part, self.opening)
            if built.value is None:
                # Ports that do not fit are an error, but the poses are known.
                forced = [msgspec.structs.replace(mate, force=True) for mate in part.mates]
                built = self.compiler.compile(msgspec.structs.replace(part, mates=forced), self.opening)
            self._compiled[name] = built.unwrap()
        return self._compiled[name]

    def _leaders(self, mate: Mate) -> list[str]:
        """Return the instance that has the joint which the joint of a mate mimics, if any."""
        if mate.joint is None or mate.joint.follows is None:
            return []
        leader = mate.joint.follows.joint
        ends = ((parse_end(other.put).instance, other) for other in self.assembly.mates)
        named = [put for put, other in ends if other.joint is not None and joint_name(other, put) == leader]
        scope = leader.partition("/")[0]
        return named or ([scope] if scope in self.assembly.parts else [])

    def _carriers(self, name: str) -> Assembly:
        """Return the part of the assembly that determines the pose of an instance."""
        assembly = self.assembly
        putting = {parse_end(mate.put).instance: mate for mate in assembly.mates}
        mates: dict[str, Mate] = {}
        names: set[str] = set()
        waiting = [name]
        while waiting:
            instance = waiting.pop()
            above: set[str] = set()
            while (mate := putting.get(instance)) is not None and instance not in names:
                if instance in above:
                    raise RckError(f"{name} is attached to itself")
                above.add(instance)
                mates[instance] = mate
                waiting += self._leaders(mate)
                instance = parse_end(mate.at).instance
            names |= {*above, instance}
        joints = {joint_name(mate, put) for put, mate in mates.items() if mate.joint is not None}
        joints |= {f"{one}/{joint.name}" for one in names for joint in self._body(one).robot.joints}
        return Assembly(
            assembly.name,
            units=assembly.units,
            parts={one: assembly.parts[one] for one in sorted(names)},
            mates=list(mates.values()),
            local_parts=assembly.local_parts,
            joints={joint: setting for joint, setting in assembly.joints.items() if joint in joints},
        )
