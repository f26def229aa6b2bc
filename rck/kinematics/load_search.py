"""Search for the joint vector at which gravity requires the largest effort of a joint, within the limits.

If one joint moves and the others do not, the effort of any joint is a sine of its angle, or a linear function of the
position of a prismatic joint. The best position of one joint is therefore known exactly. From many starts, the search
improves one joint after the other in this way, tries to go further in their common direction, and follows the best
starts until nothing improves. The starts are the same each time, and so is the result.

A joint with mimic joints moves several bodies. Its effort is the sum of theirs, each times its ratio, and has several
waves. Half of the starts search for the highest of them among samples that are closer together than the waves.
"""

from collections.abc import Mapping
from fractions import Fraction
from math import ceil, lcm, pi, tau

import numpy as np

from rck.geometry.arrays import Floats
from rck.kernels.body_tables import FIXED, TURNS, WORLD
from rck.model import Frame, Robot
from rck.model.robot_arrays import robot_arrays

_STARTS = 4096
"""Random joint vectors to start from, for either sign of the effort, divided by the number of joints that matter."""
_FEWEST_STARTS, _MOST_STARTS = 64, 512
_FIRST_ROUNDS = 5
"""Rounds over all joints after which only the best starts continue."""
_FINALISTS = 32
_ROUNDS = 1000
"""Rounds at most for the best starts, divided by the number of joints that matter."""
_FEWEST_ROUNDS = 20
_AHEAD = 2.0 ** np.arange(1, 9)
"""Multiples of the last round's step that are tried."""
_PER_WAVE = 6
"""Samples per wave of the effort of a joint with mimic joints."""
_FINE_STEP = 1e-3
_SAME = 1e-10
"""Efforts that differ by less, relative to their size, are the same."""


class GravityModel:
    """The bodies of a robot with their masses, for the efforts that gravity requires.

    Bodies are those of :class:`~rck.model.robot_arrays.RobotArrays`; each is carried by one of a smaller number.
    """

    def __init__(self, robot: Robot, gravity: Floats, payload: float = 0.0, at: Frame | None = None) -> None:
        arrays = robot_arrays(robot)
        self.gravity = gravity
        self.reference = arrays.reference
        bodies = arrays.bodies
        self.parent: list[int] = bodies["parent"].tolist()
        self.moves: list[bool] = (bodies["motion"] != FIXED).tolist()
        self.turns: list[bool] = (bodies["motion"] == TURNS).tolist()
        self.joint: list[int] = bodies["joint"].tolist()
        self.ratio: list[float] = bodies["ratio"].tolist()
        self.offset: list[float] = bodies["offset"].tolist()
        self.rotation, self.origin = bodies["parent_from_body"][:, :, :3], bodies["parent_from_body"][:, :, 3:]
        self.masses = np.zeros(len(bodies))
        """Mass of each body and all that it carries. Shape (bodies,), in kg."""
        self.moments = np.zeros((len(bodies), 3, 1))
        """Mass times centre of each body alone, in its frame. Shape (bodies, 3, 1), in kg m."""
        points = [(number, item.mass, item.mass_properties.centre) for number, item in enumerate(robot.items)]
        if at is not None:
            points.append((robot.item_index[at.item], payload, at.pose[:3, 3]))
        for number, mass, centre in points:
            body, frame = arrays.items[number]
            self.masses[body] += mass
            self.moments[body, :, 0] += mass * (frame[:, :3] @ centre + frame[:, 3])
        for body, parent in reversed(list(enumerate(self.parent))):
            if parent != WORLD:
                self.masses[parent] += self.masses[body]
        self.spans = np.array([_span(robot, number) for number in range(len(self.reference))]).reshape(-1, 2)
        """Lowest and highest position of each free joint. Shape (free joints, 2), in radians or metres."""


def _span(robot: Robot, number: int) -> tuple[float, float]:
    """Return the range of a free joint within its limits and those of its mimic joints.

    A continuous joint gets as many turns as its mimic joints need to return to their position. A prismatic joint
    without limits does not move.
    """
    joint = robot.free_joints[number]
    followers = [(other, other.mimic) for other in robot.joints if other.mimic and other.mimic.joint == joint.name]
    if joint.limits is not None:
        low, high = joint.limits.lower, joint.limits.upper
    else:
        turns = [
            Fraction(mimic.ratio).limit_denominator(12).denominator for other, mimic in followers if other.kind.turns
        ]
        around = pi * lcm(*turns) if joint.kind.turns else 0.0
        low, high = joint.position - around, joint.position + around
    for other, mimic in followers:
        if other.limits is not None and mimic.ratio:
            ends = sorted((end - mimic.offset) / mimic.ratio for end in (other.limits.lower, other.limits.upper))
            if max(low, ends[0]) <= min(high, ends[1]):
                low, high = max(low, ends[0]), min(high, ends[1])
    return low, high


class LoadSearch:
    """The effort of one free joint at any joint vector. Joint vectors are columns: shape (free joints, N)."""

    def __init__(self, model: GravityModel, joint: int) -> None:
        self.model = model
        count = len(model.parent)
        self.own = {body for body in range(count) if model.moves[body] and model.joint[body] == joint}
        """The bodies that the joint moves: its own and those of its mimic joints."""
        above, below = set(self.own), set(self.own)
        for body in range(count):
            if model.parent[body] in below:
                below.add(body)
        for body in reversed(range(count)):
            if body in above and model.parent[body] != WORLD:
                above.add(model.parent[body])
        self.above, self.below, self.bodies = above, below, sorted(above | below)
        self.users: dict[int, list[int]] = {}
        """For each free joint that may change the effort, the bodies that it moves."""
        for body in self.bodies:
            if model.moves[body] and model.ratio[body]:
                self.users.setdefault(model.joint[body], []).append(body)

    def worst(self) -> tuple[Floats, float]:
        """Return the joint vector with the largest effort of either sign, and that effort."""
        model = self.model
        low, high = model.spans.T[:, :, None]
        starts = min(max(_STARTS // len(self.users), _FEWEST_STARTS), _MOST_STARTS)
        vectors = np.repeat(model.reference[:, None], 2 * starts, axis=1)
        random = np.random.default_rng(0).random(vectors.shape)
        chosen = list(self.users)
        vectors[chosen] = (low + random * (high - low))[chosen]
        vectors[:, ::starts] = np.clip(model.reference[:, None], low, high)
        sign = np.repeat([1.0, -1.0], starts)
        vectors, efforts = self._climbed(vectors, sign, _FIRST_ROUNDS)
        best = np.argsort(-efforts, kind="stable")[:_FINALISTS]
        vectors, efforts = self._climbed(vectors[:, best], sign[best], max(_ROUNDS // len(self.users), _FEWEST_ROUNDS))
        winner = int((efforts >= efforts.max() * (1 - _SAME)).argmax())
        return self._settled(vectors[:, winner], float(sign[best][winner]))

    def _settled(self, vector: Floats, sign: float) -> tuple[Floats, float]:
        """Return the joint vector with irrelevant joints at their current position, and the effort."""
        effort = float(sign * self.effort(vector[:, None])[0])
        for joint in self.users:
            back = vector.copy()
            back[joint] = np.clip(self.model.reference[joint], *self.model.spans[joint])
            if sign * self.effort(back[:, None])[0] >= effort * (1 - _SAME):
                vector = back
        return vector, float(sign * self.effort(vector[:, None])[0])

    def effort(self, vectors: Floats) -> Floats:
        """Return the effort at each joint vector: the derivative of the potential energy. Shape (N,)."""
        return self._raised(vectors)

    def _climbed(self, vectors: Floats, sign: Floats, rounds: int) -> tuple[Floats, Floats]:
        """Improve each column; return joint vectors of larger effort, and the effort times the sign."""
        low, high = self.model.spans.T[:, :, None]
        several = [joint for joint, bodies in self.users.items() if len(bodies) > 1 and np.ptp(self.model.spans[joint])]
        efforts = sign * self.effort(vectors)
        for number in range(rounds):
            before, start = efforts, vectors
            vectors = vectors.copy()
            efforts = sign * self._raised(vectors, sign, self._lowered(vectors))
            for joint in several:
                vectors, efforts = self._scanned(vectors, efforts, sign, joint, everywhere=number < _FIRST_ROUNDS)
            step = vectors - start
            ahead = np.clip(start[:, None] + _AHEAD[:, None] * step[:, None], low[:, None], high[:, None])
            vectors, efforts = self._better(vectors, efforts, ahead, sign)
            if (efforts - before <= _SAME * np.abs(efforts)).all():
                break
        return vectors, efforts

    def _better(self, vectors: Floats, efforts: Floats, tries: Floats, sign: Floats) -> tuple[Floats, Floats]:
        """Return the best of each column and its tries, shape (free joints, tries, N)."""
        values = np.tile(sign, tries.shape[1]) * self.effort(tries.reshape(len(vectors), -1))
        values = values.reshape(-1, len(sign))
        chosen, each = values.argmax(axis=0), np.arange(len(sign))
        better = values[chosen, each] > efforts
        return np.where(better, tries[:, chosen, each], vectors), np.where(better, values[chosen, each], efforts)

    def _position(self, body: int, vectors: Floats) -> Floats:
        return np.asarray(self.model.ratio[body] * vectors[self.model.joint[body]] + self.model.offset[body])

    def _lowered(self, vectors: Floats) -> dict[int, tuple[Floats, Floats]]:
        """Return two vectors in the frame of each body before it moves: gravity and the lever. Shapes (3, N).

        The product of the lever and the moment that a body carries is the body's part of the effort.
        """
        model, count = self.model, vectors.shape[1]
        before: dict[int, tuple[Floats, Floats]] = {}
        after = {WORLD: (np.repeat(model.gravity[:, None], count, axis=1), np.zeros((3, count)))}
        for body in self.bodies:
            gravity, lever = (model.rotation[body].T @ vector for vector in after[model.parent[body]])
            before[body] = gravity, lever
            if model.turns[body]:
                angle = -self._position(body, vectors)
                gravity, lever = _turned(gravity, angle), _turned(lever, angle)
                if body in self.own:
                    lever[0] -= model.ratio[body] * gravity[1]
                    lever[1] += model.ratio[body] * gravity[0]
            after[body] = gravity, lever
        return before

    def _raised(
        self, vectors: Floats, sign: Floats | None = None, before: Mapping[int, tuple[Floats, Floats]] | None = None
    ) -> Floats:
        """Return the effort, summed from the tips to the world. Shape (N,).

        Moments are passed from body to body, and so is the pull: its product with gravity is the effort. With the
        vectors of :meth:`_lowered`, each joint that moves one body is also moved to its best position.
        """
        model, count = self.model, vectors.shape[1]
        moments = {body: np.repeat(model.moments[body], count, axis=1) for body in self.below}
        pulls = {body: np.zeros((3, count)) for body in (WORLD, *self.above)}
        for body in reversed(self.bodies):
            parent, mass, rotation = model.parent[body], model.masses[body], model.rotation[body]
            moment, pull = moments.get(body), pulls.get(body)
            if body in self.own and moment is not None and pull is not None:
                if model.turns[body]:
                    pull[0] += model.ratio[body] * moment[1]
                    pull[1] -= model.ratio[body] * moment[0]
                else:
                    pull[2] -= model.ratio[body] * mass
            if before is not None and sign is not None and self.users.get(model.joint[body]) == [body]:
                self._move(body, vectors, sign, before[body], moment, pull)
            if pull is not None:
                turned = _turned(pull, self._position(body, vectors)) if model.turns[body] else pull
                pulls[parent] += rotation @ turned
            if moment is not None and parent in moments:
                if model.turns[body]:
                    moment = _turned(moment, self._position(body, vectors))
                elif model.moves[body]:
                    moment[2] += mass * self._position(body, vectors)
                moments[parent] += rotation @ moment + mass * model.origin[body]
        effort: Floats = model.gravity @ pulls[WORLD]
        return effort

    def _move(
        self,
        body: int,
        vectors: Floats,
        sign: Floats,
        before: tuple[Floats, Floats],
        moment: Floats | None,
        pull: Floats | None,
    ) -> None:
        """Move a joint with one body to where the effort times the sign is largest."""
        model, joint = self.model, self.model.joint[body]
        gravity, lever = before
        low, high = model.spans[joint]
        ends = np.repeat(np.array([[low], [high]]), len(sign), axis=1)
        if not model.turns[body]:
            slope = sign * model.ratio[body] * lever[2]
            vectors[joint] = np.where(slope == 0, vectors[joint], np.where(slope < 0, low, high))
            return
        cosine, sine = np.zeros(len(sign)), np.zeros(len(sign))
        for fixed, carried in ((lever, moment), (gravity, pull)):
            if carried is not None:
                cosine += sign * (fixed[0] * carried[0] + fixed[1] * carried[1])
                sine += sign * (fixed[1] * carried[0] - fixed[0] * carried[1])
        ratio, offset = model.ratio[body], model.offset[body]
        peak = low + ((np.arctan2(sine, cosine) - offset) / ratio - low) % (tau / abs(ratio))
        tries = np.vstack([vectors[joint], ends, np.where(peak <= high, peak, low)])
        values = cosine * np.cos(ratio * tries + offset) + sine * np.sin(ratio * tries + offset)
        # Prefer the present position if it makes no difference.
        values[0] += _SAME * np.hypot(cosine, sine)
        vectors[joint] = tries[values.argmax(axis=0), np.arange(len(sign))]

    def _scanned(
        self, vectors: Floats, efforts: Floats, sign: Floats, joint: int, *, everywhere: bool
    ) -> tuple[Floats, Floats]:
        """Move a joint with several bodies to where the effort times the sign is larger."""
        model, bodies = self.model, self.users[joint]
        low, high = model.spans[joint]

        def tried(positions: Floats) -> Floats:
            tries = np.repeat(vectors[:, None], len(positions), axis=1)
            tries[joint] = np.clip(positions, low, high)
            return tries

        step = _FINE_STEP
        if everywhere:
            waves = sum(abs(model.ratio[body]) for body in bodies if model.turns[body]) * (high - low) / tau
            count = ceil(_PER_WAVE * waves) + 2
            step = (high - low) / (count - 1)
            samples = np.repeat(np.linspace(low, high, count)[:, None], len(sign), axis=1)
            # Half of the starts keep their own wave, so that waves of similar height are all followed.
            samples[:, ::2] = vectors[joint, ::2]
            vectors, efforts = self._better(vectors, efforts, tried(samples), sign)
        # Find the top of the parabola through three points, twice if they are far apart.
        for width in (step, _FINE_STEP) if everywhere else (step,):
            middle = np.clip(vectors[joint], low + width, high - width)
            three = tried(middle + width * np.array([[-1.0], [0.0], [1.0]]))
            left, centre, right = (sign * self.effort(three[:, number]) for number in range(3))
            bend = np.minimum(left - 2 * centre + right, -1e-300)
            top = np.clip(0.5 * (left - right) / bend, -2.0, 2.0)
            vectors, efforts = self._better(vectors, efforts, tried((middle + width * top)[None]), sign)
        return vectors, efforts


def _turned(vectors: Floats, angle: Floats) -> Floats:
    """Rotate vectors, shape (3, N), about z."""
    cosine, sine = np.cos(angle), np.sin(angle)
    x, y, z = vectors
    return np.array([cosine * x - sine * y, sine * x + cosine * y, z])
