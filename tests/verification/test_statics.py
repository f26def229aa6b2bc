"""Statics: manipulability, and joint efforts due to gravity."""

from dataclasses import dataclass
from math import cos, pi, sin

import numpy as np
import pytest
from rck_tests import every
from scipy.optimize import minimize

from rck.geometry.transforms import invert, translation
from rck.kinematics.chain import chain_between
from rck.kinematics.dexterity import dexterity, manipulabilities, singularity_report
from rck.kinematics.loads import GRAVITY, static_efforts, worst_loads
from rck.model import Frame, Mimic, at_positions, build_item, build_joint, build_robot
from rck.testing.robots import box_between

pin = pytest.importorskip("pinocchio")

SAMPLES = 2_000
"""Joint vectors tried for each chain before the best of them are polished."""
POLISHED = 8


@dataclass(frozen=True)
class Link:
    """A joint and its link in world coordinates, with all joints at zero."""

    base: int
    """Number of the parent link; 0 is the ground."""
    kind: str
    start: np.ndarray
    axis: np.ndarray
    limits: tuple[float, float] | None
    mimic: tuple[int, float, float] | None
    """Number of the leading link, ratio and offset."""
    low: np.ndarray
    """Corner of a box of water."""
    high: np.ndarray

    @property
    def mass(self):
        return 1000.0 * float(np.prod(self.high - self.low))


def random_links(seed):
    """Return a random chain or tree of up to seven joints, some without limits, some mimic joints."""
    rng = np.random.default_rng(seed)
    links = []
    for number in range(1, int(rng.integers(1, 8)) + 1):
        base = number - 1 if rng.random() < 0.8 else int(rng.integers(number))
        start = (links[base - 1].start if base else np.zeros(3)) + rng.uniform(-0.4, 0.4, 3)
        axis = rng.standard_normal(3) if rng.random() < 0.5 else np.eye(3)[rng.integers(3)]
        kind = str(rng.choice(["revolute", "revolute", "continuous", "prismatic"]))
        free = [other for other, link in enumerate(links, 1) if link.mimic is None]
        mimic, limits = None, None
        if free and rng.random() < 0.2:
            ratio, offset = float(rng.choice([1.0, -1.0, 0.5, -2.0, 1.25])), float(rng.choice([0.0, 0.1]))
            mimic = (int(rng.choice(free)), ratio, offset)
        if kind != "continuous":
            widest = 0.3 if kind == "prismatic" else 20.0 if mimic else pi
            low, high = (0.5, 1.0) if mimic else (0.0, 1.0)
            limits = (-widest * float(rng.uniform(low, high)), widest * float(rng.uniform(low, high)))
        centre, half = start + rng.uniform(-0.25, 0.25, 3), rng.uniform(0.02, 0.15, 3)
        links.append(Link(base, kind, start, axis / np.linalg.norm(axis), limits, mimic, centre - half, centre + half))
    return links


def rck_robot(links, tip):
    """Return the links as an RCK robot with a frame `tip` on the last link."""
    items = [build_item("link-0", [box_between((-0.1,) * 3, (0.1,) * 3)]).unwrap()]
    joints = []
    for number, link in enumerate(links, 1):
        items.append(build_item(f"link-{number}", [box_between(link.low, link.high)]).unwrap())
        joint = build_joint(
            f"joint-{number}",
            link.kind,
            f"link-{link.base}",
            items[-1].name,
            start=tuple(link.start),
            end=tuple(link.start + link.axis),
            limits=link.limits,
            mimic=None if link.mimic is None else Mimic(f"joint-{link.mimic[0]}", *link.mimic[1:]),
        )
        joints.append(joint.unwrap())
    return build_robot("random", items, joints, [Frame("tip", items[-1].name, translation(tip))]).unwrap()


class Peer:
    """Pinocchio model of the links, and the map from free joint positions to all joint positions."""

    def __init__(self, links, payload, tip):
        self.model = pin.Model()
        self.model.gravity.linear = np.array(GRAVITY)
        origins = [np.zeros(3)]
        for number, link in enumerate(links, 1):
            turning = pin.JointModelRevoluteUnaligned if link.kind != "prismatic" else pin.JointModelPrismaticUnaligned
            place = pin.SE3(np.eye(3), link.start - origins[link.base])
            self.model.addJoint(link.base, turning(link.axis), place, f"joint-{number}")
            centre = (link.low + link.high) / 2 - link.start
            self.model.appendBodyToJoint(number, pin.Inertia(link.mass, centre, np.eye(3)), pin.SE3.Identity())
            origins.append(link.start)
        weight = pin.Inertia(payload, tip - links[-1].start, np.zeros((3, 3)))
        self.model.appendBodyToJoint(len(links), weight, pin.SE3.Identity())
        self.data = self.model.createData()
        self.free = [number for number, link in enumerate(links) if link.mimic is None]
        self.leads = np.zeros((len(links), len(self.free)))
        self.offsets = np.zeros(len(links))
        for number, link in enumerate(links):
            leader, ratio, self.offsets[number] = link.mimic or (number + 1, 1.0, 0.0)
            self.leads[number, self.free.index(leader - 1)] = ratio
        # Without limits, use enough turns that every mimic joint returns to its start.
        spans = [links[number].limits or (-4 * pi, 4 * pi) for number in self.free]
        for link in links:
            if link.mimic and link.limits:
                leader, ratio, offset = link.mimic
                ends = sorted((end - offset) / ratio for end in link.limits)
                low, high = spans[self.free.index(leader - 1)]
                spans[self.free.index(leader - 1)] = max(low, ends[0]), min(high, ends[1])
        self.spans = np.array(spans)

    def all_efforts(self, vector):
        """Return the efforts of all joints, including mimic joints."""
        return pin.computeGeneralizedGravity(self.model, self.data, self.leads @ vector + self.offsets).copy()

    def efforts(self, vector):
        """Return the efforts of the free joints; a mimic joint adds its effort times the ratio to its leader."""
        return self.leads.T @ self.all_efforts(vector)

    def slopes(self, vector):
        """Return the derivative of the efforts of the free joints by their positions."""
        position = self.leads @ vector + self.offsets
        slopes = pin.computeGeneralizedGravityDerivatives(self.model, self.data, position)
        return self.leads.T @ slopes @ self.leads

    def largest(self, samples, polished, seed):
        """Return the largest effort of each free joint: many samples, the best of them optimised."""
        low, high = self.spans.T
        vectors = np.random.default_rng(seed).uniform(low, high, (samples, len(low)))
        efforts = np.array([self.efforts(vector) for vector in vectors])
        best = np.abs(efforts).max(axis=0)
        for joint in range(len(low)):
            for sign in (1.0, -1.0):
                for start in np.argsort(-sign * efforts[:, joint])[:polished]:
                    found = minimize(
                        lambda vector, joint=joint, sign=sign: -sign * self.efforts(vector)[joint],
                        vectors[start],
                        jac=lambda vector, joint=joint, sign=sign: -sign * self.slopes(vector)[joint],
                        bounds=self.spans,
                        method="L-BFGS-B",
                    )
                    best[joint] = max(best[joint], -found.fun)
        return best


def chain_errors(seed, samples=SAMPLES, polished=POLISHED):
    """Return relative errors for a random chain: shortfall of the largest efforts, and error at their positions."""
    links = random_links(seed)
    rng = np.random.default_rng(seed)
    payload = float(rng.choice([0.0, 0.5, 3.0]))
    tip = (links[-1].low + links[-1].high) / 2 + rng.uniform(-0.2, 0.2, 3)
    peer = Peer(links, payload, tip)
    robot = rck_robot(links, tip)
    loads = worst_loads(robot, payload, robot.frames[0])
    best = peer.largest(samples, polished, seed)
    short, apart = 0.0, 0.0
    for number, load in enumerate(loads):
        vector = np.array(list(load.positions.values()))
        assert (peer.spans[:, 0] - 1e-9 <= vector).all()
        assert (vector <= peer.spans[:, 1] + 1e-9).all()
        size = max(best[number], load.effort, 1e-3)
        short = max(short, (best[number] - load.effort) / size)
        apart = max(apart, abs(load.effort - abs(peer.efforts(vector)[number])) / size)
    return short, apart


@pytest.mark.parametrize("first", every(4, range(0, 200, 25)))
def test_no_position_exceeds_the_reported_largest_load(first, compare):
    errors = np.array([chain_errors(seed) for seed in range(first, first + 25)])
    check, reference = "Largest static load of each joint, 200 random chains", "pinocchio, sampled and polished"
    compare(check, reference, errors[:, 0].max(), 1e-6, "relative")
    compare("Static load at the position of the largest", "pinocchio", errors[:, 1].max(), 1e-9, "relative")


def test_static_efforts_match_pinocchio(compare):
    errors = []
    for seed in range(100):
        links = random_links(seed)
        peer, robot = Peer(links, 0.0, links[-1].start), rck_robot(links, links[-1].start)
        vector = np.random.default_rng(seed).uniform(*peer.spans.T)
        efforts = np.array(list(static_efforts(at_positions(robot, vector)).values()))
        expected = peer.all_efforts(vector)
        errors.append(np.abs(efforts - expected).max() / max(np.abs(expected).max(), 1e-3))
    compare("Static effort of each joint, 100 random chains", "pinocchio", max(errors), 1e-9, "relative")


def test_largest_load_of_a_joint_with_a_follower_is_the_global_maximum(compare):
    # A bar and a mimic bar with ratio 2: the effort m g l (cos q + 2 cos(2q + 0.3)) has several local maxima.
    start, axis = np.zeros(3), np.array([0.0, -1.0, 0.0])
    half = np.array([0.05, 0.05, 0.05])
    arm = np.array([1.0, 0.0, 0.0])
    leader = Link(0, "revolute", start, axis, (-2.0, 2.0), None, arm - half, arm + half)
    follower = Link(0, "revolute", start, axis, (-4.0, 4.0), (1, 2.0, 0.3), arm - half, arm + half)
    (load,) = worst_loads(rck_robot([leader, follower], arm))
    positions = np.linspace(-2.0, 2.0, 1_000_001)
    effort = leader.mass * -GRAVITY[2] * (np.cos(positions) + 2 * np.cos(2 * positions + 0.3))
    error = abs(load.effort / np.abs(effort).max() - 1)
    compare(
        "Largest static load of a joint with a follower", "m g l (cos q + 2 cos(2 q + 0.3))", error, 1e-9, "relative"
    )


def serial(*joints):
    """Return a chain of (kind, axis, offset to the next joint), stretched along x from the origin, base and tip."""
    here = np.zeros(3)
    items = [build_item("base", [box_between((-0.05,) * 3, (0.05,) * 3)]).unwrap()]
    built = []
    for number, (kind, axis, way) in enumerate(joints):
        name = f"link-{number}"
        items.append(build_item(name, [box_between((-0.05,) * 3, (0.05,) * 3)], pose=translation(here)).unwrap())
        limits = (-1.0, 1.0) if kind == "prismatic" else None
        end = tuple(here + axis)
        joint = build_joint(f"joint-{number}", kind, items[-2].name, name, start=tuple(here), end=end, limits=limits)
        built.append(joint.unwrap())
        here = here + way
    tip = Frame("tip", items[-1].name, translation(here) @ invert(items[-1].pose))
    return chain_between(build_robot("serial", items, built, [tip]).unwrap(), "base", "tip")


X, Y, Z = np.eye(3)
A, B, C = 0.5, 0.4, 0.2
PITCH = (("continuous", -Y, A * X), ("continuous", -Y, B * X))


def radius(q, *lengths):
    """Return the distance of the tip from the waist axis for links that pitch in series."""
    return sum(length * cos(sum(q[1 : number + 2])) for number, length in enumerate(lengths))


def over(*pitches_and_lengths):
    """Return the last pitch that puts the tip on the waist axis; earlier pitches are from the horizontal."""
    *pairs, last = pitches_and_lengths
    short = sum(length * cos(pitch) for pitch, length in zip(pairs[::2], pairs[1::2], strict=True))
    return float(np.arccos(-short / last)) - pairs[-2]


ARMS = {
    "planar, 2 joints": (
        (("continuous", Z, A * X), ("continuous", Z, B * X)),
        2,
        lambda q: A * B * sin(q[1]),
        [(0.3, 0.0), (0.3, pi)],
    ),
    "planar, 3 joints": (
        (("continuous", Z, A * X), ("continuous", Z, B * X), ("continuous", Z, C * X)),
        2,
        lambda q: A * B * sin(q[1]),
        [(0.0, 0.0, 0.0), (0.3, 0.0, 0.7), (0.3, pi, 0.7)],
    ),
    "SCARA": (
        (("continuous", Z, A * X), ("continuous", Z, B * X), ("prismatic", Z, 0 * X), ("continuous", Z, -C * Z)),
        3,
        lambda q: A * B * sin(q[1]),
        [(0.3, 0.0, 0.1, 0.5), (0.3, pi, 0.0, 0.0)],
    ),
    "wrist, 3 joints": (
        (("continuous", Z, 0 * X), ("continuous", Y, 0 * X), ("continuous", X, A * X)),
        2,
        lambda q: A**2 * cos(q[1]),
        [(0.2, pi / 2, 0.4), (0.2, -pi / 2, 0.4)],
    ),
    "articulated, 3 joints": (
        (("continuous", Z, 0 * X), *PITCH),
        3,
        lambda q: A * B * sin(q[2]) * radius(q, A, B),
        [(0.2, 0.4, 0.0), (0.2, 0.4, pi), (0.2, 1.0, over(1.0, A, B))],
    ),
    "articulated, 4 joints": (
        (("continuous", Z, 0 * X), *PITCH, ("continuous", -Y, C * X)),
        3,
        lambda q: A * B * sin(q[2]) * radius(q, A, B, C),
        [(0.2, 0.4, 0.0, 0.3), (0.2, 0.4, pi, 0.3), (0.2, 1.2, 0.4, over(1.2, A, 1.6, B, C))],
    ),
    "articulated, 5 joints": (
        (("continuous", Z, 0 * X), *PITCH, ("continuous", -Y, 0 * X), ("continuous", X, C * X)),
        3,
        lambda q: A * B * sin(q[2]) * radius(q, A, B, C),
        [(0.2, 0.4, 0.0, 0.3, 0.9), (0.2, 0.4, pi, 0.3, 0.9), (0.2, 1.2, 0.4, over(1.2, A, 1.6, B, C), 0.9)],
    ),
}


@pytest.mark.parametrize("name", ARMS)
def test_manipulability_of_arms_with_fewer_than_six_joints(name, compare):
    joints, translations, determinant, singular = ARMS[name]
    chain = serial(*joints)
    vectors = np.random.default_rng(0).uniform(-0.9, 0.9, (50, len(joints)))
    expected = np.array([abs(determinant(q)) for q in vectors]) / chain.reach**translations
    one_by_one = np.array([dexterity(chain, q).manipulability for q in vectors])
    error = max(np.abs(found - expected).max() for found in (one_by_one, manipulabilities(chain, vectors)))
    compare(f"Manipulability, {name}", "determinant of the task Jacobian", error, 1e-12, "absolute")
    assert not any(dexterity(chain, q).singular for q, value in zip(vectors, expected, strict=True) if value > 0.01)
    for q in np.array(singular):
        assert determinant(q) == pytest.approx(0, abs=1e-12)
        assert dexterity(chain, q).singular
        assert manipulabilities(chain, q[None])[0] == pytest.approx(0, abs=1e-12)
        assert singularity_report(chain, q)


@pytest.mark.parametrize("name", [name for name in ARMS if name != "SCARA"])
def test_manipulability_does_not_depend_on_the_size_of_an_arm(name):
    joints = ARMS[name][0]
    small, large = serial(*joints), serial(*((kind, axis, 1000 * way) for kind, axis, way in joints))
    vectors = np.random.default_rng(1).uniform(-0.9, 0.9, (10, len(joints)))
    np.testing.assert_allclose(manipulabilities(small, vectors), manipulabilities(large, vectors), rtol=1e-9)


def task_volume(jacobian, count):
    """Return sqrt(det(J J^T)) of the task rows of a random chain: up to 3 translations, then rotations in place."""
    translations, rotations = min(count, 3), min(max(count - 3, 0), 3)
    moves, _, joints = np.linalg.svd(jacobian[:3])
    turns, _, _ = np.linalg.svd(jacobian[3:] @ joints[translations:].T)
    rows = np.vstack([moves[:, :translations].T @ jacobian[:3], turns[:, :rotations].T @ jacobian[3:]])
    return np.sqrt(np.linalg.det(rows @ rows.T))


@pytest.mark.parametrize("count", range(1, 8))
def test_manipulability_of_random_chains_is_the_volume_of_the_task_jacobian(count, compare):
    rng = np.random.default_rng(count)
    joints = [("continuous", axis / np.linalg.norm(axis), way) for axis, way in rng.uniform(-0.5, 0.5, (count, 2, 3))]
    chain = serial(*joints)
    model = pin.Model()
    place = pin.SE3.Identity()
    for number, (_, axis, way) in enumerate(joints):
        model.addJoint(number, pin.JointModelRevoluteUnaligned(axis), place, f"joint-{number}")
        place = pin.SE3(np.eye(3), way)
    tip = model.addFrame(pin.Frame("tip", count, 0, place, pin.FrameType.OP_FRAME))
    errors = []
    for q in rng.uniform(-pi, pi, (50, count)):
        data = model.createData()
        jacobian = pin.computeFrameJacobian(model, data, q, tip, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED)
        jacobian = jacobian.reshape(6, count)
        jacobian[:3] /= chain.reach
        expected = task_volume(jacobian, count)
        found = dexterity(chain, q).manipulability, manipulabilities(chain, q[None])[0]
        errors += [abs(one - expected) for one in found]
    joints = "random chain, 1 joint" if count == 1 else f"random chain, {count} joints"
    compare(f"Manipulability, {joints}", "pinocchio: sqrt(det(J J^T))", max(errors), 1e-12, "absolute")
