"""Curves of edges: straight lines, ellipses, helices and splines, from a start parameter to an end parameter."""

from dataclasses import dataclass
from math import acos, ceil, pi, tau
from typing import Protocol

import numpy as np

from rck.geometry.arrays import Floats, lengths
from rck.geometry.brep.splines import SplineCurve

FEWEST_STEPS = 24
"""Minimum number of segments of a full circle."""
MOST_STEPS = 2_000
"""Maximum number of segments of one curve."""


class Curve(Protocol):
    """A curve with a parameter."""

    def evaluate(self, places: Floats) -> Floats:
        """Return points of the curve. Shape (N, 3)."""

    def span(self, start: Floats, end: Floats, is_ring: bool, backwards: bool) -> tuple[float, float]:
        """Return the parameters of an edge from one point to another; a ring ends where it starts."""

    def steps(self, start: float, end: float, deviation: float) -> Floats:
        """Return parameters from start to end whose chords stay within the deviation. Shape (N,)."""


@dataclass(frozen=True, eq=False)
class Straight:
    """A line; the parameter is the length from the root."""

    root: Floats
    direction: Floats

    def evaluate(self, places: Floats) -> Floats:
        """Return points of the line. Shape (N, 3)."""
        return np.asarray(self.root + places[:, None] * self.direction)

    def span(self, start: Floats, end: Floats, is_ring: bool, backwards: bool) -> tuple[float, float]:
        """Return the parameters of the points."""
        return float((start - self.root) @ self.direction), float((end - self.root) @ self.direction)

    def steps(self, start: float, end: float, deviation: float) -> Floats:
        """Return both ends."""
        return np.array([start, end])


@dataclass(frozen=True, eq=False)
class Ellipse:
    """An ellipse: centre + x cos(t) + y sin(t)."""

    centre: Floats
    x: Floats
    y: Floats

    def evaluate(self, places: Floats) -> Floats:
        """Return points of the ellipse. Shape (N, 3)."""
        t = places[:, None]
        return np.asarray(self.centre + self.x * np.cos(t) + self.y * np.sin(t))

    def angle(self, point: Floats) -> float:
        """Return the parameter of a point of the ellipse."""
        away = point - self.centre
        return float(np.arctan2(away @ self.y / (self.y @ self.y), away @ self.x / (self.x @ self.x)))

    def span(self, start: Floats, end: Floats, is_ring: bool, backwards: bool) -> tuple[float, float]:
        """Return the parameters of the points, the second larger unless the edge runs backwards."""
        first, last = self.angle(start), self.angle(end)
        sweep = tau if is_ring else (first - last if backwards else last - first) % tau
        if not is_ring and sweep < 1e-12:
            sweep = tau
        return first, first - sweep if backwards else first + sweep

    def steps(self, start: float, end: float, deviation: float) -> Floats:
        """Return equidistant parameters."""
        radius = float(max(lengths(np.array([self.x, self.y]))))
        return np.linspace(start, end, 1 + count_steps(radius, abs(end - start), deviation))


@dataclass(frozen=True, eq=False)
class Helix:
    """A helix: centre + (1 + taper t) (x cos(t) + y sin(t)) + rise t."""

    centre: Floats
    x: Floats
    y: Floats
    rise: Floats
    """Vector along the axis for each radian."""
    taper: float

    def evaluate(self, places: Floats) -> Floats:
        """Return points of the helix. Shape (N, 3)."""
        t = places[:, None]
        flat = self.x * np.cos(t) + self.y * np.sin(t)
        return np.asarray(self.centre + (1.0 + self.taper * t) * flat + self.rise * t)

    def span(self, start: Floats, end: Floats, is_ring: bool, backwards: bool) -> tuple[float, float]:
        """Return the parameters of the points, from their heights."""
        pitch = self.rise / (self.rise @ self.rise)
        return float((start - self.centre) @ pitch), float((end - self.centre) @ pitch)

    def steps(self, start: float, end: float, deviation: float) -> Floats:
        """Return equidistant parameters."""
        growth = max(1.0, 1.0 + self.taper * start, 1.0 + self.taper * end)
        radius = float(max(lengths(np.array([self.x, self.y])))) * growth
        return np.linspace(start, end, 1 + count_steps(radius, abs(end - start), deviation))


def count_steps(radius: float, sweep: float, deviation: float) -> int:
    """Return the number of segments of an arc; a full circle has a multiple of 4."""
    flattest = pi / MOST_STEPS
    whole = pi / max(acos(1.0 - deviation / radius), flattest) if radius > deviation else 0.0
    whole = 4.0 * ceil(max(FEWEST_STEPS, whole) / 4.0 - 1e-9)
    return min(MOST_STEPS, max(1, ceil(whole * sweep / tau - 1e-9)))


@dataclass(frozen=True, eq=False)
class Spline:
    """A B-spline; if reversed, its direction is opposite to that of its parameter."""

    curve: SplineCurve
    is_reversed: bool

    def evaluate(self, places: Floats) -> Floats:
        """Return points of the curve; the parameter continues past the end of a closed curve. Shape (N, 3)."""
        low, high = self.curve.axis.low, self.curve.axis.high
        inside = low + (places - low) % (high - low) if self.curve.is_closed else places
        # The end of the domain must not wrap to its start.
        inside = np.where((places == high) | (inside > high), high, inside)
        return self.curve.evaluate(inside)

    def nearest(self, point: Floats) -> float:
        """Return the parameter of the nearest point."""
        spans = self.curve.axis.spans
        seeds = np.unique((spans[:-1, None] + np.diff(spans)[:, None] * np.linspace(0, 1, 17)).ravel())
        for _ in range(12):
            distance = lengths(self.curve.evaluate(seeds) - point)
            best = int(distance.argmin())
            low, high = seeds[max(best - 1, 0)], seeds[min(best + 1, len(seeds) - 1)]
            seeds = np.linspace(low, high, 17)
            if high - low < 1e-13 * (abs(low) + abs(high)):
                break
        return float(seeds[int(lengths(self.curve.evaluate(seeds) - point).argmin())])

    def span(self, start: Floats, end: Floats, is_ring: bool, backwards: bool) -> tuple[float, float]:
        """Return the parameters of the points."""
        low, high = self.curve.axis.low, self.curve.axis.high
        down = backwards != self.is_reversed
        first = self.nearest(start)
        last = first if is_ring else self.nearest(end)
        if not self.curve.is_closed:
            return first, last
        period = high - low
        sweep = period if is_ring else (first - last if down else last - first) % period
        if sweep < 1e-9 * period:
            sweep = period
        return first, first - sweep if down else first + sweep

    def steps(self, start: float, end: float, deviation: float) -> Floats:
        """Return the ends and the parameters between that keep the chords within the deviation."""
        period = self.curve.axis.high - self.curve.axis.low
        knots = self.curve.axis.spans
        turns = np.arange(-1, 3) * period if self.curve.is_closed else np.zeros(1)
        marks = (knots[None] + turns[:, None]).ravel()
        low, high = min(start, end), max(start, end)
        inner = marks[(marks > low + 1e-9 * period) & (marks < high - 1e-9 * period)]
        places = np.unique(np.concatenate([[low], inner, [high]]))
        shortest = (high - low) / MOST_STEPS
        for _ in range(12):
            middles = (places[:-1] + places[1:]) / 2
            quarters = (places[:-1] + middles) / 2
            ends = self.evaluate(places)
            chord = ends[1:] - ends[:-1]
            away = np.zeros(len(middles))
            for probe in (middles, quarters, 2 * middles - quarters):
                offset = self.evaluate(probe) - ends[:-1]
                length = np.maximum((chord * chord).sum(axis=1), 1e-300)
                share = np.clip((offset * chord).sum(axis=1) / length, 0, 1)
                away = np.maximum(away, lengths(offset - share[:, None] * chord))
            rough = (away > deviation) & (np.diff(places) > shortest)
            if not rough.any() or len(places) > MOST_STEPS:
                break
            places = np.sort(np.concatenate([places, middles[rough]]))
        return places if start <= end else places[::-1]
