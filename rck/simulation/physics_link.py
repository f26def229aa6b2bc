"""Link between a kinematic simulation and a physics world.

The kinematic simulation leads: it moves the joints, stops them at fixed obstacles and closes fingers on objects. The
motors of the physics world follow step by step. Sensors read the physics world, and the loose objects of the kinematic
simulation take their poses from it.
"""

from collections.abc import Mapping
from typing import Any

from rck.hooks import PhysicsWorld
from rck.simulation.contacts import ContactChecker
from rck.simulation.kinematic_state import KinematicState
from rck.simulation.motor_loads import LoadMeter


class PhysicsLink:
    """The physics world of a simulation, and the loads of its motors."""

    def __init__(self, world: PhysicsWorld, kinematics: KinematicState, contacts: ContactChecker) -> None:
        self.world = world
        self.meter = LoadMeter(kinematics.robot)
        self._kinematics = kinematics
        self._contacts = contacts
        self._held: Mapping[str, str] = {}

    def follow(self, seconds: float) -> None:
        """Move the motors to the present joint positions in a time, and simulate everything else with them."""
        self._hold()
        kinematics, world = self._kinematics, self.world
        world.steer(kinematics.vector, seconds)
        self.meter.note(world, kinematics.vector, seconds)
        poses = world.poses
        for number, thing in enumerate(kinematics.objects):
            if kinematics.holder_of(number) is None:
                kinematics.put(number, poses[thing.items[0]])
        # Forces press objects together by varying depths: resting pairs are found again.
        self._contacts.forget_resting_pairs()

    def memory(self) -> Any:
        """Return the state of the physics world, as JSON can store it."""
        return {"world": self.world.memory(), "held": dict(self._held)}

    def recall(self, memory: Any) -> None:
        """Restore a state."""
        self.world.recall(memory["world"])
        self._held = memory["held"]

    def _hold(self) -> None:
        """Fasten and release objects in the physics world as in the kinematic simulation."""
        items = self._kinematics.robot.items
        now = {
            items[self._kinematics.objects[hold.object].items[0]].name: items[hold.item].name
            for hold in self._kinematics.holds
        }
        for item, hand in self._held.items():
            if now.get(item) != hand:
                self.world.let_go(item)
        for item, hand in now.items():
            if self._held.get(item) != hand:
                self.world.hold(item, hand)
        self._held = now
