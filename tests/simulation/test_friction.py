"""Friction from materials, manifests, documents and commands to the simulation, and the shapes that physics knows."""

from math import pi
from pathlib import Path

import numpy as np
import pytest

from rck.exporting.losses import derive_losses
from rck.geometry.polyhedron import move_polyhedron
from rck.geometry.primitives import box, cone, cylinder, prism, sphere, wedge
from rck.geometry.transforms import rotation_about, scaling, translation
from rck.hooks import Exporter
from rck.language.session import open_session
from rck.model import RckError, build_item
from rck.model.item import map_item
from rck.model.materials import DEFAULT_FRICTION, DENSITY, FRICTION, pair_friction

SCENE = """\
rck: 1
name: scene
units: {length: mm, angle: deg}
parts:
  table: {part: table}
  ice: {part: ice, place: {at: [0, 0, 100]}, loose: true}
  plain: {part: plain, place: {at: [0, 0, 200]}, loose: true, scale: 2}
contacts:
- {between: [ice, table], test: true, friction: 0.02}
pieces:
  table: {items: {body: {shapes: [{box: [500, 500, 20]}], material: wood}}}
  ice: {items: {body: {shapes: [{box: [50, 50, 50]}], density: 917, friction: 0.1}}}
  plain: {items: {body: {shapes: [{box: [50, 50, 50]}], mass: 1}}}
"""


def test_every_material_has_a_density_and_a_friction():
    assert FRICTION.keys() == DENSITY.keys()
    assert all(0 < friction <= 1 for friction in FRICTION.values())


def test_smaller_known_friction_applies():
    assert pair_friction(0.3, 0.8) == pair_friction(0.8, 0.3) == 0.3
    assert pair_friction(None, 0.8) == pair_friction(0.8, None) == 0.8
    assert pair_friction(0.0, None) == 0.0
    assert pair_friction(None, None) == DEFAULT_FRICTION


def test_a_document_states_friction_by_material_item_and_pair(plugins, tmp_path):
    path = tmp_path / "scene.rck"
    path.write_text(SCENE)
    session = open_session(plugins, path)
    robot = session.compile().unwrap().robot
    found = {item.name: item.friction for item in robot.items}
    assert found == {"table/body": FRICTION["wood"], "ice/body": 0.1, "plain/body": None}
    (rule,) = robot.rules
    assert (set(rule.items), rule.tested, rule.friction) == ({"ice/body", "table/body"}, True, 0.02)
    # It stays when something else is decided about the pair, and in the file.
    session.do("allow ice table")
    session.do("disallow ice table")
    session.do("set item plain/body friction=0.7")
    session.do(f"save {tmp_path / 'again.rck'}")
    again = open_session(plugins, tmp_path / "again.rck").compile().unwrap().robot
    assert again.rules == robot.rules
    assert again.item("plain/body").friction == 0.7


def test_a_negative_friction_is_refused(plugins, tmp_path, session):
    with pytest.raises(RckError, match="friction must not be negative"):
        session.do("make box slab size=1,2,3 friction=-1")
    session.do("make box slab size=1,2,3 friction=0.25")
    session.do("add slab")
    assert session.compile().unwrap().robot.items[0].friction == 0.25
    (finding,) = build_item("slab", [], friction=-0.1).findings
    assert "friction -0.1 is not a finite number of at least 0" in finding.message
    path = tmp_path / "scene.rck"
    path.write_text(SCENE.replace("friction: 0.02", "friction: -2"))
    with pytest.raises(RckError, match=r"scene.rck:9: .*friction"):
        open_session(plugins, path)


def test_surface_friction_is_reported_as_lost_by_urdf(plugins, tmp_path):
    path = tmp_path / "scene.rck"
    path.write_text(SCENE)
    robot = open_session(plugins, path).compile().unwrap().robot
    (exporter,) = [one for one in plugins.all(Exporter) if one.name == "urdf"]
    (finding,) = [one for one in derive_losses(robot, exporter, "scene") if "surface friction" in one.message]
    assert finding.code == 503
    assert finding.message.startswith("not supported by URDF: surface friction (")


def test_a_scaled_item_keeps_its_friction():
    item = build_item("slab", [], friction=0.3).unwrap()
    assert map_item(item, scaling((2, 2, 2))).friction == 0.3


def test_physics_recognises_polyhedra_of_primitives():
    pytest.importorskip("mujoco")
    from rck_plugins.physics.mujoco.shapes import primitive_of

    turn = translation((0.1, 0.2, 0.3)) @ rotation_about((1, 2, 3), 0.7)
    for shape, kind, size in (
        (box(0.1, 0.2, 0.3), "box", {0.05, 0.1, 0.15}),
        (cylinder(0.1, 0.4), "cylinder", {0.1, 0.2, 0.0}),
        (cylinder(0.1, 0.02, 16), "cylinder", {0.1, 0.01, 0.0}),
        (sphere(0.2), "sphere", {0.2, 0.0}),
    ):
        found = primitive_of(move_polyhedron(shape, turn))
        assert found is not None
        assert found.kind == kind
        assert set(np.round(found.size, 9)) == size
        np.testing.assert_allclose(found.pose[:3, 3], turn[:3, 3], atol=1e-9)
        if kind == "cylinder":
            np.testing.assert_allclose(abs(found.pose[:3, 2] @ turn[:3, 2]), 1.0, atol=1e-9)
    hexagon = [(np.cos(angle), np.sin(angle)) for angle in np.arange(6) * pi / 3]
    stretched = move_polyhedron(sphere(0.2), scaling((1, 1, 1.2)))
    skew = move_polyhedron(box(1, 1, 1), np.array([[1, 0.2, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]]))
    for shape in (wedge(1, 1, 1), cone(1, 1), prism(hexagon, 1), stretched, skew, sphere(0.2, 8)):
        assert primitive_of(shape) is None


def test_hulls_in_documents_are_recognised_too(plugins, tmp_path):
    """An imported cylinder is kept as the hull of its corners."""
    pytest.importorskip("mujoco")
    from rck_plugins.physics.mujoco.shapes import primitive_of

    points = [[round(float(1000 * x), 9) for x in corner] for corner in cylinder(0.05, 0.2).vertices]
    path: Path = tmp_path / "hull.rck"
    path.write_text(
        "rck: 1\nname: hull\nparts: {roll: {part: roll}}\n"
        f"pieces: {{roll: {{items: {{body: {{shapes: [{{hull: {points}}}], mass: 1}}}}}}}}\n"
    )
    (item,) = open_session(plugins, path).compile().unwrap().robot.items
    found = primitive_of(item.subitems[0].shape)
    assert found is not None
    assert found.kind == "cylinder"
