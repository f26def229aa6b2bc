"""When items first meet on the way from one joint vector to another: conservative advancement (Mirtich 1996).

Time runs from 0 to 1, and joint positions change evenly. While two hulls are apart, a direction parts them. Along that
direction the speed of every corner is known now, and its acceleration is bounded for the whole way: so there is a
time before which the corners cannot close the gap. Time jumps there, and the next direction is looked for. No jump
passes a contact, whatever its length.
"""

from math import sqrt

import numpy as np
from numba import types

from rck.kernels.bodies import FIXED, SLIDES, TURNS, WORLD, Table
from rck.kernels.broad_phase import INDICES, PAIRS, place_balls
from rck.kernels.capsules import between_cores
from rck.kernels.fk import BODIES, PLACES, VECTOR, place_bodies
from rck.kernels.gjk import TOUCHING, farthest_corner, walk
from rck.kernels.hulls import BALLS, HULLS
from rck.kernels.kernel import Floats, Ints, helper, kernel
from rck.kernels.sectors import CORNERS, SECTORS, Sectors

NEVER = 2.0
"""The time of a contact that does not come."""

NEAR = 1e-7
"""Hulls that approach each other and are nearer than this, in metres, have met, though they do not touch yet."""

# Where hulls graze each other all the way, jumps are short. So many are more than any way of a robot takes.
_JUMPS = 1_000_000


@helper
def bound_motion(bodies: Table, body: int, reach: float, start: Floats, change: Floats) -> tuple[float, float]:
    """Bounds, for the whole way, on the speed and the acceleration of points within `reach` of the body's origin.

    A joint that turns moves a point no faster than its distance from the joint's origin. The second derivative of a
    point by two joints is the turning of the inner one applied to the motion by the outer one.
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
def move_bodies(bodies: Table, poses: Floats, change: Floats, spins: Floats) -> None:
    """Write how each body moves now: (wx, wy, wz, ux, uy, uz), a point p at speed w x p + u. Shape (bodies, 6)."""
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
def place_centre(poses: Floats, hulls: Table, hull: int, centre: Floats) -> None:
    """Write the centre of a hull in the world."""
    item = hulls[hull]["item"]
    x, y, z = hulls[hull]["centre"]
    for axis in range(3):
        centre[axis] = poses[item, axis, 0] * x + poses[item, axis, 1] * y + poses[item, axis, 2] * z
        centre[axis] += poses[item, axis, 3]


@helper
def highest(
    corners: Floats,
    hulls: Table,
    poses: Floats,
    hull: int,
    centre: Floats,
    spin: Floats,
    nx: float,
    ny: float,
    nz: float,
    time: float,
    sectors: Sectors,
) -> tuple[float, float]:
    """Of the corner of a hull that would be highest along n after some time at its present speed: height and speed.

    Heights are those at present, seen from the centre of the hull.
    """
    # The speed of a point p along n is (w x p + u) . n = p . (n x w) + u . n.
    sx, sy, sz = ny * spin[2] - nz * spin[1], nz * spin[0] - nx * spin[2], nx * spin[1] - ny * spin[0]
    _, x, y, z = farthest_corner(corners, hulls, poses, hull, nx + time * sx, ny + time * sy, nz + time * sz, sectors)
    even = nx * spin[3] + ny * spin[4] + nz * spin[5] + sx * centre[0] + sy * centre[1] + sz * centre[2]
    return nx * x + ny * y + nz * z, sx * x + sy * y + sz * z + even


@helper
def jump(
    corners: Floats,
    hulls: Table,
    poses: Floats,
    a: int,
    b: int,
    centre_a: Floats,
    centre_b: Floats,
    spin_a: Floats,
    spin_b: Floats,
    nx: float,
    ny: float,
    nz: float,
    keep: float,
    acceleration: float,
    longest: float,
    sectors: Sectors,
) -> tuple[float, float]:
    """How long the gap along n, from b to a, surely stays as wide as `keep`, and the speed at which it closes then.

    Each pair of corners closes the gap like a falling stone, and the first to do so decides. The pair that is
    foremost after some time may have closed it earlier; at that earlier time another may be foremost, and so on.
    """
    gap = nx * (centre_a[0] - centre_b[0]) + ny * (centre_a[1] - centre_b[1]) + nz * (centre_a[2] - centre_b[2]) - keep
    time = longest
    while True:
        height_a, speed_a = highest(corners, hulls, poses, a, centre_a, spin_a, -nx, -ny, -nz, time, sectors)
        height_b, speed_b = highest(corners, hulls, poses, b, centre_b, spin_b, nx, ny, nz, time, sectors)
        speed = speed_a + speed_b
        way = max(gap - height_a - height_b, 0.0)
        root = sqrt(speed * speed + 2.0 * acceleration * way)
        fall = np.inf
        if speed > 0.0:
            fall = 2.0 * way / (speed + root)
        elif acceleration > 0.0:
            fall = (root - speed) / acceleration
        # Times only fall, and there are only so many pairs; the last digits of a time do not count.
        if not fall < time * (1.0 - 1e-9):
            return min(fall, time), speed
        time = fall


@helper
def meet(
    bodies: Table,
    places: Table,
    body_a: int,
    body_b: int,
    start: Floats,
    change: Floats,
    hulls: Table,
    corners: Floats,
    a: int,
    b: int,
    closing: float,
    acceleration: float,
    last: float,
    poses: Floats,
    body_poses: Floats,
    spins: Floats,
    sectors: Sectors,
) -> float:
    """The time, no later than `last`, when two hulls meet; NEVER where they do not. See :func:`sweep`."""
    vector = np.empty(len(start))
    still = np.zeros(6)
    centre_a = np.empty(3)
    centre_b = np.empty(3)
    simplex = np.empty((4, 2), np.int64)
    weights = np.empty(4)
    time = 0.0
    for _ in range(_JUMPS):
        for k in range(len(start)):
            vector[k] = start[k] + time * change[k]
        place_bodies(bodies, vector, body_poses)
        place_item(places, body_poses, body_a, hulls[a]["item"], poses)
        place_item(places, body_poses, body_b, hulls[b]["item"], poses)
        place_centre(poses, hulls, a, centre_a)
        place_centre(poses, hulls, b, centre_b)
        tx, ty, tz = centre_b[0] - centre_a[0], centre_b[1] - centre_a[1], centre_b[2] - centre_a[2]
        far = closing * (last - time) + NEAR
        vx, vy, vz, gap = between_cores(hulls, poses, a, b, tx, ty, tz)
        if gap > far:
            return NEVER
        size, vx, vy, vz = walk(
            corners, hulls, poses, a, b, tx, ty, tz, vx, vy, vz, far, 0.0, sectors, simplex, weights
        )
        if size == 0:
            return NEVER
        distance = sqrt(vx * vx + vy * vy + vz * vz)
        if distance <= TOUCHING:
            return time
        move_bodies(bodies, body_poses, change, spins)
        safe, speed = jump(
            corners,
            hulls,
            poses,
            a,
            b,
            centre_a,
            centre_b,
            spins[body_a] if body_a >= 0 else still,
            spins[body_b] if body_b >= 0 else still,
            vx / distance,
            vy / distance,
            vz / distance,
            0.5 * min(distance, NEAR),
            acceleration,
            last - time,
            sectors,
        )
        if time + safe >= last:
            return NEVER
        if distance <= NEAR and speed > 0.0:
            return time
        time += safe
    return time


@kernel(
    types.float64(
        BODIES,
        PLACES,
        INDICES,
        INDICES,
        VECTOR,
        VECTOR,
        VECTOR,
        BALLS,
        HULLS,
        CORNERS,
        SECTORS,
        PAIRS,
        types.float64[:, :, ::1],
        types.int64[::1],
    )
)
def sweep(
    bodies: Table,
    places: Table,
    body_of_item: Ints,
    way_of_item: Ints,
    reach_of_item: Floats,
    start: Floats,
    change: Floats,
    balls: Table,
    hulls: Table,
    corners: Floats,
    sectors: Sectors,
    pairs: Ints,
    poses: Floats,
    met: Ints,
) -> float:
    """The time, 0 to 1, when two items first meet, or NEVER; `met` gets the row of `pairs` and the two hulls.

    `bodies` are those that move, and what carries them; `body_of_item` says on which of them each item is, -1 for
    items that stay. Items that move in the same way have the same number in `way_of_item`, and are not tested against
    each other. `reach_of_item` is how far an item reaches from the origin of its body, in metres. `poses`, shape
    (items, 4, 4), has the poses at the start, and is written to. At the time that is returned nothing touches yet,
    unless it did so at the start.
    """
    speeds = np.zeros(len(balls))
    accelerations = np.zeros(len(balls))
    for item in range(len(balls)):
        if body_of_item[item] >= 0:
            speed, acceleration = bound_motion(bodies, body_of_item[item], reach_of_item[item], start, change)
            speeds[item], accelerations[item] = speed, acceleration
    centres = np.empty((len(balls), 3))
    place_balls(poses, balls, centres)
    chains = np.empty_like(bodies)
    row_of_body = np.full(len(bodies), -1, np.int64)
    body_poses = np.empty((len(bodies), 4, 4))
    spins = np.empty((len(bodies), 6))
    first = NEVER
    for pair in range(len(pairs)):
        item_a, item_b = pairs[pair, 0], pairs[pair, 1]
        if way_of_item[item_a] == way_of_item[item_b]:
            continue
        closing, last = speeds[item_a] + speeds[item_b], min(first, 1.0)
        x, y, z = (
            centres[item_b, 0] - centres[item_a, 0],
            centres[item_b, 1] - centres[item_a, 1],
            centres[item_b, 2] - centres[item_a, 2],
        )
        far = balls[item_a]["radius"] + balls[item_b]["radius"] + closing * last + NEAR
        if x * x + y * y + z * z > far * far:
            continue
        body_a, body_b = body_of_item[item_a], body_of_item[item_b]
        count = gather(bodies, body_a, chains, row_of_body, 0)
        count = gather(bodies, body_b, chains, row_of_body, count)
        row_a = row_of_body[body_a] if body_a >= 0 else -1
        row_b = row_of_body[body_b] if body_b >= 0 else -1
        for a in range(balls[item_a]["first"], balls[item_a]["last"]):
            for b in range(balls[item_b]["first"], balls[item_b]["last"]):
                time = meet(
                    chains[:count],
                    places,
                    row_a,
                    row_b,
                    start,
                    change,
                    hulls,
                    corners,
                    a,
                    b,
                    closing,
                    accelerations[item_a] + accelerations[item_b],
                    min(first, 1.0),
                    poses,
                    body_poses,
                    spins,
                    sectors,
                )
                if time < first:
                    first = time
                    met[0], met[1], met[2] = pair, a, b
        forget(bodies, body_a, row_of_body)
        forget(bodies, body_b, row_of_body)
    return first


@kernel(types.float64(BODIES, INDICES, VECTOR, VECTOR, VECTOR))
def longest_way(bodies: Table, body_of_item: Ints, reach_of_item: Floats, start: Floats, change: Floats) -> float:
    """No point of any item goes farther than this while the joints move from `start` by `change`, in metres.

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
    """Append to `count` rows of `chains` a body, and before it what carries it, unless they are there; the new count.

    Only these have to be placed to know where two items are, however many others move.
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
    """Undo what :func:`gather` noted of a body and what carries it."""
    while body != WORLD:
        row_of_body[body] = -1
        body = bodies[body]["parent"]


@helper
def place_item(places: Table, body_poses: Floats, body: int, item: int, poses: Floats) -> None:
    """Write the pose of an item that is on a moving body; an item that stays has -1 for its body."""
    if body < 0:
        return
    frame = places[item]["body_from_place"]
    for i in range(3):
        x, y, z = body_poses[body, i, 0], body_poses[body, i, 1], body_poses[body, i, 2]
        for j in range(4):
            poses[item, i, j] = x * frame[0, j] + y * frame[1, j] + z * frame[2, j]
        poses[item, i, 3] += body_poses[body, i, 3]
