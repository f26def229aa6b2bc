"""Loops that hold joints in proportion to one other, such as those of parallelograms: they equal mimic joints."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from rck.model.closure import Closure, closure_of
from rck.model.joint import Mimic, bounds_of
from rck.model.robot import Robot

_EXACT = 1e-9
"""Error in metres, and in radians, up to which a loop is closed all the way."""
_SAMPLES = 33


def without_proportional_loops(robot: Robot) -> tuple[Robot, tuple[str, ...]]:
    """Return the robot with mimic joints instead of loops that hold exact proportions, and the names of those loops.

    A proportion is exact if its loops stay closed over the whole range of the joint that leads it.
    """
    closure = closure_of(robot)
    if closure is None or not closure.is_closed:
        return robot, ()
    mimics: dict[str, Mimic] = {}
    gone: list[str] = []
    for loops, found in _proportions(robot, closure):
        mimics |= found
        gone += loops
    if not gone:
        return robot, ()
    joints = []
    for joint in robot.joints:
        mimic = joint.mimic
        if joint.name in mimics:
            mimic = mimics[joint.name]
        elif mimic is not None and mimic.joint in mimics:
            # The leader follows another joint now.
            lead = mimics[mimic.joint]
            mimic = Mimic(lead.joint, mimic.ratio * lead.ratio, mimic.ratio * lead.offset + mimic.offset)
        joints.append(replace(joint, mimic=mimic))
    left = tuple(loop for loop in robot.loops if loop.name not in gone)
    return replace(robot, joints=tuple(joints), loops=left), tuple(gone)


def _proportions(robot: Robot, closure: Closure) -> Iterator[tuple[list[str], dict[str, Mimic]]]:
    """Yield the loops of each block that holds exact proportions, and the mimics that replace them."""
    names = [joint.name for joint in closure.joints]
    lower, upper = bounds_of(closure.joints)
    slopes = closure.slopes(closure.seed)
    _, _, _, blocks, unknowns = closure.tables
    for block in blocks:
        led = unknowns["joint"][block["first_unknown"] : block["last_unknown"]].tolist()
        loops = [closure.loops[number].name for number in range(block["first_loop"], block["last_loop"])]
        leaders = closure.leaders([names[number] for number in led])
        if len(leaders) != 1 or block["springs"]:
            continue
        column = [names[number] for number in closure.free].index(leaders[0])
        lead = int(closure.free[column])
        ratios = {number: _plain(float(slopes[number, column])) for number in led}
        if not all(ratios.values()):
            # A loop that locks a joint is no proportion.
            continue
        low = max(float(lower[lead]), closure.seed[lead] - np.pi)
        high = min(float(upper[lead]), closure.seed[lead] + np.pi)
        for x in np.linspace(low, high, _SAMPLES):
            there = closure.seed.copy()
            there[lead] = x
            for number, ratio in ratios.items():
                there[number] += ratio * (x - closure.seed[lead])
            if any(gap.loop in loops and gap.distance + gap.angle > _EXACT for gap in closure.gaps(there)):
                break
        else:
            yield (
                loops,
                {
                    names[number]: Mimic(leaders[0], ratio, float(closure.seed[number] - ratio * closure.seed[lead]))
                    for number, ratio in ratios.items()
                },
            )


def _plain(ratio: float) -> float:
    """Return the ratio without the rounding error of a whole number."""
    return float(round(ratio)) if abs(ratio - round(ratio)) < _EXACT else ratio
