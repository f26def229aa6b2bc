"""Triangulation of contours by a sweep line over their corners (Hertel and Mehlhorn 1983).

The time is O(n log n) in the number of corners, for any number of holes. The side of a line on which a corner lies is
computed exactly, so that collinear corners, common on plates with rows of holes, are safe.
"""

from bisect import bisect_left
from collections import deque
from fractions import Fraction

from rck.geometry.contour import Contour
from rck.support.job import UNOBSERVED, Job

Triangle = tuple[int, int, int]
"""Indices into the points of a contour, counter-clockwise."""

Place = tuple[float, float]

ROUNDING = 4e-16
"""A difference of two products no larger than this fraction of their sum may have the wrong sign."""


def turn(a: Place, b: Place, c: Place) -> float:
    """Return a positive number if the path from a over b to c turns left; its sign is exact."""
    left, right = (b[0] - a[0]) * (c[1] - b[1]), (b[1] - a[1]) * (c[0] - b[0])
    turned = left - right
    if (left > 0) != (right > 0) or abs(turned) > ROUNDING * (abs(left) + abs(right)):
        return turned
    (ax, ay), (bx, by), (cx, cy) = ((Fraction(x), Fraction(y)) for x, y in (a, b, c))
    exact = (bx - ax) * (cy - by) - (by - ay) * (cx - bx)
    return float(exact)


class _Front:
    """An interval of the sweep line inside the contour, and the corners behind it that are not triangulated yet."""

    __slots__ = ("last", "lower", "upper", "waiting")

    def __init__(self, waiting: deque[int], lower: tuple[int, int], upper: int, last: int) -> None:
        self.waiting = waiting
        """From the edge below to the edge above."""
        self.lower = lower
        """The edge below, from left to right."""
        self.upper = upper
        """The right end of the edge above."""
        self.last = last
        """The last corner that the sweep line passed here, which is visible from the line."""


def sweep_triangles(contour: Contour, job: Job = UNOBSERVED) -> list[Triangle]:
    """Return triangles that tile the contour, all with nonzero area."""
    return _Sweep(contour).run(job)


class _Sweep:
    def __init__(self, contour: Contour) -> None:
        self.place: list[Place] = [(x, y) for x, y in contour.points.tolist()]
        self.after: list[int] = contour.following.tolist()
        self.before = [0] * len(self.after)
        for corner, following in enumerate(self.after):
            self.before[following] = corner
        self.fronts: list[_Front] = []
        """From the lowest up."""
        self.over: dict[int, _Front] = {}
        """The front above the edge that ends at a corner."""
        self.under: dict[int, _Front] = {}
        """The front below the edge that ends at a corner."""
        self.triangles: list[Triangle] = []

    def run(self, job: Job) -> list[Triangle]:
        place = self.place
        order = sorted(range(len(place)), key=place.__getitem__)
        for number, corner in enumerate(order):
            if number % 1000 == 0:
                job.progress(number / len(order))
            before, after = self.before[corner], self.after[corner]
            from_left, to_right = place[before] < place[corner], place[corner] < place[after]
            if from_left and to_right:
                self._go_on_below(corner, after)
            elif not from_left and not to_right:
                self._go_on_above(corner, before)
            elif turn(place[before], place[corner], place[after]) > 0:
                if from_left:
                    self._end(corner)
                else:
                    self._start(corner, before, after)
            elif from_left:
                self._merge(corner)
            else:
                self._split(corner, before, after)
        return self.triangles

    def _index(self, corner: int) -> int:
        """Return the number of fronts whose lower edge is below the corner."""
        place = self.place
        here = place[corner]
        return bisect_left(
            self.fronts, True, key=lambda front: turn(place[front.lower[0]], place[front.lower[1]], here) <= 0
        )

    def _reach_from_below(self, front: _Front, corner: int) -> None:
        """Add triangles from the corner to the waiting corners that it sees, then append it at the lower end."""
        waiting, place = front.waiting, self.place
        while len(waiting) > 1 and turn(place[waiting[0]], place[corner], place[waiting[1]]) > 0:
            self.triangles.append((waiting.popleft(), corner, waiting[0]))
        waiting.appendleft(corner)
        front.last = corner

    def _reach_from_above(self, front: _Front, corner: int) -> None:
        """Do the same as :meth:`_reach_from_below` at the upper end."""
        waiting, place = front.waiting, self.place
        while len(waiting) > 1 and turn(place[waiting[-2]], place[corner], place[waiting[-1]]) > 0:
            upper = waiting.pop()
            self.triangles.append((waiting[-1], corner, upper))
        waiting.append(corner)
        front.last = corner

    def _go_on_below(self, corner: int, following: int) -> None:
        front = self.over.pop(corner)
        self._reach_from_below(front, corner)
        front.lower = corner, following
        self.over[following] = front

    def _go_on_above(self, corner: int, following: int) -> None:
        front = self.under.pop(corner)
        self._reach_from_above(front, corner)
        front.upper = following
        self.under[following] = front

    def _start(self, corner: int, upper: int, lower: int) -> None:
        front = _Front(deque([corner]), (corner, lower), upper, corner)
        self.fronts.insert(self._index(corner), front)
        self.over[lower], self.under[upper] = front, front

    def _end(self, corner: int) -> None:
        front = self.over.pop(corner)
        del self.under[corner], self.fronts[self._index(corner)]
        self._reach_from_below(front, corner)

    def _merge(self, corner: int) -> None:
        below, above = self.under.pop(corner), self.over.pop(corner)
        del self.fronts[self._index(corner)]
        self._reach_from_above(below, corner)
        self._reach_from_below(above, corner)
        above.waiting.popleft()
        below.waiting.extend(above.waiting)
        below.upper = above.upper
        self.under[below.upper] = below

    def _split(self, corner: int, lower: int, upper: int) -> None:
        number = self._index(corner)
        below = self.fronts[number - 1]
        waiting = list(below.waiting)
        seen = waiting.index(below.last)
        above = _Front(deque(waiting[seen:]), (corner, upper), below.upper, corner)
        below.waiting = deque(waiting[: seen + 1])
        self._reach_from_above(below, corner)
        self._reach_from_below(above, corner)
        self.fronts.insert(number, above)
        below.upper = lower
        self.under[above.upper], self.under[lower], self.over[upper] = above, below, above
