"""Static world for tests of sensors and grippers."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from rck.collision.scene import HullScene
from rck.geometry.arrays import Floats
from rck.geometry.transforms import apply, translation
from rck.hooks.surroundings import Echo, Mount, Press
from rck.model.item import build_item, place_item
from rck.model.robot import Robot, build_robot
from rck.model.robot_arrays import robot_arrays
from rck.rendering.posed_robot import pose_robot
from rck.rendering.visibility import cast
from rck.testing.robots import box_between, planar_arm


class StillWorld:
    """Static robot with the interface of the simulated world."""

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self.time = 0.0
        self.vector: Floats = robot.positions
        self.poses: Floats = np.array([item.pose for item in robot.items])
        self.velocities: Floats = np.zeros((len(robot.items), 6))
        self.accelerations: Floats = np.zeros((len(robot.items), 6))
        self.held: Mapping[str, str] = {}
        self.gravity: Floats = np.array([0.0, 0.0, -9.80665])
        self.presses: Sequence[Press] | None = None
        self._scene = HullScene(robot)
        self._figure = pose_robot(robot)

    def touching(self) -> Collection[tuple[str, str]]:
        """Return the pairs of items in contact."""
        return self._scene.touching(self.poses)

    def distance(self, one: str, other: str) -> float:
        """Return the distance of two items in metres; infinite beyond 100 m."""
        pair = {one, other}
        near = self._scene.clearances(self.poses, 100.0)
        return next((found.distance for found in near if set(found.items) == pair), float("inf"))

    def cast(self, origins: Floats, directions: Floats, farthest: float, unseen: Collection[str] = ()) -> Echo:
        """Return the first hits of rays, shape (rays, 3) each, within `farthest` metres."""
        solids = robot_arrays(self.robot).solids
        hidden = [self.robot.item_index[name] for name in unseen]
        seen = ~np.isin(solids.item_of_subitem, hidden)
        met = cast(self._figure, origins, directions, farthest=farthest, seen=seen, threads=1)
        return Echo(met.distance, np.append(solids.item_of_subitem, -1)[met.subitem], met.normal)


def arm_before_a_wall(gap: float = 0.5) -> tuple[StillWorld, Mount]:
    """Return an arm along x, a wall at a distance of `gap` from its tip, and a mount at the tip that faces the wall.

    There are also two loose cubes: `near`, a millimetre above the last link, and `far`, ten metres away.
    """
    arm = planar_arm(2)
    tip = arm.items[-1]
    corners = np.concatenate([subitem.shape.vertices for subitem in tip.subitems])
    world_corners = apply(tip.pose, corners)
    end, top = float(world_corners[:, 0].max()), float(world_corners[:, 2].max())
    wall = build_item("wall", [box_between((end + gap, -1.0, -1.0), (end + gap + 0.1, 1.0, 1.0))])
    cube = box_between((-0.02, -0.02, 0.0), (0.02, 0.02, 0.04))
    middle = float(world_corners[:, 0].mean())
    near = build_item("near", [cube], mobile=True, pose=translation((middle, 0.0, top + 0.001)))
    far = place_item(build_item("far", [cube], mobile=True).unwrap(), translation((0.0, 10.0, 0.0)))
    items = [*arm.items, wall.unwrap(), near.unwrap(), far]
    robot = build_robot("arm-before-a-wall", items, arm.joints, arm.frames).unwrap()
    # Devices face along z.
    looking = translation((end + 1e-6, 0.0, 0.0))
    looking[:3, :3] = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
    return StillWorld(robot), Mount("device", tip.name, np.linalg.inv(tip.pose) @ looking)
