"""Surfaces of faces: plane, cone (also cylinder), sphere, torus and spline, each with two parameters."""

from dataclasses import dataclass
from functools import cached_property
from math import acos, inf, pi, tau
from typing import Protocol

import numpy as np

from rck.geometry.arrays import Floats, lengths
from rck.geometry.brep.curves import count_steps
from rck.geometry.brep.splines import SplineGrid

_MOST_STEPS = 48
"""Maximum number of steps between two knots of a spline."""


class FaceSurface(Protocol):
    """A surface with the parameters u and v."""

    @property
    def turned(self) -> bool:
        """True if the surface's normal is opposite to the derivative along u times that along v."""

    @property
    def periods(self) -> tuple[float, float]:
        """Periods of the parameters; 0 for one that is not periodic."""

    def evaluate(self, places: Floats) -> Floats:
        """Return the points at parameters of shape (N, 2). Shape (N, 3)."""

    def invert(self, points: Floats) -> Floats:
        """Return the parameters of points of shape (N, 3). Shape (N, 2)."""

    def steps(self, deviation: float) -> tuple[float, float]:
        """Return the largest steps along u and v whose chords stay within the deviation."""


@dataclass(frozen=True, eq=False)
class PlaneSurface:
    """A plane; u and v are lengths."""

    origin: Floats
    x: Floats
    y: Floats
    turned: bool = False
    periods: tuple[float, float] = (0.0, 0.0)

    @property
    def normal(self) -> Floats:
        """Its normal. Shape (3,)."""
        return np.cross(self.x, self.y)

    def evaluate(self, places: Floats) -> Floats:
        """Return points of the plane. Shape (N, 3)."""
        return np.asarray(self.origin + places @ np.array([self.x, self.y]))

    def invert(self, points: Floats) -> Floats:
        """Return the parameters of points. Shape (N, 2)."""
        return np.asarray((points - self.origin) @ np.array([self.x, self.y]).T)

    def steps(self, deviation: float) -> tuple[float, float]:
        """Return infinite steps."""
        return inf, inf


@dataclass(frozen=True, eq=False)
class ConeSurface:
    """A cylinder or cone, circular or elliptic; u is the angle, v the height along the axis."""

    centre: Floats
    axis: Floats
    x: Floats
    """Major half-axis of the ellipse at the centre."""
    y: Floats
    """Minor half-axis of the ellipse at the centre."""
    slope: float
    """Growth of the major half-axis for each unit of height."""
    turned: bool
    periods: tuple[float, float] = (tau, 0.0)

    @property
    def radius(self) -> float:
        """Length of the major half-axis at the centre."""
        return float(np.sqrt(self.x @ self.x))

    @property
    def is_circular(self) -> bool:
        """True if both half-axes are equal."""
        return bool(abs(self.y @ self.y - self.x @ self.x) <= 1e-9 * float(self.x @ self.x))

    @property
    def apex(self) -> float | None:
        """Height of the apex; None for a cylinder."""
        return -self.radius / self.slope if abs(self.slope) > 1e-12 else None

    def evaluate(self, places: Floats) -> Floats:
        """Return points of the surface. Shape (N, 3)."""
        u, v = places[:, :1], places[:, 1:]
        factor = 1.0 + v * (self.slope / self.radius)
        return np.asarray(self.centre + factor * (self.x * np.cos(u) + self.y * np.sin(u)) + v * self.axis)

    def invert(self, points: Floats) -> Floats:
        """Return the parameters of points. Shape (N, 2)."""
        away = points - self.centre
        v = away @ self.axis
        u = np.arctan2(away @ self.y / (self.y @ self.y), away @ self.x / (self.x @ self.x))
        return np.stack([u, v], axis=1)

    def steps(self, deviation: float) -> tuple[float, float]:
        """Return the step of the angle at the centre; straight lines along v need no steps."""
        return tau / count_steps(max(self.radius, float(np.sqrt(self.y @ self.y))), tau, deviation), inf


@dataclass(frozen=True, eq=False)
class SphereSurface:
    """A sphere; u is the longitude, v the latitude."""

    centre: Floats
    radius: float
    x: Floats
    y: Floats
    axis: Floats
    turned: bool
    periods: tuple[float, float] = (tau, 0.0)

    def evaluate(self, places: Floats) -> Floats:
        """Return points of the sphere. Shape (N, 3)."""
        u, v = places[:, :1], places[:, 1:]
        flat = self.x * np.cos(u) + self.y * np.sin(u)
        return np.asarray(self.centre + self.radius * (np.cos(v) * flat + np.sin(v) * self.axis))

    def invert(self, points: Floats) -> Floats:
        """Return the parameters of points. Shape (N, 2)."""
        away = points - self.centre
        x, y, z = away @ self.x, away @ self.y, away @ self.axis
        return np.stack([np.arctan2(y, x), np.arctan2(z, np.hypot(x, y))], axis=1)

    def steps(self, deviation: float) -> tuple[float, float]:
        """Return equal steps of both angles."""
        step = tau / count_steps(self.radius, tau, deviation)
        return step, step


@dataclass(frozen=True, eq=False)
class TorusSurface:
    """A torus; u is the angle about its axis, v the angle about the circle in the middle of the tube."""

    centre: Floats
    axis: Floats
    x: Floats
    y: Floats
    major: float
    """Negative for a lemon: the part of a self-intersecting torus that is inside it."""
    minor: float
    turned: bool
    periods: tuple[float, float] = (tau, tau)

    @property
    def pole(self) -> float:
        """Largest v at which the surface is outside the axis: pi unless the torus intersects itself."""
        ratio = self.major / self.minor
        return pi if ratio >= 1 else acos(max(-ratio, -1.0))

    def evaluate(self, places: Floats) -> Floats:
        """Return points of the torus. Shape (N, 3)."""
        u, v = places[:, :1], places[:, 1:]
        flat = self.x * np.cos(u) + self.y * np.sin(u)
        return np.asarray(
            self.centre + (self.major + self.minor * np.cos(v)) * flat + self.minor * np.sin(v) * self.axis
        )

    def invert(self, points: Floats) -> Floats:
        """Return the parameters of points. Shape (N, 2)."""
        away = points - self.centre
        x, y, z = away @ self.x, away @ self.y, away @ self.axis
        return np.stack([np.arctan2(y, x), np.arctan2(z, np.hypot(x, y) - self.major)], axis=1)

    def steps(self, deviation: float) -> tuple[float, float]:
        """Return the steps at the outer circle and round the tube."""
        outer = count_steps(abs(self.major) + self.minor, tau, deviation)
        return tau / outer, tau / count_steps(self.minor, tau, deviation)


@dataclass(frozen=True, eq=False)
class SplineSurface:
    """A B-spline surface."""

    grid: SplineGrid
    turned: bool

    @cached_property
    def periods(self) -> tuple[float, float]:
        """Lengths of the domains along which the surface closes."""
        points = self.grid.points
        size = np.ptp(points[..., :3].reshape(-1, 3), axis=0).max() + 1e-12
        closed_u = np.abs(points[0] - points[-1]).max() <= 1e-6 * size
        closed_v = np.abs(points[:, 0] - points[:, -1]).max() <= 1e-6 * size
        u, v = self.grid.u, self.grid.v
        return (u.high - u.low if closed_u else 0.0), (v.high - v.low if closed_v else 0.0)

    @cached_property
    def poles(self) -> tuple[tuple[int, float], ...]:
        """Sides of the domain that shrink to a point: the parameter that is constant there, 0 or 1, and its value."""
        places = self.grid.points[..., :3] / self.grid.points[..., 3:]
        size = float(np.ptp(places.reshape(-1, 3), axis=0).max())
        u, v = self.grid.u, self.grid.v
        sides = ((0, u.low, places[0]), (0, u.high, places[-1]), (1, v.low, places[:, 0]), (1, v.high, places[:, -1]))
        return tuple((k, value) for k, value, side in sides if np.ptp(side, axis=0).max() <= 1e-7 * size)

    def _wrapped(self, places: Floats) -> Floats:
        columns = []
        for k, (axis, period) in enumerate(zip((self.grid.u, self.grid.v), self.periods, strict=True)):
            column = places[:, k]
            wrapped = axis.low + (column - axis.low) % period if period else np.clip(column, axis.low, axis.high)
            columns.append(np.where(column == axis.high, axis.high, wrapped))
        return np.stack(columns, axis=1)

    def evaluate(self, places: Floats) -> Floats:
        """Return points of the surface. Shape (N, 3)."""
        return self.grid.evaluate(self._wrapped(places))

    @cached_property
    def _seeds(self) -> tuple[Floats, Floats]:
        columns = []
        for axis in (self.grid.u, self.grid.v):
            count = max(1, min(12, 120 // len(axis.spans)))
            shares = np.arange(count) / count
            inner = (axis.spans[:-1, None] + np.diff(axis.spans)[:, None] * shares).ravel()
            columns.append(np.append(inner, axis.high))
        places = np.stack(np.meshgrid(*columns, indexing="ij"), axis=-1).reshape(-1, 2)
        return places, self.grid.evaluate(places)

    def invert(self, points: Floats) -> Floats:
        """Return the parameters of the nearest points, by Gauss and Newton from the nearest of a grid. Shape (N, 2)."""
        from scipy.spatial import cKDTree

        seeds, places_in_space = self._seeds
        places: Floats = seeds[cKDTree(places_in_space).query(points)[1]].copy()
        low = np.array([self.grid.u.low, self.grid.v.low])
        high = np.array([self.grid.u.high, self.grid.v.high])
        for _ in range(20):
            at, du, dv = self.grid.derivatives(self._wrapped(places))
            away = points - at
            a, b, c = (du * du).sum(axis=1), (du * dv).sum(axis=1), (dv * dv).sum(axis=1)
            p, q = (du * away).sum(axis=1), (dv * away).sum(axis=1)
            # A trace of damping keeps the step finite where a derivative vanishes.
            a, c = a * (1 + 1e-12) + 1e-300, c * (1 + 1e-12) + 1e-300
            det = np.maximum(a * c - b * b, 1e-14 * a * c)
            step = np.stack([(c * p - b * q) / det, (a * q - b * p) / det], axis=1)
            limit = (high - low) / 8
            step = np.clip(step, -limit, limit)
            places = places + step
            for k, period in enumerate(self.periods):
                if not period:
                    places[:, k] = np.clip(places[:, k], low[k], high[k])
            if np.abs(step / (high - low)).max() < 1e-12:
                break
        return places

    def steps(self, deviation: float) -> tuple[float, float]:
        """Return steps from the bend of the surface between its knots."""
        found = []
        for k, axis in enumerate((self.grid.u, self.grid.v)):
            other = (self.grid.v, self.grid.u)[k]
            across = np.linspace(other.low, other.high, 9)
            spans = axis.spans
            width = float(np.diff(spans).min())
            places = np.arange(axis.low, axis.high + width / 8, width / 4)[:400]
            grid = np.stack(np.meshgrid(places, across, indexing="ij"), axis=-1).reshape(-1, 2)
            points = self.evaluate(grid if k == 0 else grid[:, ::-1]).reshape(len(places), len(across), 3)
            bend = lengths((points[2:] - 2 * points[1:-1] + points[:-2]).reshape(-1, 3)) if len(places) > 2 else None
            # A chord over n of these steps is off by n squared times an eighth of the second difference.
            worst = 0.0 if bend is None or not len(bend) else float(bend.max())
            count = np.sqrt(8 * deviation / worst) if worst > 0 else inf
            step = float(np.clip(width / 4 * count, width / _MOST_STEPS, axis.high - axis.low))
            found.append(step)
        return found[0], found[1]
