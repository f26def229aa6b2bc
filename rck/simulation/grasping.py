"""What hands hold, and which pairs of items may touch because of it."""

from collections.abc import Mapping
from itertools import product

from rck.hooks import Surroundings
from rck.simulation.hands import Hand
from rck.simulation.meeting import Contacts
from rck.simulation.stage import Stage


class Grasping:
    """The hands of a stage and the objects that they have touched with intent."""

    def __init__(self, stage: Stage, contacts: Contacts, hands: Mapping[str, Hand], *, yielding: bool = False) -> None:
        """Take the hands by name. Where held objects are `yielding`, nothing stands in their way: forces do."""
        self.hands = hands
        self._stage = stage
        self._contacts = contacts
        self._yielding = yielding
        # A hand may touch what it holds until it has opened again.
        self._in_touch: dict[str, set[int]] = {name: set() for name in hands}

    def held_by(self, hand: str) -> list[str]:
        """The names of the objects in a hand."""
        stage = self._stage
        return [stage.objects[hold.object].name for hold in stage.holds if hold.gripper == hand]

    def choose(self, hand: str, world: Surroundings, wanted: str = "") -> tuple[int | None, str]:
        """The object that a hand could take now, also from another hand, or why there is none."""
        held = self.held_by(hand)
        if held:
            return None, f"it holds {', '.join(held)} already"
        return self.hands[hand].choose(world, self._stage, wanted)

    def take(self, hand: str, number: int) -> None:
        """Let a hand hold an object."""
        robot = self._stage.robot
        self._stage.grip(number, hand, robot.item_index[self.hands[hand].mount.item])
        self._in_touch[hand].add(number)
        self.refresh()

    def release(self, hand: str) -> tuple[int, ...]:
        """Let a hand go of what it holds; it may touch that until :meth:`part`."""
        freed = self._stage.release(hand)
        self._contacts.look_again()
        return freed

    def part(self, hand: str, still: frozenset[int] = frozenset()) -> None:
        """A hand is open: from now on it may not touch what it held, except what is `still` falling out of it."""
        self._in_touch[hand] &= still
        self.refresh()

    @property
    def touched(self) -> Mapping[str, frozenset[int]]:
        """The objects that each hand may touch."""
        return {name: frozenset(numbers) for name, numbers in self._in_touch.items()}

    def restore(self, touched: Mapping[str, frozenset[int]]) -> None:
        """Let hands touch what they could at another moment, and what they hold."""
        self._in_touch = {name: set(touched.get(name, ())) for name in self.hands}
        self.refresh()

    def refresh(self) -> None:
        """Let the hands touch what they hold or held, and nothing else."""
        everything = range(len(self._stage.robot.items))
        for hold in self._stage.holds:
            self._in_touch[hold.gripper].add(hold.object)
        objects = self._stage.objects
        self._contacts.allow(
            pair
            for name, numbers in self._in_touch.items()
            for number in numbers
            for pair in product(objects[number].items, everything if self._yielding else self.hands[name].items)
            if pair[0] != pair[1]
        )
