"""Geometry: masses and inertias of shapes."""

from math import pi

import ezdxf
import numpy as np
import pytest
from rck_importers.dxf import rck_importers

from rck.geometry.mass_properties import moments
from rck.hooks import Job, Recipe
from rck.hooks.file_exchange import import_values
from rck.parts.part import build_part, read_part_file

MANIFEST = """\
part: test/shape
name: shape
category: test
summary: a shape to weigh
source: none
items:
  body: {density: 1000, shapes: [%s]}
"""


@pytest.fixture
def body(tmp_path):
    """Return a function from a manifest shape in millimetres to an item with the density of water."""

    def build(shape):
        path = tmp_path / "shape.yaml"
        path.write_text(MANIFEST % shape, encoding="utf-8")
        return build_part(read_part_file(path)).unwrap().robot.items[0]

    return build


def solid(volume, *mean_squares):
    """Return mass and central inertia of water from the mean squares along the principal axes, in m2."""
    squares = np.array(mean_squares)
    return 1000 * volume, 1000 * volume * (squares.sum() * np.eye(3) - np.diag(squares))


def cylinder(radius, height):
    return solid(pi * radius**2 * height, radius**2 / 4, radius**2 / 4, height**2 / 12)


def difference(whole, *removed):
    """Subtract inner solids, each (mass, inertia, centre); the common centre of mass is the origin."""
    mass, inertia = whole
    for (less, own), at in removed:
        arm = np.array(at)
        mass, inertia = mass - less, inertia - own - less * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return mass, inertia


def frustum(low, high, height):
    """Return a truncated cone: large cone minus small cone, by textbook formulas about the tip."""
    top = height * high / (low - high)

    def about_tip(radius, length):
        """Return the volume and its products with mean square across, mean square along and mean distance."""
        return np.array([1.0, 0.15 * radius**2, 0.6 * length**2, 0.75 * length]) * pi * radius**2 * length / 3

    volume, across, along, first = about_tip(low, top + height) - about_tip(high, top)
    return solid(volume, across / volume, across / volume, along / volume - (first / volume) ** 2)


def rounded(x, y, corner, height):
    """Return a rounded rectangle: rectangle minus four squares plus four quarter discs."""
    area = x * y - (4 - pi) * corner**2

    def mean_square(side):
        middle = side / 2 - corner
        square = corner * ((side / 2) ** 3 - middle**3) / 3
        quarter = middle**2 * pi * corner**2 / 4 + 2 * middle * corner**3 / 3 + pi * corner**4 / 16
        return (side**3 * (x * y / side) / 12 - 4 * square + 4 * quarter) / area

    return solid(area * height, mean_square(x), mean_square(y), height**2 / 12)


BAR, BALL = pi * 0.02**2 * 0.06, 4 / 3 * pi * 0.02**3
CAPSULE = BAR + BALL
ACROSS = (BAR * 0.02**2 / 4 + BALL * 0.02**2 / 5) / CAPSULE
ALONG = (BAR * 0.06**2 / 12 + BALL * (0.02**2 / 5 + 0.06**2 / 4 + 3 / 8 * 0.06 * 0.02)) / CAPSULE
RING = [0.03 * np.array([np.cos(angle), np.sin(angle), 0]) for angle in np.radians([0, 90, 180, 270])]
SHAPES = {
    "cylinder": ("cylinder: {diameter: 80, length: 50}", cylinder(0.04, 0.05)),
    "cone": (
        "cone: {diameter: 80, length: 50}",
        solid(pi * 0.04**2 * 0.05 / 3, *[0.15 * 0.04**2] * 2, 3 / 80 * 0.05**2),
    ),
    "truncated cone": ("cone: {diameter: 80, top: 30, length: 50}", frustum(0.04, 0.015, 0.05)),
    "tube": (
        "tube: {diameter: 80, inner: 70, length: 50}",
        difference(cylinder(0.04, 0.05), (cylinder(0.035, 0.05), (0, 0, 0))),
    ),
    "sphere": ("sphere: 80", solid(4 / 3 * pi * 0.04**3, *[0.04**2 / 5] * 3)),
    "ellipsoid": (
        "ellipsoid: [40, 60, 80]",
        solid(4 / 3 * pi * 0.02 * 0.03 * 0.04, 0.02**2 / 5, 0.03**2 / 5, 0.04**2 / 5),
    ),
    "capsule": ("capsule: {diameter: 40, length: 100}", solid(CAPSULE, ACROSS, ACROSS, ALONG)),
    "torus": (
        "torus: {diameter: 100, section: 20}",
        solid(2 * pi**2 * 0.05 * 0.01**2, *[(0.05**2 + 0.75 * 0.01**2) / 2] * 2, 0.01**2 / 4),
    ),
    "turned contour": (
        "revolve: {contour: [[20, -10], [40, -10], [40, 10], [20, 10]]}",
        difference(cylinder(0.04, 0.02), (cylinder(0.02, 0.02), (0, 0, 0))),
    ),
    "plate with an 80 mm hole": (
        "prism: {rectangle: [100, 120], height: 5, holes: [{diameter: 80}]}",
        difference(
            solid(0.1 * 0.12 * 0.005, 0.1**2 / 12, 0.12**2 / 12, 0.005**2 / 12), (cylinder(0.04, 0.005), (0, 0, 0))
        ),
    ),
    "disc with a ring of holes": (
        "prism: {diameter: 80, height: 5, holes: [{diameter: 10, ring: 4, circle: 60}]}",
        difference(cylinder(0.04, 0.005), *((cylinder(0.005, 0.005), at) for at in RING)),
    ),
    "plate with round corners": (
        "prism: {rectangle: [100, 60], corner: 20, height: 5}",
        rounded(0.1, 0.06, 0.02, 0.005),
    ),
}


@pytest.mark.parametrize("segments", [8, 24])
@pytest.mark.parametrize("name", SHAPES)
def test_round_shapes_have_the_mass_and_inertia_of_closed_forms(name, segments, body, compare):
    shape, (mass, inertia) = SHAPES[name]
    item = body(f"{{{shape}, segments: {segments}}}")
    found = item.mass_properties
    compare(f"Mass, {name}", "closed form", abs(found.mass / mass - 1), 1e-9, "relative")
    error = np.abs(found.inertia - inertia).max() / np.abs(inertia).max()
    compare(f"Inertia, {name}", "closed form", error, 1e-7, "relative")


def test_sector_has_the_mass_centre_and_inertia_of_closed_forms(body, compare):
    found = body("{revolve: {contour: [[20, 0], [40, 0], [40, 10], [20, 10]], angle: 100}}").mass_properties
    angle = np.radians(100)
    fine = 4000
    radii, angles = np.meshgrid(0.02 + 0.02 * (np.arange(400) + 0.5) / 400, angle * (np.arange(fine) + 0.5) / fine)
    weights = radii / radii.sum()
    x, y = radii * np.cos(angles), radii * np.sin(angles)
    mass = 1000 * angle / 2 * (0.04**2 - 0.02**2) * 0.01
    compare("Mass, sector of a ring", "closed form", abs(found.mass / mass - 1), 1e-9, "relative")
    centre = np.array([(weights * x).sum(), (weights * y).sum(), 0.005])
    compare("Centre of mass, sector of a ring", "midpoint rule", np.abs(found.centre - centre).max(), 1e-7, "m")
    about_z = mass * ((weights * radii**2).sum() - centre[0] ** 2 - centre[1] ** 2)
    compare("Inertia, sector of a ring", "midpoint rule", abs(found.inertia[2, 2] / about_z - 1), 1e-4, "relative")


@pytest.mark.parametrize("segments", [6, 12, 24, 48])
def test_holes_have_the_given_number_of_sides_and_the_area_of_the_circle(segments, body, compare):
    item = body(f"{{prism: {{rectangle: [100, 120], height: 5, holes: [{{diameter: 80}}]}}, segments: {segments}}}")
    corners = np.concatenate([subitem.shape.vertices for subitem in item.subitems])
    inner = np.round(corners[np.hypot(*corners[:, :2].T) < 0.05][:, :2], 12)
    assert len(np.unique(inner, axis=0)) == segments
    faceted = sum(moments(subitem.shape).volume for subitem in item.subitems)
    error = abs(faceted / ((0.1 * 0.12 - pi * 0.04**2) * 0.005) - 1)
    compare("Volume of the convex pieces of a plate with a hole", "closed form", error, 1e-9, "relative")


@pytest.mark.parametrize("segments", [8, 24])
def test_round_shapes_have_nominal_sizes(segments, body, compare):
    sizes = {
        "cylinder: {diameter: 80, length: 50}": (80, 80, 50),
        "tube: {diameter: 80, inner: 70, length: 50}": (80, 80, 50),
        "sphere: 80": (80, 80, 80),
        "torus: {diameter: 100, section: 20}": (120, 120, 20),
        "prism: {diameter: 80, height: 5}": (80, 80, 5),
        "prism: {rectangle: [100, 60], corner: 20, height: 5}": (100, 60, 5),
    }
    for shape, size in sizes.items():
        item = body(f"{{{shape}, segments: {segments}}}")
        extent = np.ptp(np.concatenate([subitem.shape.vertices for subitem in item.subitems]), axis=0)
        error = np.abs(extent - np.array(size) / 1000).max()
        compare("Outer sizes of round shapes", "nominal sizes", error, 1e-12, "m")


def plate(tmp_path, draw):
    """Return the mass properties of a drawn plate, 5 mm thick, of water."""
    document = ezdxf.new("R2010", units=4)
    draw(document.modelspace())
    path = tmp_path / "plate.dxf"
    document.saveas(path)
    (importer,) = rck_importers()
    values = import_values(importer, path, {"thickness": "5mm", "density": "1000"}, Recipe())
    imported = importer.read(path, values, Job())
    return imported.parts[0].items[0].mass_properties


def corners_as_bulges(space):
    bulge = np.tan(pi / 8)
    points = [(50, 10, 0), (50, -10, -bulge), (30, -30, 0), (-30, -30, -bulge), (-50, -10, 0)]
    points += [(-50, 10, -bulge), (-30, 30, 0), (30, 30, -bulge)]
    space.add_lwpolyline(points, format="xyb", close=True)


def corners_as_arcs(space):
    for turn, (x, y) in enumerate([(30, 10), (-30, 10), (-30, -10), (30, -10)]):
        space.add_arc((x, y), 20, 90 * turn, 90 * turn + 90)
    for a, b in [((30, 30), (-30, 30)), ((-50, 10), (-50, -10)), ((-30, -30), (30, -30)), ((50, -10), (50, 10))]:
        space.add_line(a, b)


def two_holes(space):
    space.add_circle((20, 0), 8)
    space.add_circle((-20, 0), 8)


HOLES = [(cylinder(0.008, 0.005), (0.02, 0, 0)), (cylinder(0.008, 0.005), (-0.02, 0, 0))]
DRAWINGS = {
    "small disc": ([lambda space: space.add_circle((0, 0), 1)], cylinder(0.001, 0.005)),
    "large disc": ([lambda space: space.add_circle((0, 0), 500)], cylinder(0.5, 0.005)),
    "corners as bulges, two holes": (
        [corners_as_bulges, two_holes],
        difference(rounded(0.1, 0.06, 0.02, 0.005), *HOLES),
    ),
    "corners as arcs, two holes": ([corners_as_arcs, two_holes], difference(rounded(0.1, 0.06, 0.02, 0.005), *HOLES)),
    "ellipse": (
        [lambda space: space.add_ellipse((0, 0), (40, 0), 0.5)],
        solid(pi * 0.04 * 0.02 * 0.005, 0.04**2 / 4, 0.02**2 / 4, 0.005**2 / 12),
    ),
}


@pytest.mark.parametrize("name", DRAWINGS)
def test_drawn_plates_have_the_mass_and_inertia_of_closed_forms(name, tmp_path, compare):
    steps, (mass, inertia) = DRAWINGS[name]
    found = plate(tmp_path, lambda space: [step(space) for step in steps])
    compare(f"Mass, DXF plate: {name}", "closed form", abs(found.mass / mass - 1), 1e-9, "relative")
    error = np.abs(found.inertia - inertia).max() / np.abs(inertia).max()
    compare(f"Inertia, DXF plate: {name}", "closed form", error, 1e-7, "relative")
