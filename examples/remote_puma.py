"""Control a Puma 260 remotely: move its joints, then pick up a cube and put it on a stage (Kahloun 1987).

Start the server with `rck serve examples/puma-cell.rck`, then run this script; pass the port if it is not 9090.
"""

import sys
from math import radians

from rck.control import BlockingClient, connected
from rck.geometry.transforms import from_euler, translation

HOME = [radians(angle) for angle in (0, 0, -90, 0, 90, 0)]


def move_joints(puma: BlockingClient) -> None:
    """Make a relative move, an absolute move, and a move back home, at 0.3 rad/s."""
    puma.robot_speed(0.3)
    puma.move_joints_relative([radians(angle) for angle in (-70, -10, 10, 30, -20, -10)])
    puma.move_joints_absolute([radians(angle) for angle in (-60, 0, -70, 0, 90, 30)])
    puma.move_joints_absolute(HOME)


def put_cube_on_stage(puma: BlockingClient) -> None:
    """Take the cube from the table, with the hand pointing down, and put it on the stage."""

    def above(x: float, y: float, z: float):
        return translation((x, y, z)) @ from_euler((radians(180), 0.0, 0.0))

    puma.move_end_effector(above(0.26, -0.12, 0.79))
    puma.move_straight_line(above(0.26, -0.12, 0.712))
    puma.close_gripper()
    puma.move_straight_line(above(0.26, -0.12, 0.79))
    puma.move_end_effector(above(0.26, 0.14, 0.83))
    puma.move_straight_line(above(0.26, 0.14, 0.754))
    puma.open_gripper()
    puma.move_straight_line(above(0.26, 0.14, 0.83))
    puma.move_joints_absolute(HOME)


if __name__ == "__main__":
    with connected(port=int(sys.argv[1]) if len(sys.argv) > 1 else 9090, name="puma-driver") as client:
        client.joints = [f"puma_j{number}" for number in range(1, 7)]
        client.tip = "grip"
        move_joints(client)
        put_cube_on_stage(client)
