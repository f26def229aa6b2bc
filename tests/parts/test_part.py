"""Manifests become parts or errors that name file, line and key."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import shapely
import trimesh
from click.testing import CliRunner

from rck.cli.main import cli
from rck.model import RckError
from rck.parts.part import build_part, choose_parameters, read_part_file
from rck.support.typed_yaml import FileError

Write = Callable[..., Path]


def test_a_part_has_the_items_ports_and_figures_of_its_manifest(manifest: Write):
    part = build_part(read_part_file(manifest())).unwrap()
    (bar,) = part.robot.items
    assert bar.name == "bar"
    assert bar.mass == pytest.approx(0.1)
    np.testing.assert_allclose(bar.mass_properties.centre, [0.1, 0, 0], atol=1e-12)
    np.testing.assert_allclose(np.ptp(bar.subitems[0].shape.vertices, axis=0), [0.2, 0.02, 0.01])
    assert (part.ports["b"].type, part.ports["b"].gender) == ("flange", "female")
    np.testing.assert_allclose(part.ports["b"].pose[:3, 3], [0.2, 0, 0])
    np.testing.assert_allclose(part.ports["b"].pose[:3, 2], [1, 0, 0])


def test_parameters_change_shapes_masses_and_ports(manifest: Write):
    part = build_part(read_part_file(manifest()), {"length": "30 cm"}).unwrap()
    assert part.robot.items[0].mass == pytest.approx(0.15)
    np.testing.assert_allclose(part.ports["b"].pose[:3, 3], [0.3, 0, 0])


def test_values_are_computed_from_parameters_and_earlier_values(manifest: Write):
    line = 'values: {half: "${length/2}", angle: "${atan2(half, half)}"}'
    file = manifest(
        ("items:\n", f"{line}\nitems:\n"), ('at: ["${length/2}", 0, 0]', 'at: ["${half}", "${angle - 45}", 0]')
    )
    part = build_part(read_part_file(file), {"length": 300}).unwrap()
    np.testing.assert_allclose(part.robot.items[0].mass_properties.centre, [0.15, 0, 0], atol=1e-12)
    for wrong, key in (('"${length/0}"', "values.half"), ("text", "values.half"), ("[1]", "values.half")):
        with pytest.raises(FileError, match=f":20: {key}"):
            read_part_file(manifest(("tags: [", f"values: {{half: {wrong}}}\ntags: ["))).manifest  # noqa: B018
    with pytest.raises(FileError, match=r"values\.length: a value name"):
        read_part_file(manifest(("tags: [", "values: {length: 2}\ntags: ["))).manifest  # noqa: B018


@pytest.mark.parametrize(
    ("given", "length"),
    [
        ({}, 200),
        ({"length": 120}, 120),
        ({"length": "120"}, 120),
        ({"length": "12 cm"}, 120),
        ({"length": "4in"}, 101.6),
    ],
)
def test_a_parameter_is_given_bare_or_with_a_unit(manifest: Write, given: dict[str, float | str], length: float):
    assert choose_parameters(read_part_file(manifest()), given)["length"] == pytest.approx(length)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"length": 49}, "not within 50 to 500 mm"),
        ({"length": 501}, "not within 50 to 500 mm"),
        ({"length": "3 kg"}, "unit of mass"),
        ({"length": "long"}, "not a length"),
        ({"holes": 3}, "not a multiple of 2"),
        ({"holes": "4 mm"}, "no unit"),
        ({"lenght": 100}, "did you mean length"),
        ({"length": float("nan")}, "not within"),
    ],
)
def test_a_parameter_outside_its_range_is_refused(manifest: Write, given: dict[str, float | str], said: str):
    with pytest.raises(RckError, match=said):
        choose_parameters(read_part_file(manifest()), given)


@pytest.mark.parametrize(
    ("old", "new", "path", "line"),
    [
        ("default: 200", "default: 20", "parameters.length", 9),
        ("min: 50", "min: 600", "parameters.length", 9),
        ("step: 2", "step: 0", "parameters.holes", 10),
        ("unit: mm,", "unit: furlong,", "parameters.length", 9),
        ("holes: {default", "sin: {default", "parameters.sin", 10),
        ("holes: {default", "2x: {default", "parameters.2x", 10),
        ("holes: {default: 4", "holes: {defualt: 4", "parameters.holes", 10),
        ('["${length}", 20', '["${lenght}", 20', "items.bar.shapes.0.box.0", 15),
        ('"${length/2}"\n', '"${length/0}"\n', "items.bar.mass", 13),
        ("part: toys/link", "part: link", "part", 1),
        ("part: toys/link", "part: Toys/Link", "part", 1),
        ("source: made up for tests\n", "", "missing: source or sources", 1),
        ("type: flange, gender: male", "type: flange, gender: mael", "ports.a.gender", 17),
        ("z: -x", "z: -w", "ports.a.z", 17),
        ("box: [", "bocks: [", "items.bar.shapes.0.bocks", 15),
        ("tags: [bar, beam]", "tags: [bar, {}]", "tags.1", 20),
    ],
)
def test_a_wrong_manifest_is_refused_with_file_line_and_path(manifest: Write, old: str, new: str, path: str, line: int):
    file = manifest((old, new))
    with pytest.raises(FileError) as caught:
        build_part(read_part_file(file))
    assert str(caught.value).startswith(f"{file}:{line}: ")
    assert path in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "where"),
    [
        ('["${length}", 20, 10]', "[0, 20, 10]", "items.bar"),
        ('["${length}", 20, 10]', "[-5, 20, 10]", "items.bar"),
        ('["${length}", 20, 10]', "[1e300, 20, 10]", "items.bar"),
        ('["${length}", 20, 10]', '["20 kg", 20, 10]', "items.bar"),
        ('mass: "${length/2}"', "mass: -1", "items.bar"),
        ('mass: "${length/2}"', "mass: 1\n    density: 5", "items.bar"),
        ('mass: "${length/2}"', "material: unobtainium", "items.bar"),
        ('mass: "${length/2}"', "colour: red\n    mass: 1", "items.bar"),
        ("{box: [", "{sphere: 10, box: [", "items.bar"),
        ("{box: [", "{segments: 2000000000, box: [", "items.bar"),
        ("{box: [", "{repeat: 100000, box: [", "items.bar"),
        ('{box: ["${length}", 20, 10]', "{cylinder: {diameter: 5, length: 5}, segments: 2", "items.bar"),
        ("z: -x", "z: [0, 0, 0]", "ports.a"),
        ("z: -x", "rpy: [0, 0, 0], z: z", "ports.a"),
        ("z: -x", "on: rod", "ports.a"),
        ("payload: 2.5", "payload: 2.5 mm", "figures.payload"),
        ("payload: 2.5", "paylod: 2.5", "figures.paylod"),
        ("units: {length: mm", "units: {length: smoot", "units.length"),
        ("ports:", "devices: {eye: {sensor: camera, port: lens}}\nports:", "devices.eye"),
        ("ports:", "joints: {j: {base: bar, moves: bar, revolute: z, limits: [0, 1]}}\nports:", "joint j"),
        ("ports:", "joints: {j: {base: bar, moves: bar}}\nports:", "joints.j"),
    ],
)
def test_part_that_cannot_be_built_is_refused_with_its_location(manifest: Write, old: str, new: str, where: str):
    built = build_part(read_part_file(manifest((old, new))))
    assert built.value is None
    assert where in {finding.where for finding in built.findings}


def test_part_without_items_is_refused(manifest: Write, link_text: str):
    body = link_text[link_text.index("items:") : link_text.index("figures:")]
    built = build_part(read_part_file(manifest((body, "items: {}\n"))))
    assert built.value is None


def test_mesh_next_to_the_manifest_is_decomposed_into_convex_pieces(manifest: Write, tmp_path: Path):
    trimesh.creation.box((10, 20, 30)).export(tmp_path / "block.stl")
    file = manifest(('{box: ["${length}", 20, 10]', "{mesh: block.stl"))
    bar = build_part(read_part_file(file)).unwrap().robot.items[0]
    assert sum(subitem.shape.volume for subitem in bar.subitems) == pytest.approx(6e-6)


def test_stored_pieces_of_a_mesh_need_no_coacd_until_the_mesh_changes(
    manifest: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    pytest.importorskip("coacd")
    corner = trimesh.creation.extrude_polygon(
        shapely.Polygon([(0, 0), (30, 0), (30, 10), (10, 10), (10, 30), (0, 30)]), 10
    )
    corner.export(tmp_path / "corner.stl")
    file = manifest(('{box: ["${length}", 20, 10]', "{mesh: corner.stl"))
    fresh = build_part(read_part_file(file)).unwrap().robot.items[0]
    (tmp_path / "corner.stl.0123456789abcdef.geometry").write_bytes(b"outdated")
    done = CliRunner().invoke(cli, ["parts", "decompose", str(file)])
    assert done.exit_code == 0, done.output
    (stored,) = tmp_path.glob("corner.stl.*.geometry")
    assert done.output == f"corner.stl: {stored.name}\n"
    monkeypatch.setattr("rck.geometry.decomposition.find_spec", lambda name: None)
    again = build_part(read_part_file(file)).unwrap().robot.items[0]
    assert len(again.subitems) == len(fresh.subitems) > 1
    assert again.mass == pytest.approx(fresh.mass)
    corner.apply_scale(1.5).export(tmp_path / "corner.stl")
    refused = build_part(read_part_file(file))
    assert refused.value is None
    assert "rck parts decompose" in refused.findings[0].message


@pytest.mark.parametrize(
    "name", ["../block.stl", "/etc/passwd", "a/../../block.stl", "~/x.stl", "missing.stl", "a\\0b"]
)
def test_missing_mesh_or_mesh_outside_the_folder_is_refused(manifest: Write, tmp_path: Path, name: str):
    trimesh.creation.box((10, 20, 30)).export(tmp_path / "block.stl")
    file = manifest(('{box: ["${length}", 20, 10]', f'{{mesh: "{name}"'), folder=tmp_path / "inner")
    built = build_part(read_part_file(file))
    assert built.value is None
    assert "mesh" in built.findings[0].message or "null" in built.findings[0].message


def test_symbolic_link_to_a_mesh_outside_the_folder_is_refused(manifest: Write, tmp_path: Path):
    trimesh.creation.box((10, 20, 30)).export(tmp_path / "block.stl")
    file = manifest(('{box: ["${length}", 20, 10]', "{mesh: block.stl"), folder=tmp_path / "inner")
    (tmp_path / "inner" / "block.stl").symlink_to(tmp_path / "block.stl")
    assert "outside" in build_part(read_part_file(file)).findings[0].message


def test_damaged_mesh_is_a_finding(manifest: Write, tmp_path: Path):
    for number, content in enumerate([b"", b"solid x\nfacet", bytes(range(256)) * 4, b"{}"]):
        for ending in ("stl", "obj", "ply", "glb"):
            (tmp_path / f"bad{number}.{ending}").write_bytes(content)
            file = manifest(('{box: ["${length}", 20, 10]', f"{{mesh: bad{number}.{ending}"))
            assert build_part(read_part_file(file)).value is None


def test_accelerations_are_in_the_units_of_the_file(manifest: Write):
    joint = "joints: {{j: {{base: bar, moves: b2, prismatic: x, limits: [0, 1], acceleration: {}}}}}\nports:"
    second = ("items:", "items:\n  b2: {mass: 1, shapes: [{sphere: 1}]}")
    on = ("a: {at", "a: {on: bar, at"), ("b: {at", "b: {on: bar, at")
    for given, metres in [("50", 0.5), ('"50 mm/s2"', 0.05)]:
        file = manifest(("units: {length: mm", "units: {length: cm"), second, ("ports:", joint.format(given)), *on)
        assert build_part(read_part_file(file)).unwrap().robot.joints[0].acceleration == pytest.approx(metres)
