"""Time of the first contact between two joint vectors: conservative advancement (Mirtich 1996).

Time runs from 0 to 1, and joint positions change linearly. While two hulls are apart, a direction separates them. Along
that direction the speed of every corner is known, and its acceleration is bounded for the whole motion. This gives a
time before which the corners cannot close the gap. The search steps to that time and looks for the next direction. No
step skips a contact, however long the step is.
"""

from math import sqrt
from typing import NamedTuple

import numpy as np

from rck.kernels.body_tables import FIXED, SLIDES, TURNS, WORLD, Table
from rck.kernels.broad_phase import INDICES, PAIRS, sphere_centres
from rck.kernels.capsules import capsule_separation
from rck.kernels.fk import BODIES, FRAMES, VECTOR, place_bodies
from rck.kernels.gjk import TOUCHING, closest_points, empty_simplex, farthest_corner
from rck.kernels.hull_tables import HULLS, Hulls
from rck.kernels.kernel import Floats, Ints, Vector, helper, kernel, types

NEVER = 2.0
"""The time of a contact that does not occur."""

NEAR = 1e-7
"""Hulls that approach each other and are nearer than this, in metres, count as a contact just before it occurs."""

# Hulls that graze each other during the whole motion make steps short. No motion of a robot needs this many.
_STEPS = 1_000_000


class MovingItems(NamedTuple):
    """The bodies that move, and the items on them."""

    bodies: Table
    """BODY records of the bodies that move and of those that carry them, with parents as indices into this table."""
    body_of_item: Ints
    """Index of each item's body in this table; -1 for resting items. Shape (items,)."""
    motion_of_item: Ints
    """Items with the same number never move relative to each other; 0 for resting items. Shape (items,)."""


MOVING = types.NamedTuple([BODIES, INDICES, INDICES], MovingItems)


class SweepBuffers(NamedTuple):
    """Working memory of a sweep."""

    poses: Floats
    """World from item. Shape (items, 4, 4)."""
    body_poses: Floats
    """World from body. Shape (bodies, 4, 4)."""
    velocities: Floats
    """Motions as written by :func:`body_motions`. Shape (bodies, 6)."""


@helper
def bound_motion(bodies: Table, body: int, reach: float, start: Floats, change: Floats) -> tuple[float, float]:
    """Return bounds on the speed and the acceleration of points within `reach` of the body's origin.

    They hold for the whole motion. A joint that turns moves a point no faster than its rate times the distance from the
    joint's origin. The second derivative of a point by two joints is the rotation of the inner one applied to the
    motion by the outer one.
    """
    speed = acceleration = 0.0
    while body != WORLD:
        motion, joint, ratio = bodies[body]["motion"], bodies[body]["joint"], bodies[body]["ratio"]
        frame = bodies[body]["parent_from_body"]
        outward = sqrt(frame[0, 3] ** 2 + frame[1, 3] ** 2 + frame[2, 3] ** 2)
        if motion != FIXED:
            rate = abs(ratio * change[joint])
            turning = 0.0
            inner = bodies[body]["parent"]
            while inner != WORLD:
                if bodies[inner]["motion"] == TURNS:
                    turning += abs(bodies[inner]["ratio"] * change[bodies[inner]["joint"]])
                inner = bodies[inner]["parent"]
            if motion == TURNS:
                speed += rate * reach
                acceleration += rate * reach * (rate + 2.0 * turning)
            else:
                speed += rate
                acceleration += rate * 2.0 * turning
                first = ratio * start[joint] + bodies[body]["offset"]
                outward += max(abs(first), abs(first + ratio * change[joint]))
        reach += outward
        body = bodies[body]["parent"]
    return speed, acceleration


@helper
def body_motions(bodies: Table, poses: Floats, change: Floats, spins: Floats) -> None:
    """Write the motion (wx, wy, wz, ux, uy, uz) of each body: point p has velocity w x p + u. Shape (bodies, 6)."""
    for body in range(len(bodies)):
        parent, motion = bodies[body]["parent"], bodies[body]["motion"]
        for k in range(6):
            spins[body, k] = 0.0 if parent == WORLD else spins[parent, k]
        if motion != FIXED:
            rate = bodies[body]["ratio"] * change[bodies[body]["joint"]]
            x, y, z = rate * poses[body, 0, 2], rate * poses[body, 1, 2], rate * poses[body, 2, 2]
            if motion == SLIDES:
                spins[body, 3] += x
                spins[body, 4] += y
                spins[body, 5] += z
            else:
                px, py, pz = poses[body, 0, 3], poses[body, 1, 3], poses[body, 2, 3]
                spins[body, 0] += x
                spins[body, 1] += y
                spins[body, 2] += z
                spins[body, 3] += py * z - pz * y
                spins[body, 4] += pz * x - px * z
                spins[body, 5] += px * y - py * x


@helper
def place_centre(poses: Floats, table: Table, hull: int, centre: Floats) -> None:
    """Write the centre of a hull in the world."""
    item = table[hull]["item"]
    x, y, z = table[hull]["centre"]
    for axis in range(3):
        centre[axis] = poses[item, axis, 0] * x + poses[item, axis, 1] * y + poses[item, axis, 2] * z
        centre[axis] += poses[item, axis, 3]


@helper
def leading_corner(
    hulls: Hulls, poses: Floats, hull: int, centre: Floats, spin: Floats, normal: Vector, time: float
) -> tuple[float, float]:
    """Return the height and speed of the corner that would be highest along n after some time at its present speed.

    Heights are the present ones, relative to the centre of the hull.
    """
    nx, ny, nz = normal
    # The speed of a point p along n is (w x p + u) . n = p . (n x w) + u . n.
    sx, sy, sz = ny * spin[2] - nz * spin[1], nz * spin[0] - nx * spin[2], nx * spin[1] - ny * spin[0]
    _, x, y, z = farthest_corner(hulls, poses, hull, (nx + time * sx, ny + time * sy, nz + time * sz))
    even = nx * spin[3] + ny * spin[4] + nz * spin[5] + sx * centre[0] + sy * centre[1] + sz * centre[2]
    return nx * x + ny * y + nz * z, sx * x + sy * y + sz * z + even


@helper
def safe_time(
    hulls: Hulls,
    poses: Floats,
    a: int,
    b: int,
    centre_a: Floats,
    centre_b: Floats,
    spin_a: Floats,
    spin_b: Floats,
    normal: Vector,
    keep: float,
    acceleration: float,
    longest: float,
) -> tuple[float, float]:
    """Return how long the gap along n, from b to a, surely stays as wide as `keep`, and its closing speed then.

    Each pair of corners closes the gap with constant acceleration, and the first to do so decides. The leading pair at
    some time may have closed the gap earlier; at that earlier time another pair may lead, and so on.
    """
    nx, ny, nz = normal
    gap = nx * (centre_a[0] - centre_b[0]) + ny * (centre_a[1] - centre_b[1]) + nz * (centre_a[2] - centre_b[2]) - keep
    time = longest
    while True:
        height_a, speed_a = leading_corner(hulls, poses, a, centre_a, spin_a, (-nx, -ny, -nz), time)
        height_b, speed_b = leading_corner(hulls, poses, b, centre_b, spin_b, normal, time)
        speed = speed_a + speed_b
        way = max(gap - height_a - height_b, 0.0)
        root = sqrt(speed * speed + 2.0 * acceleration * way)
        fall = np.inf
        if speed > 0.0:
            fall = 2.0 * way / (speed + root)
        elif acceleration > 0.0:
            fall = (root - speed) / acceleration
        # Times only decrease and the number of pairs is finite; the last digits of a time do not matter.
        if not fall < time * (1.0 - 1e-9):
            return min(fall, time), speed
        time = fall


@helper
def contact_time(
    bodies: Table,
    frames: Table,
    body_a: int,
    body_b: int,
    start: Floats,
    change: Floats,
    hulls: Hulls,
    a: int,
    b: int,
    closing: float,
    acceleration: float,
    last: float,
    buffers: SweepBuffers,
) -> float:
    """Return the time, no later than `last`, of the first contact of two hulls, or NEVER. See :func:`sweep`.

    `closing` and `acceleration` bound the relative speed and acceleration of the hulls.
    """
    table, poses, body_poses, spins = hulls.table, buffers.poses, buffers.body_poses, buffers.velocities
    vector = np.empty(len(start))
    still = np.zeros(6)
    centre_a = np.empty(3)
    centre_b = np.empty(3)
    simplex = empty_simplex()
    time = 0.0
    for _ in range(_STEPS):
        for k in range(len(start)):
            vector[k] = start[k] + time * change[k]
        place_bodies(bodies, vector, body_poses)
        place_item(frames, body_poses, body_a, table[a]["item"], poses)
        place_item(frames, body_poses, body_b, table[b]["item"], poses)
        place_centre(poses, table, a, centre_a)
        place_centre(poses, table, b, centre_b)
        offset = centre_b[0] - centre_a[0], centre_b[1] - centre_a[1], centre_b[2] - centre_a[2]
        far = closing * (last - time) + NEAR
        vx, vy, vz, gap = capsule_separation(table, poses, a, b, offset)
        if gap > far:
            return NEVER
        size, vx, vy, vz = closest_points(hulls, poses, a, b, offset, (vx, vy, vz), far, 0.0, simplex)
        if size == 0:
            return NEVER
        distance = sqrt(vx * vx + vy * vy + vz * vz)
        if distance <= TOUCHING:
            return time
        body_motions(bodies, body_poses, change, spins)
        safe, speed = safe_time(
            hulls,
            poses,
            a,
            b,
            centre_a,
            centre_b,
            spins[body_a] if body_a >= 0 else still,
            spins[body_b] if body_b >= 0 else still,
            (vx / distance, vy / distance, vz / distance),
            0.5 * min(distance, NEAR),
            acceleration,
            last - time,
        )
        if time + safe >= last:
            return NEVER
        if distance <= NEAR and speed > 0.0:
            return time
        time += safe
    return time


@kernel(types.float64(MOVING, FRAMES, VECTOR, VECTOR, VECTOR, HULLS, PAIRS, types.float64[:, :, ::1], types.int64[::1]))
def sweep(
    moving: MovingItems,
    frames: Table,
    reach_of_item: Floats,
    start: Floats,
    change: Floats,
    hulls: Hulls,
    pairs: Ints,
    poses: Floats,
    contact: Ints,
) -> float:
    """Return the time, 0 to 1, of the first contact, or NEVER; `contact` gets the row of `pairs` and the two hulls.

    The joints move linearly from `start` by `change`. Items that do not move relative to each other are not tested.
    `frames` has the FRAME records of the items, `reach_of_item` the distance from the origin of each item's body to its
    farthest point, in metres. `poses`, shape (items, 4, 4), has the poses at the start and is overwritten. At the time
    returned there is no contact yet, unless there was one at the start.
    """
    spheres, bodies, body_of_item = hulls.spheres, moving.bodies, moving.body_of_item
    speeds = np.zeros(len(spheres))
    accelerations = np.zeros(len(spheres))
    for item in range(len(spheres)):
        if body_of_item[item] >= 0:
            speed, acceleration = bound_motion(bodies, body_of_item[item], reach_of_item[item], start, change)
            speeds[item], accelerations[item] = speed, acceleration
    centres = np.empty((len(spheres), 3))
    sphere_centres(poses, spheres, centres)
    chains = np.empty_like(bodies)
    row_of_body = np.full(len(bodies), -1, np.int64)
    body_poses = np.empty((len(bodies), 4, 4))
    buffers = SweepBuffers(poses, body_poses, np.empty((len(bodies), 6)))
    first = NEVER
    for pair in range(len(pairs)):
        item_a, item_b = pairs[pair, 0], pairs[pair, 1]
        if moving.motion_of_item[item_a] == moving.motion_of_item[item_b]:
            continue
        closing, last = speeds[item_a] + speeds[item_b], min(first, 1.0)
        x, y, z = (
            centres[item_b, 0] - centres[item_a, 0],
            centres[item_b, 1] - centres[item_a, 1],
            centres[item_b, 2] - centres[item_a, 2],
        )
        far = spheres[item_a]["radius"] + spheres[item_b]["radius"] + closing * last + NEAR
        if x * x + y * y + z * z > far * far:
            continue
        body_a, body_b = body_of_item[item_a], body_of_item[item_b]
        count = gather(bodies, body_a, chains, row_of_body, 0)
        count = gather(bodies, body_b, chains, row_of_body, count)
        row_a = row_of_body[body_a] if body_a >= 0 else -1
        row_b = row_of_body[body_b] if body_b >= 0 else -1
        for a in range(spheres[item_a]["first"], spheres[item_a]["last"]):
            for b in range(spheres[item_b]["first"], spheres[item_b]["last"]):
                time = contact_time(
                    chains[:count],
                    frames,
                    row_a,
                    row_b,
                    start,
                    change,
                    hulls,
                    a,
                    b,
                    closing,
                    accelerations[item_a] + accelerations[item_b],
                    min(first, 1.0),
                    buffers,
                )
                if time < first:
                    first = time
                    contact[0], contact[1], contact[2] = pair, a, b
        forget(bodies, body_a, row_of_body)
        forget(bodies, body_b, row_of_body)
    return first


@kernel(types.float64(BODIES, INDICES, VECTOR, VECTOR, VECTOR))
def longest_way(bodies: Table, body_of_item: Ints, reach_of_item: Floats, start: Floats, change: Floats) -> float:
    """Return a bound on the travel of any point of any item while the joints move from `start` by `change`, in metres.

    The arguments are those of :func:`sweep`.
    """
    longest = 0.0
    for item in range(len(body_of_item)):
        if body_of_item[item] >= 0:
            speed, _ = bound_motion(bodies, body_of_item[item], reach_of_item[item], start, change)
            longest = max(longest, speed)
    return longest


@helper
def gather(bodies: Table, body: int, chains: Table, row_of_body: Ints, count: int) -> int:
    """Append a body, after those that carry it, to the `count` rows of `chains`, if missing; return the new count.

    Only these bodies need to be placed to know the poses of two items, however many others move.
    """
    added = 0
    here = body
    while here != WORLD and row_of_body[here] < 0:
        added += 1
        here = bodies[here]["parent"]
    row = count + added
    here = body
    while here != WORLD and row_of_body[here] < 0:
        row -= 1
        chains[row] = bodies[here]
        row_of_body[here] = row
        here = bodies[here]["parent"]
    for row in range(count, count + added):
        parent = chains[row]["parent"]
        if parent != WORLD:
            chains[row]["parent"] = row_of_body[parent]
    return count + added


@helper
def forget(bodies: Table, body: int, row_of_body: Ints) -> None:
    """Undo :func:`gather` for a body and those that carry it."""
    while body != WORLD:
        row_of_body[body] = -1
        body = bodies[body]["parent"]


@helper
def place_item(frames: Table, body_poses: Floats, body: int, item: int, poses: Floats) -> None:
    """Write the pose of an item on a moving body; the body of a resting item is -1."""
    if body < 0:
        return
    frame = frames[item]["body_from_frame"]
    for i in range(3):
        x, y, z = body_poses[body, i, 0], body_poses[body, i, 1], body_poses[body, i, 2]
        for j in range(4):
            poses[item, i, j] = x * frame[0, j] + y * frame[1, j] + z * frame[2, j]
        poses[item, i, 3] += body_poses[body, i, 3]
