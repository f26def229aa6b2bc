"""Findings about the loops of a robot: whether they close, move, and in how many ways."""

import numpy as np

from rck.geometry.arrays import Floats
from rck.model.closure import Closure, closure_of, gap_text
from rck.model.joint import Actuation, bounds_of
from rck.model.robot import Robot
from rck.support.finding import Finding, Severity
from rck.support.units import counted

SINGULAR = 1e-4
"""The least singular value of the loop equations, over the largest, below which a position is singular."""
_TRIES = 64
_SAME = 1e-3


def closure_findings(robot: Robot) -> list[Finding]:
    """Return the findings about loops that stay open, are locked or singular, or that nothing drives."""
    closure = closure_of(robot)
    if closure is None:
        return []
    findings = []
    mobility = robot.mobility
    surplus = mobility.equations - mobility.rank
    for gap in closure.gaps(closure.seed):
        if not closure.is_closed and gap.distance + gap.angle > 0.1 * closure.residual:
            over = f"; {counted(surplus, 'equation')} more than the joints can satisfy" if surplus else ""
            message = f"cannot close: {gap_text(gap)} remain{over}"
            fix = "correct the lengths or frames, set other joint positions, or use a looser kind of loop"
            findings.append(Finding(211, Severity.WARNING, f"loop {gap.loop}", message, fix))
    looped = [joint for joint in robot.free_joints if joint.name in mobility.looped]
    where = f"robot {robot.name}"
    if not looped and mobility.looped:
        message = f"its loops lock all {counted(len(mobility.looped), 'joint')} in them"
        fix = "remove a loop, add a joint, or use a looser kind of loop"
        findings.append(Finding(212, Severity.WARNING, where, message, fix))
    elif closure.is_closed and closure.rank and _is_singular(robot, closure):
        fix = "move the joints a little, so that the mechanism does not choose a branch by chance"
        findings.append(Finding(213, Severity.WARNING, where, "its loops are at a singular position", fix))
    driven = [joint for joint in looped if robot.actuation_of(joint) is Actuation.ACTUATED]
    idle = [joint.name for joint in looped if joint not in driven]
    if driven and idle:
        message = f"its loops leave joint {', '.join(idle)} free, which nothing drives"
        fix = "drive it, give it a spring, or add a loop; until then it stays where you put it"
        findings.append(Finding(214, Severity.NOTE, where, message, fix))
    return findings


def _is_singular(robot: Robot, closure: Closure) -> bool:
    """Return True if the equations lose rank, so that they cannot move the other joints or even move a motor."""
    led_motor = any(
        robot.actuation_of(joint) is Actuation.ACTUATED
        for joint in closure.joints
        if joint.name in robot.mobility.dependent
    )
    return led_motor or closure.conditioning(closure.seed) < SINGULAR


def branch_findings(robot: Robot) -> list[Finding]:
    """Return a note if the loops also close otherwise at the same positions of the free joints."""
    closure = closure_of(robot)
    if closure is None or not closure.is_closed:
        return []
    others = other_branches(closure)
    if not others:
        return []
    led = [closure.joints[number] for number in closure.led]
    where = "; ".join(
        ", ".join(
            f"{joint.name} {np.degrees(one[number]):.4g}°"
            if joint.kind.turns
            else f"{joint.name} {1000 * one[number]:.4g} mm"
            for joint, number in zip(led[:3], closure.led[:3], strict=True)
        )
        for one in others[:3]
    )
    message = f"its loops close in {len(others) + 1} ways at this position; also with {where}"
    fix = "to change the branch, set the position of a joint in the loop near that of the other"
    return [Finding(215, Severity.NOTE, f"robot {robot.name}", message, fix)]


def other_branches(closure: Closure) -> list[Floats]:
    """Return other coordinates that close the loops at the same positions of the free joints, within the limits."""
    if closure.has_springs:
        return []
    vector = closure.seed[closure.free]
    lower, upper = bounds_of(closure.joints)
    turns = np.array([joint.kind.turns for joint in closure.joints])
    around = np.where(turns, np.pi, 1.0)
    low, high = np.maximum(lower, closure.seed - around), np.minimum(upper, closure.seed + around)
    generator = np.random.default_rng(1)
    found: list[Floats] = []
    for _ in range(_TRIES):
        seed = generator.uniform(low, np.maximum(low, high))
        seed[closure.free] = vector
        coordinates, residual, _ = closure.solve(vector, seed)
        # Whole turns are the same branch.
        near = np.where(
            turns, closure.seed + np.remainder(coordinates - closure.seed + np.pi, 2 * np.pi) - np.pi, coordinates
        )
        inside = (near >= lower - 1e-6).all() and (near <= upper + 1e-6).all()
        is_new = all(np.abs(near - one).max() > _SAME for one in (closure.seed, *found))
        if residual <= closure.tolerance and inside and is_new:
            found.append(near)
    return found
