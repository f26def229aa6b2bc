"""Closed chains: the positions of the joints that loops move, for positions of the free joints."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike

from rck.geometry.arrays import Bools, Floats, Ints, frozen
from rck.kernels import closure as kernels
from rck.kernels.body_tables import FIXED, WORLD, Table
from rck.kernels.parallel import run_in_chunks
from rck.model.body_table import body_table
from rck.model.joint import Joint, bounds_of
from rck.model.loop import Loop, LoopKind
from rck.model.mobility import loop_arms, loop_length
from rck.model.robot import Robot
from rck.support.finding import RckError

LONGEST_STEP = 0.3
"""The free joints go to a position in steps of this size, in radians or metres, to stay on their branch."""
TOLERANCE = 1e-9
"""Loops closed to this many metres are closed."""
LOOSEST = 1e-4
"""Loops that are open by more than this at the reference, in metres, cannot be closed."""
_CHUNK = 256
_DIFFERENCE = 1e-5
_KINDS = {
    LoopKind.CONNECT: kernels.CONNECT,
    LoopKind.WELD: kernels.WELD,
    LoopKind.REVOLUTE: kernels.REVOLUTE,
    LoopKind.PRISMATIC: kernels.PRISMATIC,
}


@dataclass(frozen=True, slots=True)
class LoopError:
    """The remaining error of a loop."""

    loop: str
    distance: float
    """Between the two origins, without the free direction of a prismatic loop, in metres."""
    angle: float
    """Between the two frames, without the free rotation of a revolute loop, in radians."""


@dataclass(frozen=True, eq=False)
class Closure:
    """The solver of the loops of a robot. Get it with :func:`closure_of`.

    Coordinates have one position per joint of `Robot.coordinate_joints`, joint vectors one per free joint.
    """

    name: str
    loops: tuple[Loop, ...]
    """In the order of their records."""
    joints: tuple[Joint, ...]
    """The joints of the coordinates."""
    free: Ints
    """The position of each free joint in the coordinates."""
    seed: Floats
    """The coordinates of the robot, loops closed if they can be. Shape (coordinates,)."""
    residual: float
    """The error of the loops at `seed`, in metres; rotations count with the size of the loop."""
    looped: frozenset[str]
    """The joints in loops."""
    rank: int
    """The number of independent equations."""
    has_springs: bool
    tables: tuple[Table, Table, Table, Table, Table]
    """BODY, LOOP, ARM, BLOCK and UNKNOWN records of the kernels."""

    @property
    def tolerance(self) -> float:
        """The largest residual of a closed mechanism, in metres: files with rounded numbers never close exactly."""
        return max(TOLERANCE, (10.0 if self.is_closed else 2.0) * self.residual)

    @property
    def is_closed(self) -> bool:
        """True if the loops can be closed at the reference."""
        return self.residual <= LOOSEST

    def solve(self, vector: ArrayLike, seed: Floats | None = None) -> tuple[Floats, float, float]:
        """Return the coordinates at a joint vector, the residual in metres, and the smallest ratio of pivots.

        The dependent joints start from the coordinates `seed`, by default those of the robot.
        """
        row = np.asarray(vector, np.float64, order="C")
        coordinates, results = np.empty((1, len(self.seed))), np.empty((1, 2))
        kernels.close_loops.unchecked(
            *self.tables, self.free, self.seed if seed is None else seed, LONGEST_STEP, self.tolerance,
            row[None], coordinates, results,
        )  # fmt: skip
        return coordinates[0], float(results[0, 0]), float(results[0, 1])

    def complete(self, vector: ArrayLike, seed: Floats | None = None) -> Floats:
        """Return the coordinates at a joint vector; raise :class:`RckError` if a loop does not close there."""
        coordinates, residual, _ = self.solve(vector, seed)
        if residual > self.tolerance and np.isfinite(residual):
            worst = max(self.gaps(coordinates), key=lambda gap: gap.distance + gap.angle)
            raise RckError(
                f"robot {self.name} cannot take this position: loop {worst.loop} stays open by {gap_text(worst)}; "
                "move its free joints less far"
            )
        return coordinates

    def complete_batch(self, vectors: ArrayLike, *, threads: int | None = None) -> tuple[Floats, Floats]:
        """Return the coordinates at each joint vector, shape (batch, free joints), and the residuals in metres.

        Rows that do not close are not a number. Shapes (batch, coordinates) and (batch,). Runs on all cores by default.
        """
        given = np.asarray(vectors, np.float64)
        # Each row starts from the row before: bring similar rows together.
        looped = [column for column, joint in enumerate(self.free) if self.joints[joint].name in self.looped]
        cells = [np.round(given[:, column] / LONGEST_STEP) for column in looped[:-1]]
        order = np.lexsort([given[:, column] for column in looped[-1:]] + cells) if looped else np.arange(len(given))
        rows = np.ascontiguousarray(given[order])
        coordinates, results = np.empty((len(rows), len(self.seed))), np.empty((len(rows), 2))

        def work(part: slice) -> None:
            # Chunks of a fixed size: the row before is the start of a row, and results must not depend on the cores.
            for number in range(part.start, part.stop):
                chunk = slice(number * _CHUNK, (number + 1) * _CHUNK)
                kernels.close_loops(
                    *self.tables, self.free, self.seed, LONGEST_STEP, self.tolerance,
                    rows[chunk], coordinates[chunk], results[chunk],
                )  # fmt: skip

        run_in_chunks(work, -(-len(rows) // _CHUNK), smallest=1, threads=threads)
        coordinates[results[:, 0] > self.tolerance] = np.nan
        whole, residuals = np.empty_like(coordinates), np.empty(len(rows))
        whole[order], residuals[order] = coordinates, results[:, 0]
        return whole, residuals

    def closes(self, vectors: ArrayLike) -> Bools:
        """Return True for each joint vector, shape (batch, free joints), at which the loops close within all limits."""
        coordinates, residuals = self.complete_batch(vectors)
        lower, upper = bounds_of(self.joints)
        inside = (coordinates >= lower - 1e-6) & (coordinates <= upper + 1e-6)
        closed: Bools = (residuals <= self.tolerance) & inside[:, self.is_led].all(axis=1)
        return closed

    def reach(self, vector: Floats, change: Floats, seed: Floats) -> tuple[float, str]:
        """Return the share of a motion of the free joints that loops and limits of led joints allow, and why no more.

        `seed` has the coordinates at the start.
        """
        why = self._obstacle(vector + change, seed)
        if not why:
            return 1.0, ""
        low, high = 0.0, 1.0
        while high - low > 1e-9:
            middle = 0.5 * (low + high)
            found = self._obstacle(vector + middle * change, seed)
            if found:
                high, why = middle, found
            else:
                low = middle
        return low, why

    def _obstacle(self, vector: Floats, seed: Floats) -> str:
        """Return why the mechanism cannot go to a joint vector; empty if it can."""
        coordinates, residual, _ = self.solve(vector, seed)
        if residual > self.tolerance:
            worst = max(self.gaps(coordinates), key=lambda gap: gap.distance + gap.angle)
            return f"loop {worst.loop} cannot close any farther"
        lower, upper = bounds_of(self.joints)
        # A joint that starts beyond its limit may move back.
        outside = (coordinates < np.minimum(lower, seed) - 1e-9) | (coordinates > np.maximum(upper, seed) + 1e-9)
        outside[self.free] = False
        return f"joint {self.joints[int(outside.argmax())].name} is at its limit" if outside.any() else ""

    def slopes(self, coordinates: Floats) -> Floats:
        """Return the derivatives of the coordinates by the free joints. Shape (coordinates, free joints)."""
        result = np.zeros((len(coordinates), len(self.free)))
        result[self.free, np.arange(len(self.free))] = 1.0
        if self.has_springs:
            # The springs move along with the minimum of their energy.
            vector = coordinates[self.free]
            for column in range(len(self.free)):
                change = np.zeros(len(vector))
                change[column] = _DIFFERENCE
                ahead, behind = (self.solve(vector + sign * change, coordinates)[0] for sign in (1.0, -1.0))
                result[:, column] = (ahead - behind) / (2.0 * _DIFFERENCE)
            return result
        _, equations = self._equations(coordinates)
        led = self.led
        result[led] = -np.linalg.lstsq(equations[:, led], equations[:, self.free], rcond=1e-9)[0]
        return result

    def rates(
        self, vector: Floats, velocities: Floats, accelerations: Floats, seed: Floats | None = None
    ) -> tuple[Floats, Floats, Floats]:
        """Return coordinates, their velocities and accelerations, for those of the free joints."""
        here = self.complete(vector, seed)
        slopes = self.slopes(here)
        second = slopes @ accelerations
        fastest = float(np.abs(velocities).max(initial=0.0))
        if fastest > 0.0:
            step = _DIFFERENCE / fastest
            ahead, behind = (self.slopes(self.solve(vector + way * step * velocities, here)[0]) for way in (1.0, -1.0))
            second = second + (ahead - behind) @ velocities / (2.0 * step)
        return here, slopes @ velocities, second

    def moved_by(self, moving: Bools) -> Bools:
        """Return which coordinates change with these free joints. Shape (coordinates,)."""
        result = np.zeros(len(self.seed), dtype=bool)
        result[self.free] = moving
        _, loops, arms, blocks, unknowns = self.tables
        for block in blocks:
            first, last = loops[block["first_loop"]]["first"], loops[block["last_loop"] - 1]["last"]
            if result[arms["joint"][first:last]].any():
                result[unknowns["joint"][block["first_unknown"] : block["last_unknown"]]] = True
        return result

    def leaders(self, names: Sequence[str]) -> list[str]:
        """Return the free joints that move these joints, in order."""
        number_of = {joint.name: number for number, joint in enumerate(self.joints)}
        wanted = {number_of[name] for name in names}
        found = []
        for column, number in enumerate(self.free):
            flags = np.zeros(len(self.free), dtype=bool)
            flags[column] = True
            if wanted & set(np.flatnonzero(self.moved_by(flags)).tolist()):
                found.append(self.joints[number].name)
        return found

    @property
    def is_led(self) -> Bools:
        """True for each coordinate that loops or springs move. Shape (coordinates,)."""
        flags = np.ones(len(self.seed), dtype=bool)
        flags[self.free] = False
        return flags

    @property
    def led(self) -> Ints:
        """The positions in the coordinates of the joints that loops or springs move."""
        return np.flatnonzero(self.is_led)

    def conditioning(self, coordinates: Floats) -> float:
        """Return the ratio of the least and the largest singular value of the equations; 0 at singular positions."""
        _, equations = self._equations(coordinates)
        values = np.linalg.svd(equations[:, self.led], compute_uv=False)
        return float(values[self.rank - 1] / values[0]) if self.rank else 1.0

    def gaps(self, coordinates: Floats) -> list[LoopError]:
        """Return the error of each loop."""
        errors, _ = self._equations(coordinates)
        found = []
        row = 0
        for record, loop in zip(self.tables[1], self.loops, strict=True):
            points = 2 if record["kind"] == kernels.PRISMATIC else 3
            end = row + kernels.ROWS[int(record["kind"])]
            angle = np.arcsin(min(1.0, float(np.linalg.norm(errors[row + points : end])) / float(record["length"])))
            found.append(LoopError(loop.name, float(np.linalg.norm(errors[row : row + points])), float(angle)))
            row = end
        return found

    def _equations(self, coordinates: Floats) -> tuple[Floats, Floats]:
        bodies, loops, arms, blocks, _ = self.tables
        rows = sum(kernels.ROWS[int(kind)] for kind in loops["kind"])
        errors, slopes = np.empty(rows), np.empty((rows, len(self.seed)))
        kernels.loop_equations(bodies, loops, arms, blocks, np.ascontiguousarray(coordinates), errors, slopes)
        return errors, slopes


_known: WeakKeyDictionary[Robot, Closure] = WeakKeyDictionary()


def closure_of(robot: Robot) -> Closure | None:
    """Return the solver of the loops of a robot; None for open chains."""
    if not robot.closing_loops:
        return None
    found = _known.get(robot)
    if found is None:
        found = _known[robot] = _build(robot)
    return found


def keep_closure(moved: Robot, robot: Robot, coordinates: Floats) -> None:
    """Let a robot that was moved to these coordinates use the tables of the robot that it was."""
    found = closure_of(robot)
    assert found is not None
    _known[moved] = replace(found, seed=frozen(coordinates))


def gap_text(gap: LoopError) -> str:
    """Format the error of a loop in millimetres and degrees."""
    angle = f" and {np.degrees(gap.angle):.3g} degrees" if gap.angle > 1e-9 else ""
    return f"{1000.0 * gap.distance:.3g} mm{angle}"


def _build(robot: Robot) -> Closure:
    bodies, item_frames = body_table(robot)
    joints = robot.coordinate_joints
    column_of = {joint.name: number for number, joint in enumerate(joints)}
    mobility = robot.mobility
    led = {column_of[name] for name in mobility.dependent | mobility.sprung}
    blocks = _blocks(robot, column_of, led)
    loops = [loop for of_block, _ in blocks for loop in of_block]
    arms_of = {loop.name: _arms(robot, loop) for loop in loops}
    used: list[Table] = []
    body_count = 0
    loop_table = np.zeros(len(loops), kernels.LOOP)
    block_table = np.zeros(len(blocks), kernels.BLOCK)
    arm_rows: list[tuple[int, float, int, int]] = []
    unknowns: list[int] = []
    number = 0
    for block, (of_block, columns) in enumerate(blocks):
        first = number
        own, rows = _used_bodies(bodies, [body for loop in of_block for body, _ in arms_of[loop.name]])
        used.append(own)
        for loop in of_block:
            arms = arms_of[loop.name]
            begin = len(arm_rows)
            for body, sign in arms:
                if bodies[body]["motion"] != FIXED:
                    joint = int(bodies[body]["joint"])
                    arm_rows.append((rows[body], sign, joint, columns.index(joint) if joint in columns else -1))
            ends = [item_frames[robot.item_index[item]] for item in loop.items]
            frames = [(matrix @ pose)[:3] for (_, matrix), pose in zip(ends, loop.poses, strict=True)]
            world_from_end = robot.item(loop.items[0]).pose @ loop.poses[0]
            round_loop = [robot.joints[joint] for joint, _ in _joints_round(robot, loop)]
            length = loop_length(loop, world_from_end, [joint for joint in round_loop if joint.kind.moves])
            loop_table[number] = (
                _KINDS[loop.kind], [rows.get(body, WORLD) for body, _ in ends], frames, begin, len(arm_rows), length,
            )  # fmt: skip
            number += 1
        equations = sum(kernels.ROWS[_KINDS[loop.kind]] for loop in of_block)
        springs = sum(joints[column].name in mobility.sprung for column in columns)
        block_table[block] = (
            first, number, len(unknowns), len(unknowns) + len(columns), body_count, body_count + len(own), equations,
            springs,
        )  # fmt: skip
        unknowns += columns
        body_count += len(own)
    lower, upper = bounds_of(joints)
    unknown_table = np.zeros(len(unknowns), kernels.UNKNOWN)
    for row, column in enumerate(unknowns):
        sprung = joints[column]
        unknown_table[row] = (column, lower[column], upper[column], sprung.stiffness, sprung.spring_position)
    arm_table = np.array(arm_rows, kernels.ARM)
    free = np.array([column_of[joint.name] for joint in robot.free_joints], dtype=np.int64)
    positions = np.array([joint.position for joint in joints], dtype=float)
    tables = (np.concatenate(used), loop_table, arm_table, block_table, unknown_table)
    for table in tables:
        table.setflags(write=False)
    closure = Closure(
        robot.name, tuple(loops), joints, frozen(free), frozen(positions), np.inf, mobility.looped,
        mobility.rank, bool(mobility.sprung), tables,
    )  # fmt: skip
    coordinates, residual, _ = closure.solve(positions[free])
    return replace(closure, seed=frozen(coordinates), residual=residual)


def _joints_round(robot: Robot, loop: Loop) -> list[tuple[int, float]]:
    ends = robot.item_index[loop.items[0]], robot.item_index[loop.items[1]]
    return loop_arms(robot.tree, [robot.item_index[joint.base] for joint in robot.joints], ends)


def _arms(robot: Robot, loop: Loop) -> list[tuple[int, float]]:
    """Return the bodies round a loop, each with 1 if it moves the second frame, -1 the first."""
    group_of = {group.joint: number for number, group in enumerate(robot.tree.rigid_groups) if group.joint is not None}
    return [(group_of[joint], sign) for joint, sign in _joints_round(robot, loop) if joint in group_of]


def _used_bodies(bodies: Table, wanted: Sequence[int]) -> tuple[Table, dict[int, int]]:
    """Return the bodies round the loops, and the row of each; those that carry a whole loop are its world."""
    used = sorted(set(wanted))
    rows = {body: row for row, body in enumerate(used)}
    table = bodies[used]
    table["parent"] = [rows.get(int(parent), WORLD) for parent in table["parent"]]
    return table, rows


def _blocks(robot: Robot, column_of: dict[str, int], led: set[int]) -> list[tuple[list[Loop], list[int]]]:
    """Return the loops that share led joints, block by block, with the columns of these joints."""
    blocks: list[tuple[list[Loop], list[int]]] = []
    for loop in robot.closing_loops:
        names = (
            joint.mimic.joint if joint.mimic else joint.name
            for joint in (robot.joints[number] for number, _ in _joints_round(robot, loop))
            if joint.kind.moves
        )
        columns = {column_of[name] for name in names} & led
        merged = [loop]
        rest = []
        for block in blocks:
            if columns.isdisjoint(block[1]):
                rest.append(block)
            else:
                merged = block[0] + merged
                columns.update(block[1])
        blocks = [*rest, (merged, sorted(columns))]
    return blocks
