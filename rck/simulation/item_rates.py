"""Velocities and accelerations of all items of a kinematic simulation, from the motions that move them.

Importing this module imports numba, which takes a good half second: import it where it is used.
"""

from collections.abc import Iterable, Mapping

from rck.geometry.arrays import Floats
from rck.geometry.rates import rates_at
from rck.simulation.falling import GRAVITY, Fall
from rck.simulation.stage import Stage


def item_rates(
    stage: Stage, joint_rates: tuple[Floats, Floats], pushed: Mapping[int, int], falls: Iterable[Fall]
) -> tuple[Floats, Floats]:
    """Velocity and acceleration of every item, as `rck.geometry.rates` has them. Shape (items, 6) each.

    `joint_rates` are those of the free joints, `pushed` the objects that are pushed, each with the item that takes it
    along.
    """
    velocities, accelerations = stage.rates(*joint_rates)
    poses = stage.poses
    for number, carrier in pushed.items():
        items = list(stage.objects[number].items)
        arms = poses[items, :3, 3] - poses[carrier, :3, 3]
        velocities[items], accelerations[items] = rates_at(velocities[[carrier]], accelerations[[carrier]], arms)
    for fall in falls:
        items = list(stage.objects[fall.object].items)
        velocities[items, 2], accelerations[items, 2] = -GRAVITY * fall.elapsed, -GRAVITY
    return velocities, accelerations
