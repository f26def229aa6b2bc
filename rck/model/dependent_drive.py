"""Positions of the free joints that bring a joint in a loop to a position."""

import numpy as np

from rck.geometry.arrays import Floats
from rck.model.closure import Closure, closure_of
from rck.model.joint import bounds_of
from rck.model.robot import Robot
from rck.support.finding import RckError
from rck.support.units import format_number, from_si

_STEP = 0.05
"""The joint goes to its position in steps of this size, in radians or metres, to stay on the branch."""
_CLOSE = 1e-10
_MOST_TRIES = 200
_LEAST_SLOPE = 1e-6
"""The least motion of the joint, relative to the free joints, that counts as leading it."""


def lead_joint(robot: Robot, name: str, position: float) -> dict[str, float]:
    """Return the positions of the free joints at which a joint that loops move has a position.

    The free joints move as little as possible. Raise :class:`RckError` if the joint cannot get there.
    """
    closure = closure_of(robot)
    joint = robot.joint(name)
    names = [one.name for one in robot.coordinate_joints]
    if closure is None or name not in names:
        raise RckError(f"no loop moves joint {name}")
    number = names.index(name)
    here, start = closure.seed, float(closure.seed[number])
    for target in np.linspace(start, position, max(2, int(np.ceil(abs(position - start) / _STEP)) + 1))[1:]:
        here = _approach(closure, number, float(target), here)
        if abs(here[number] - target) > _CLOSE:
            kind, unit = ("angle", "deg") if joint.kind.turns else ("length", "mm")
            farthest = format_number(round(from_si(float(here[number]), kind, unit), 2))
            raise RckError(
                f"joint {name} cannot go to {format_number(round(from_si(position, kind, unit), 4))} {unit}: "
                f"its loops let it go to {farthest} {unit}"
            )
    moved = np.abs(here - closure.seed) > 0.0
    return {closure.joints[one].name: float(here[one]) for one in closure.free if moved[one]}


def _approach(closure: Closure, number: int, target: float, here: Floats) -> Floats:
    """Return the coordinates at which one of them is at a near target, or as near as loops and limits let it go."""
    lower, upper = bounds_of(closure.joints)
    for _ in range(_MOST_TRIES):
        gap = target - here[number]
        if abs(gap) <= _CLOSE:
            return here
        slope = closure.slopes(here)[number]
        # Free joints at a limit stay there.
        vector = here[closure.free]
        way = slope * gap
        is_held = ((vector <= lower[closure.free]) & (way < 0.0)) | ((vector >= upper[closure.free]) & (way > 0.0))
        slope = np.where(is_held, 0.0, slope)
        size = float(slope @ slope)
        if size < _LEAST_SLOPE**2:
            break
        step = np.clip(vector + slope * (gap / size), lower[closure.free], upper[closure.free]) - vector
        step *= min(1.0, 4.0 * _STEP / max(float(np.abs(step).max()), 1e-300))
        share, better = 1.0, None
        while better is None and share > 1e-6:
            coordinates, residual, _ = closure.solve(vector + share * step, here)
            inside = (coordinates >= np.minimum(lower, here) - 1e-9) & (coordinates <= np.maximum(upper, here) + 1e-9)
            if residual <= closure.tolerance and inside.all() and abs(target - coordinates[number]) < abs(gap):
                better = coordinates
            share *= 0.5
        if better is None:
            break
        here = better
    return here
