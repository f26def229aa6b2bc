"""Physics beside a simulation: motors follow where joints are led, and objects go where forces take them.

The simulation leads: it moves the joints of its stage as events ask, stops them before what stands fast, closes fingers
on what is between them. A world of forces follows step by step. What happens there is what sensors see; loose objects
of the stage are put where they are there.
"""

from collections.abc import Mapping
from typing import Any

from rck.hooks import PhysicsWorld
from rck.simulation.meeting import Contacts
from rck.simulation.stage import Stage
from rck.simulation.strength import LoadMeter


class Forces:
    """The world of forces of a stage, and what was asked of its motors."""

    def __init__(self, world: PhysicsWorld, stage: Stage, contacts: Contacts) -> None:
        self.world = world
        self.meter = LoadMeter(stage.robot)
        self._stage = stage
        self._contacts = contacts
        self._held: Mapping[str, str] = {}

    def follow(self, seconds: float) -> None:
        """Let the motors go to where the stage has its joints now, in a time, and everything else with it."""
        self._hold()
        stage, world = self._stage, self.world
        world.steer(stage.vector, seconds)
        self.meter.note(world, stage.vector, seconds)
        poses = world.poses
        for number, thing in enumerate(stage.objects):
            if stage.holder_of(number) is None:
                stage.put(number, poses[thing.items[0]])
        # What forces have pressed together by a hair more or less rests on each other as it is now.
        self._contacts.begin_again()

    def memory(self) -> Any:
        """All that is needed to go on from this moment, as JSON can hold it."""
        return {"world": self.world.memory(), "held": dict(self._held)}

    def recall(self, memory: Any) -> None:
        """Go back to, or on from, a moment."""
        self.world.recall(memory["world"])
        self._held = memory["held"]

    def _hold(self) -> None:
        """Let the hands of the world of forces hold what those of the stage hold."""
        items = self._stage.robot.items
        now = {
            items[self._stage.objects[hold.object].items[0]].name: items[hold.item].name for hold in self._stage.holds
        }
        for item, hand in self._held.items():
            if now.get(item) != hand:
                self.world.let_go(item)
        for item, hand in now.items():
            if self._held.get(item) != hand:
                self.world.hold(item, hand)
        self._held = now
