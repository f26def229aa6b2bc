"""Part checks at the default, minimum and maximum of each parameter."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import lsq_linear

from rck.geometry.polyhedron import convex_hull
from rck.parts.part import build_part, read_part_file
from rck.parts.part_checks import check_file, corner_values, depth_inside, distance_to_surface, surface_distance

Write = Callable[..., Path]


def test_valid_part_has_no_findings(manifest: Write):
    assert check_file(manifest()) == []


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("a: {at: [0, 0, 0]", "a: {at: [-2, 0, 0]", 702),
        ("a: {at: [0, 0, 0]", "a: {at: [5, 0, 0]", 702),
        ("z: -x", "z: x", 702),
        ('at: ["${length}", 0, 0], z: x', "at: [200, 0, 0], z: x", 702),
        ('mass: "${length/2}"', "mass: 0", 401),
        ('mass: "${length/2}"', 'mass: "${length-100}"', 701),
        ('["${length}", 20, 10]', '["${length}", 20, "${holes-2}"]', 701),
        ("min: 50", "min: 55.5, step: 1", 705),
        ("source: made up for tests", "source: ''", 706),
        ("part: toys/link", "part: ''", 705),
        ("payload: 2.5", "payload: 1 mm", 704),
    ],
)
def test_errors_of_a_part_are_found(manifest: Write, old: str, new: str, code: int):
    assert code in {finding.code for finding in check_file(manifest((old, new)))}


@pytest.mark.parametrize("place", ["[-0.9, 0, 0]", "[0.9, 0, 0]"])
def test_port_less_than_a_millimetre_off_the_surface_is_accepted(manifest: Write, place: str):
    assert check_file(manifest(("a: {at: [0, 0, 0]", f"a: {{at: {place}"))) == []


def test_a_note_explains_a_port_off_the_surface(manifest: Write):
    file = manifest(("a: {at: [0, 0, 0]", "a: {note: the middle of the bore, at: [50, 0, 0]"))
    assert check_file(file) == []


def test_part_without_ports_is_reported(manifest: Write, link_text: str):
    ports = link_text[link_text.index("ports:") : link_text.index("figures:")]
    assert [finding.code for finding in check_file(manifest((ports, "")))] == [703]


def test_parts_are_checked_at_default_minimum_and_maximum_parameters(manifest: Write):
    corners = corner_values(read_part_file(manifest()))
    assert {(corner["length"], corner["holes"]) for corner in corners} == {
        (200, 4), (50, 2), (500, 8), (50, 4), (500, 4), (200, 2), (200, 8),
    }  # fmt: skip


def test_finding_names_the_part_the_parameters_and_the_location(manifest: Write):
    (finding,) = check_file(manifest(('mass: "${length/2}"', 'mass: "${length-50}"')))
    assert finding.where == "toys/link with length=50, holes=2, mass"


points = st.tuples(*3 * [st.floats(-2, 2)])


@settings(max_examples=60)
@given(st.lists(points, min_size=8, max_size=16, unique=True), points)
def test_distance_to_a_surface_is_the_distance_to_its_nearest_point(
    corners: list[tuple[float, ...]], point: tuple[float, ...]
):
    try:
        shape = convex_hull(corners)
    except ValueError:
        return
    distance = distance_to_surface(shape, np.array(point))
    heights = shape.planes[:, :3] @ point - shape.planes[:, 3]
    if heights.max() <= 0:
        assert distance == pytest.approx(-heights.max(), abs=1e-9)
        return
    # Outside: the nearest convex combination of the vertices, by least squares with a heavy row for the sum.
    rows = np.vstack([shape.vertices.T, np.full(len(shape.vertices), 1e4)])
    weights = lsq_linear(rows, np.append(point, 1e4), bounds=(0, 1), tol=1e-14).x
    nearest = (weights / weights.sum()) @ shape.vertices
    assert distance == pytest.approx(float(np.linalg.norm(nearest - point)), abs=2e-4)


def test_depth_and_distance_of_a_point_in_a_bar(manifest: Write):
    (bar,) = build_part(read_part_file(manifest())).unwrap().robot.items
    assert depth_inside(bar, np.array([0.1, 0.0, 0.0])) == pytest.approx(0.005)
    assert depth_inside(bar, np.array([0.1, 0.0, 0.007])) == pytest.approx(-0.002)
    assert surface_distance(bar, np.array([-0.003, 0.0, 0.009])) == pytest.approx(0.005)
