"""Hand a ball from one Puma 260 to another: one asyncio program with one client per arm (Kahloun 1987).

Start the server with `rck serve examples/handover-cell.rck`, then run this script; pass the port if it is not 9090.
"""

import asyncio
import sys
from math import radians

from rck.control import Client, connect
from rck.geometry.transforms import from_euler, translation

HOME = [radians(angle) for angle in (0, 0, -90, 0, 90, 0)]
DOWN, ACROSS = (180, 0, 0), (-90, 0, 90)


def pose(x: float, y: float, z: float, turns: tuple[float, float, float]):
    """Return a pose from a position in metres and angles in degrees about x, y and z."""
    return translation((x, y, z)) @ from_euler([radians(angle) for angle in turns])


def use_arm(client: Client, side: str) -> None:
    """Select the arm that a client controls."""
    client.joints = tuple(f"{side}_j{number}" for number in range(1, 7))
    client.tip = f"{side}-grip"


async def hand_over(left: Client, right: Client) -> None:
    """Pick up the ball with the left arm, hand it to the right arm, and put it down."""
    await asyncio.gather(left.robot_speed(0.3), right.robot_speed(0.3))
    await left.move_end_effector(pose(-0.27, -0.3, 0.8, DOWN))
    await left.move_straight_line(pose(-0.27, -0.3, 0.722, DOWN))
    await left.close_gripper("left-hand/hand")
    await left.move_straight_line(pose(-0.27, -0.3, 0.8, DOWN))
    await left.move_end_effector(pose(-0.12, 0.0, 1.04, DOWN))
    # The fingers of the right hand approach at right angles to those of the left hand.
    await right.move_end_effector(pose(-0.05, 0.0, 1.04, ACROSS))
    await right.move_straight_line(pose(-0.12, 0.0, 1.04, ACROSS))
    await right.close_gripper("right-hand/hand")
    await left.open_gripper("left-hand/hand")
    await left.move_straight_line(pose(-0.12, 0.0, 1.11, DOWN))
    await left.move_joints_absolute(HOME)
    await right.move_straight_line(pose(-0.05, 0.0, 1.04, ACROSS))
    await right.move_end_effector(pose(0.27, 0.3, 0.8, DOWN))
    await right.move_straight_line(pose(0.27, 0.3, 0.722, DOWN))
    await right.open_gripper("right-hand/hand")
    await right.move_straight_line(pose(0.27, 0.3, 0.8, DOWN))
    await right.move_joints_absolute(HOME)


async def main(port: int) -> None:
    """Connect one client per arm and run the handover."""
    async with connect(port=port, name="left") as left, connect(port=port, name="right") as right:
        use_arm(left, "left")
        use_arm(right, "right")
        await hand_over(left, right)


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 9090))
