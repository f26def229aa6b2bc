"""The arms of the inverse kinematics benchmark: catalogue arms, calibrated arms, and random arms."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from rck.geometry.transforms import from_euler, invert
from rck.hooks import discover
from rck.kinematics.chain import Chain, chain_between
from rck.kinematics.tip import root_of
from rck.language.session import new_session
from rck.model import Frame, build_robot
from rck.parts.library import open_catalogue

ARMS = ("unimation/puma-560", "universal-robots/ur5e", "abb/irb-120", "franka/panda", "kuka/iiwa-7")
"""The arms with all peers; the others have only the fastest numerical peer."""
BUILT = (4, 5, 6, 7)
"""The servos of the arms built of servos and links."""
TIP = "bench-tip"
_SERVOS = ("robotis/xm540-w270", "robotis/xm430-w350", "robotis/xh430-w210", "robotis/xc430-w150")
_SIDES = ("back", "bottom", "left", "right")


def other_arms() -> dict[str, Chain]:
    """Return the other arms: those of the catalogue with a published table and four to seven axes, and built ones."""
    catalogue = open_catalogue(discover())
    names = [name for name in catalogue.entries if name not in ARMS]
    tables = sorted(name for name in names if catalogue.file(name).manifest.dh is not None)
    whole = {name: arm_chain(name) for name in tables}
    arms = {name: chain for name, chain in whole.items() if 4 <= len(chain.joints) <= 7}
    return arms | {f"built of {count} servos": built_arm(count) for count in BUILT}


def arm_chain(name: str) -> Chain:
    """Return an arm of the catalogue, from its base to the tip of its published table."""
    part = open_catalogue(discover()).part(name)
    assert part.manifest.dh is not None
    port = part.ports[part.manifest.dh.tip]
    tip = Frame(TIP, port.item, invert(part.robot.item(port.item).pose) @ port.pose)
    robot = build_robot("arm", part.robot.items, part.robot.joints, [tip]).unwrap()
    return chain_between(robot, part.ports["base"].item, TIP)


def built_arm(joints: int) -> Chain:
    """Return an arm of catalogue servos in random orientations, with random link lengths, from a fixed seed.

    Servos are limited to 170 degrees either way: their own limits are a full turn, which cables do not allow.
    """
    random = np.random.default_rng(joints)
    session = new_session(discover(), Path())
    session.do("create structure/round-base base")
    end = "base.top"
    for number in range(joints):
        servo, side = random.choice(_SERVOS), random.choice(_SIDES)
        session.do(f"create {servo} servo{number} --at {end} --by {side}")
        turn, length = 90 * random.integers(4), random.integers(60, 200)
        line = f"create structure/bar-link link{number} length={length} --at servo{number}.horn --by a --turn {turn}"
        session.do(line)
        low, high = random.integers(-170, -60), random.integers(60, 170)
        session.do(f"set joint servo{number}/axis limits={low}..{high}")
        end = f"link{number}.b"
    session.do(f"tool {TIP} {end}")
    robot = session.compile().unwrap().robot
    return chain_between(robot, root_of(robot, TIP), TIP)


def calibrated(chain: Chain) -> Chain:
    """Return the chain with typical calibration errors: some milliradians and tenths of a millimetre."""
    rng = np.random.default_rng(4)
    joints = []
    for joint in chain.robot.joints:
        start = np.add(joint.start, rng.uniform(-5e-4, 5e-4, 3))
        end = start + from_euler(rng.uniform(-2e-3, 2e-3, 3).tolist())[:3, :3] @ joint.direction
        joints.append(replace(joint, start=tuple(start.tolist()), end=tuple(end.tolist())))
    robot = build_robot("arm", chain.robot.items, joints, chain.robot.frames).unwrap()
    return chain_between(robot, chain.base, chain.tip)
