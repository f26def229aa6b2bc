"""Conversion of an assembly to other units: the numbers change, the model does not."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import msgspec

from rck.assembly.document import Assembly, Instance, JointSetting, Mate, MateJoint, SavedView, Tool, replaced
from rck.model import RckError
from rck.model.joint_spec import joint_axis
from rck.model.quantities import Quantity, Units, replace_wrong_units, restate
from rck.parts.manifest import DeviceSpec, LoopSpec, Parameter
from rck.parts.part import PartFile
from rck.support.names import did_you_mean
from rck.support.units import dimension_of

_Record = TypeVar("_Record", bound=msgspec.Struct)


def with_units(
    assembly: Assembly, units: Units, part_file: Callable[[str], PartFile], turns: Callable[[str], bool]
) -> Assembly:
    """Return the assembly with its bare numbers in other units; texts with a unit stay.

    `part_file` returns the manifest of a part, which has the units of its parameters; `turns` returns whether the
    joint of that full name is rotary. Both are called only if a number depends on the result. Local parts state
    their own units and stay as they are. Numbers in a unit that does not exist have no meaning yet, and stay too.
    """
    change = _Change(replace_wrong_units(assembly.units, units), units, part_file, turns)
    return replaced(
        assembly,
        units=units,
        parts={name: change.instance(name, one) for name, one in assembly.parts.items()},
        mates=[change.mate(mate) for mate in assembly.mates],
        joints={name: change.setting(name, one) for name, one in assembly.joints.items()},
        poses={name: change.pose(name, one) for name, one in assembly.poses.items()},
        loops={name: change.loop(loop) for name, loop in assembly.loops.items()},
        devices={name: change.device(device) for name, device in assembly.devices.items()},
        tools={name: change.tool(tool) for name, tool in assembly.tools.items()},
        views={name: change.view(view) for name, view in assembly.views.items()},
    )


@dataclass(frozen=True)
class _Change:
    """A change of units."""

    old: Units
    new: Units
    part_file: Callable[[str], PartFile]
    turns: Callable[[str], bool]

    @property
    def changes_motion(self) -> bool:
        """True if positions or speeds of joints change."""
        return any(self.old.of(one) != self.new.of(one) for one in ("length", "angle", "speed", "angular speed"))

    def quantity(self, quantity: Quantity, dimension: str) -> Quantity:
        """Return a quantity of that dimension in the new units."""
        old, new = self.old.of(dimension), self.new.of(dimension)
        return quantity if old is None or new is None else restate(quantity, dimension, old, new)

    def record(self, record: _Record, **dimensions: str) -> _Record:
        """Return the record with some of its fields in the new units, each with its dimension."""
        changes = {name: self.value(getattr(record, name), dimension) for name, dimension in dimensions.items()}
        return msgspec.structs.replace(record, **changes)

    def value(self, value: Any, dimension: str) -> Any:
        """Return a quantity, several of them, or None, in the new units."""
        if isinstance(value, tuple):
            return tuple(self.quantity(one, dimension) for one in value)
        return None if value is None else self.quantity(value, dimension)

    def instance(self, name: str, instance: Instance) -> Instance:
        """Return the instance with its place and parameters in the new units."""
        place = instance.place and self.record(instance.place, at="length", rpy="angle")
        if not instance.with_:
            return msgspec.structs.replace(instance, place=place)
        try:
            chosen = self.parameters(self.part_file(instance.part).parameters, instance.with_)
        except RckError as error:
            raise RckError(f"the parameters of {name} cannot be converted: {error}") from None
        return msgspec.structs.replace(instance, place=place, with_=chosen)

    def parameters(self, known: Mapping[str, Parameter], given: Mapping[str, Quantity]) -> dict[str, Quantity]:
        """Return the parameters given to a part in the new units."""
        unknown = [name for name in given if name not in known]
        if unknown:
            raise RckError(f"there is no parameter {unknown[0]}{did_you_mean(unknown[0], known)}")
        return {name: self.quantity(one, dimension_of(known[name].unit)) for name, one in given.items()}

    def mate(self, mate: Mate) -> Mate:
        """Return the mate, with its joint, in the new units."""
        changed = self.record(mate, turn="angle", offset="length", rpy="angle")
        if mate.joint is None:
            return changed
        dimensions = _joint_dimensions(joint_axis(mate.joint)[0].turns)
        position = dimensions["limits"]
        # Accelerations are in the unit of positions, per second squared.
        joint: MateJoint = self.record(
            mate.joint,
            **dimensions,
            acceleration=position,
            position=position,
            spring=position,
            torque="torque",
            force="force",
        )
        if joint.follows is not None:
            joint = msgspec.structs.replace(joint, follows=self.record(joint.follows, offset=position))
        return msgspec.structs.replace(changed, joint=joint)

    def setting(self, name: str, setting: JointSetting) -> JointSetting:
        """Return the settings of a joint in the new units."""
        changed = self.record(setting, torque="torque", force="force")
        if not self.changes_motion or (setting.position, setting.limits, setting.speed) == (None, None, None):
            return changed
        turns = self.turns(name)
        return self.record(changed, **_joint_dimensions(turns), position=_joint_dimensions(turns)["limits"])

    def pose(self, name: str, pose: Mapping[str, Quantity]) -> dict[str, Quantity]:
        """Return the positions of a named pose in the new units."""
        if not self.changes_motion:
            return dict(pose)
        try:
            return {
                joint: self.quantity(one, _joint_dimensions(self.turns(joint))["limits"]) for joint, one in pose.items()
            }
        except RckError as error:
            raise RckError(f"pose {name} cannot be converted: {error}") from None

    def loop(self, loop: LoopSpec) -> LoopSpec:
        """Return the loop in the new units."""
        first, second = (self.record(pose, at="length", rpy="angle") for pose in loop.frames)
        return msgspec.structs.replace(loop, frames=(first, second))

    def device(self, device: DeviceSpec) -> DeviceSpec:
        """Return the device in the new units."""
        pose = device.pose and self.record(device.pose, at="length", rpy="angle")
        return msgspec.structs.replace(device, pose=pose)

    def tool(self, tool: Tool) -> Tool:
        """Return the tool in the new units."""
        return self.record(tool, offset="length", rpy="angle")

    def view(self, view: SavedView) -> SavedView:
        """Return the view in the new units."""
        return self.record(view, eye="length", target="length")


def _joint_dimensions(turns: bool) -> dict[str, str]:
    """Return the dimensions of the limits and the speed of a joint."""
    return {"limits": "angle", "speed": "angular speed"} if turns else {"limits": "length", "speed": "speed"}
