"""Closed mechanisms with known geometry, for tests: planar linkages, a delta robot and a Stewart platform."""

import numpy as np
from numpy.typing import ArrayLike

from rck.geometry.arrays import Floats
from rck.geometry.transforms import frame, invert, translation
from rck.model import Frame, Item, Joint, Robot, build_item, build_joint, build_robot
from rck.model.joint import Actuation
from rck.model.loop import Loop, LoopKind
from rck.testing.robots import box_between

_THIN = 0.004
_Z = (0.0, 0.0, 1.0)


class _Builder:
    """Items, joints and loops of a mechanism, in world coordinates."""

    def __init__(self) -> None:
        self.items: dict[str, Item] = {}
        self.joints: list[Joint] = []
        self.loops: list[Loop] = []
        self.frames: list[Frame] = []

    def item(self, name: str, at: ArrayLike = (0.0, 0.0, 0.0)) -> str:
        box = box_between((-_THIN, -_THIN, -_THIN), (_THIN, _THIN, _THIN))
        self.items[name] = build_item(name, [box], pose=translation(at)).unwrap()
        return name

    def joint(
        self,
        name: str,
        base: str,
        moves: str,
        at: ArrayLike,
        axis: ArrayLike = _Z,
        *,
        actuated: bool = False,
        kind: str = "continuous",
        stiffness: float = 0.0,
        limits: tuple[float, float] | None = None,
    ) -> None:
        end = np.asarray(at) + np.asarray(axis)
        drive = Actuation.ACTUATED if actuated else Actuation.PASSIVE
        self.joints.append(
            build_joint(
                name,
                kind,
                base,
                moves,
                start=np.asarray(at).tolist(),
                end=end.tolist(),
                actuation=drive,
                stiffness=stiffness,
                limits=limits,
            ).unwrap()
        )

    def loop(
        self, name: str, one: str, other: str, at: ArrayLike, kind: LoopKind = LoopKind.CONNECT,
        axis: ArrayLike = _Z,
    ) -> None:  # fmt: skip
        world = frame(np.asarray(at), z=np.asarray(axis))
        poses = invert(self.items[one].pose) @ world, invert(self.items[other].pose) @ world
        self.loops.append(Loop(name, kind, (one, other), poses))

    def point(self, name: str, item: str, at: ArrayLike) -> None:
        self.frames.append(Frame(name, item, invert(self.items[item].pose) @ translation(at), tool=True))

    def robot(self, name: str) -> Robot:
        return build_robot(name, self.items.values(), self.joints, self.frames, loops=self.loops).unwrap()


def four_bar(
    ground: float, crank: float, coupler: float, rocker: float, *, kind: LoopKind = LoopKind.CONNECT, side: float = 1.0
) -> Robot:
    """Return a four-bar linkage in the xy plane, its crank along y; `side` chooses the branch.

    The crank turns about the origin, the rocker about x = `ground`. Positions are zero as built.
    """
    a, d = np.array([0.0, crank, 0.0]), np.array([ground, 0.0, 0.0])
    b = circle_crossing(a, coupler, d, rocker, side)
    made = _Builder()
    made.item("ground")
    made.item("crank", a / 2)
    made.item("coupler", (a + b) / 2)
    made.item("rocker", (b + d) / 2)
    made.joint("crank", "ground", "crank", (0.0, 0.0, 0.0), actuated=True)
    made.joint("coupler", "crank", "coupler", a)
    made.joint("rocker", "ground", "rocker", d)
    made.loop("pin", "coupler", "rocker", b, kind)
    made.point("tip", "coupler", b)
    return made.robot("four-bar")


def five_bar(ground: float, first: float, second: float) -> Robot:
    """Return a symmetric five-bar arm in the xy plane: two cranks at ±`ground`/2 along y, and two rods.

    Both cranks have length `first`, both rods `second`. Positions are zero as built.
    """
    made = _Builder()
    left, right = np.array([-ground / 2, 0.0, 0.0]), np.array([ground / 2, 0.0, 0.0])
    up = np.array([0.0, first, 0.0])
    tip = circle_crossing(left + up, second, right + up, second, 1.0)
    made.item("ground")
    for name, foot in (("left", left), ("right", right)):
        made.item(f"{name}-crank", foot + up / 2)
        made.item(f"{name}-rod", (foot + up + tip) / 2)
        made.joint(f"{name}", "ground", f"{name}-crank", foot, actuated=True)
        made.joint(f"{name}-elbow", f"{name}-crank", f"{name}-rod", foot + up)
    made.loop("tip", "left-rod", "right-rod", tip)
    made.point("tool", "left-rod", tip)
    return made.robot("five-bar")


def delta(base: float, upper: float, rod: float, platform: float) -> Robot:
    """Return a delta robot below the xy plane: three upper arms, level as built, and rods to a platform.

    `base` and `platform` are radii. The platform slides along x, y and z, as the parallelograms of a delta let it do.
    """
    made = _Builder()
    made.item("ground")
    away = base + upper - platform
    depth = float(np.sqrt(rod**2 - away**2))
    centre = np.array([0.0, 0.0, -depth])
    made.item("carriage-x")
    made.item("carriage-y")
    made.item("platform", centre)
    for axis, (name, on, moved) in enumerate(
        (("x", "ground", "carriage-x"), ("y", "carriage-x", "carriage-y"), ("z", "carriage-y", "platform"))
    ):
        made.joint(name, on, moved, (0.0, 0.0, 0.0), np.eye(3)[axis].tolist(), kind="prismatic")
    for number in range(3):
        angle = 2 * np.pi * number / 3
        out, side = np.array([np.cos(angle), np.sin(angle), 0.0]), np.array([-np.sin(angle), np.cos(angle), 0.0])
        elbow, wrist = (base + upper) * out, centre + platform * out
        made.item(f"arm-{number}", (base + upper / 2) * out)
        made.item(f"yoke-{number}", elbow)
        made.item(f"rod-{number}", (elbow + wrist) / 2)
        made.joint(f"motor-{number}", "ground", f"arm-{number}", base * out, side.tolist(), actuated=True)
        made.joint(f"swing-{number}", f"arm-{number}", f"yoke-{number}", elbow, side.tolist())
        across = np.cross((wrist - elbow) / rod, side)
        made.joint(f"tilt-{number}", f"yoke-{number}", f"rod-{number}", elbow, across.tolist())
        made.loop(f"wrist-{number}", f"rod-{number}", "platform", wrist)
    made.point("tool", "platform", centre)
    return made.robot("delta")


def stewart(feet: Floats, mounts: Floats, height: float) -> Robot:
    """Return a Stewart platform: six legs from `feet` to `mounts`, shapes (6, 3), the platform at `height`.

    `mounts` are relative to the platform. The platform is carried by the first leg: its foot turns about two axes, its
    leg slides, and a ball joint of three hinges is on top. The other legs close loops there. Positions are zero.
    """
    made = _Builder()
    made.item("ground")
    centre = np.array([0.0, 0.0, height])
    made.item("platform", centre)
    for number in range(6):
        foot, mount = feet[number], mounts[number] + centre
        along = (mount - foot) / np.linalg.norm(mount - foot)
        x, y = frame(foot, z=along)[:3, 0], frame(foot, z=along)[:3, 1]
        for part in ("yoke", "cylinder", "piston"):
            made.item(f"{part}-{number}", foot if part == "yoke" else foot + 0.3 * along)
        made.joint(f"foot-x-{number}", "ground", f"yoke-{number}", foot, x.tolist())
        made.joint(f"foot-y-{number}", f"yoke-{number}", f"cylinder-{number}", foot, y.tolist())
        made.joint(
            f"leg-{number}",
            f"cylinder-{number}",
            f"piston-{number}",
            foot,
            along.tolist(),
            kind="prismatic",
            actuated=True,
        )
        if number == 0:
            made.item("ball-1", mount)
            made.item("ball-2", mount)
            for name, on, moved, axis in (
                ("ball-x", "piston-0", "ball-1", x),
                ("ball-y", "ball-1", "ball-2", y),
                ("ball-z", "ball-2", "platform", along),
            ):
                made.joint(name, on, moved, mount, axis.tolist())
        else:
            made.loop(f"ball-{number}", f"piston-{number}", "platform", mount)
    made.point("tool", "platform", centre)
    return made.robot("stewart")


def circle_crossing(one: Floats, radius: float, other: Floats, other_radius: float, side: float) -> Floats:
    """Return the crossing of two circles in the xy plane: left of the way between their centres if `side` is 1."""
    way = other - one
    length = float(np.linalg.norm(way))
    along = (radius**2 - other_radius**2 + length**2) / (2 * length)
    across = float(np.sqrt(radius**2 - along**2))
    unit = way / length
    found: Floats = one + along * unit + side * across * np.array([-unit[1], unit[0], 0.0])
    return found


def point_of_three_spheres(points: list[Floats], radius: float) -> Floats:
    """Return the point at a distance from three points, the lower one. Shapes (3,)."""
    first, second, third = points
    x = (second - first) / np.linalg.norm(second - first)
    i = x @ (third - first)
    y = third - first - i * x
    j = float(np.linalg.norm(y))
    y = y / j
    z = np.cross(x, y)
    d = np.linalg.norm(second - first)
    u = d / 2
    v = (i * i + j * j) / (2 * j) - i / j * u
    w = np.sqrt(radius**2 - u**2 - v**2)
    both = [first + u * x + v * y + sign * w * z for sign in (1.0, -1.0)]
    lower: Floats = min(both, key=lambda point: point[2])
    return lower


def planar_linkage(points: Floats) -> Robot:
    """Return links hinged at the points of a polygon, shape (points, 2); the last hinge is a loop."""
    made = _Builder()
    places = np.column_stack([points, np.zeros(len(points))])
    made.item("link-0", (places[0] + places[-1]) / 2)
    for number in range(1, len(points)):
        made.item(f"link-{number}", (places[number - 1] + places[number]) / 2)
        made.joint(f"joint-{number}", f"link-{number - 1}", f"link-{number}", places[number - 1])
    made.loop("closing", f"link-{len(points) - 1}", "link-0", places[-1])
    return made.robot("linkage")
