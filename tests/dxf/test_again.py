"""Repeated import after the drawing changed: one command, with the import recipe stored next to the drawing."""

import ezdxf
import pytest
from click.testing import CliRunner

from rck.cli.main import cli
from rck.hooks import discover, read_recipe
from rck.language.session import open_session


def draw(path, width=120.0):
    """A plate with two bores, and a lever with one, which a pin connects."""
    document = ezdxf.new(units=4)
    layout = document.modelspace()
    layout.add_lwpolyline([(0, 0), (width, 0), (width, 60), (0, 60)], close=True, dxfattribs={"layer": "SIDE"})
    layout.add_circle((30, 30), 5, dxfattribs={"layer": "SIDE"})
    layout.add_circle((width - 20, 30), 5, dxfattribs={"layer": "SIDE"})
    lever = {"layer": "LEVER", "elevation": 6}
    layout.add_lwpolyline([(20, 20), (40, 20), (40, 140), (20, 140)], close=True, dxfattribs=lever)
    layout.add_circle((30, 30, 6), 5, dxfattribs={"layer": "LEVER"})
    layout.add_line((30, 30, 0), (30, 30, 12), dxfattribs={"layer": "JOINT_R_hinge"})
    document.saveas(path)


@pytest.fixture
def rck(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(*words):
        done = CliRunner().invoke(cli, list(words), standalone_mode=False)
        assert done.exit_code == 0, done.output
        return done.output

    return run


def test_a_changed_drawing_is_imported_again_with_one_command(rck, tmp_path):
    path = tmp_path / "side.dxf"
    draw(path)
    rck("import", "side.dxf", "--layer-thickness", "SIDE=6mm,LEVER=4mm", "--material", "steel")
    recipe = tmp_path / "side.dxf.recipe.yaml"
    text = recipe.read_text()
    assert "material: steel" in text
    recipe.write_text(text + "joints:\n  hinge: {base: SIDE, moves: LEVER, limits: [-30, 90]}\n")
    draw(path, width=150.0)
    said = rck("import", "side.dxf")
    assert "1 joint, " in said
    assert "steel" in said
    robot = open_session(discover(), tmp_path / "side.rck").compile().unwrap().robot
    assert [joint.name.rpartition("/")[2] for joint in robot.joints if joint.kind.moves] == ["hinge"]
    side = next(item for item in robot.items if item.name.endswith("SIDE"))
    assert max(subitem.shape.vertices[:, 0].max() for subitem in side.subitems) == pytest.approx(0.15)


def test_instances_mated_to_an_imported_part_stay_after_reimport(rck, tmp_path):
    path = tmp_path / "plate.dxf"
    document = ezdxf.new(units=4)
    document.modelspace().add_lwpolyline([(0, 0), (80, 0), (80, 40), (0, 40)], close=True)
    document.modelspace().add_circle((20, 20), 4)
    document.saveas(path)
    rck("import", "plate.dxf", "--thickness", "4mm")
    (tmp_path / "more.rcks").write_text("create structure/plate cover --at plate.hole1-top --by bottom\n")
    rck("run", "more.rcks", "plate.rck")
    document.modelspace().query("CIRCLE").first.dxf.center = (60, 20)
    document.saveas(path)
    rck("import", "plate.dxf")
    robot = open_session(discover(), tmp_path / "plate.rck").compile().unwrap().robot
    cover = next(item for item in robot.items if item.name.startswith("cover"))
    assert cover.pose[:3, 3] == pytest.approx([0.06, 0.02, 0.004])


def draw_row(path, places):
    document = ezdxf.new(units=4)
    document.modelspace().add_lwpolyline([(0, 0), (120, 0), (120, 40), (0, 40)], close=True)
    for x in places:
        document.modelspace().add_circle((x, 20), 4)
    document.saveas(path)


def test_removed_hole_is_reported_and_other_holes_keep_their_names(rck, tmp_path):
    draw_row(tmp_path / "row.dxf", (20, 40, 60, 80))
    rck("import", "row.dxf", "--thickness", "4mm")
    (tmp_path / "more.rcks").write_text("create structure/plate cover --at row.hole3-top --by bottom\n")
    rck("run", "more.rcks", "row.rck")
    draw_row(tmp_path / "row.dxf", (30, 40, 60, 100, 90))
    said = rck("import", "row.dxf")
    session = open_session(discover(), tmp_path / "row.rck")
    robot = session.compile().unwrap().robot
    cover = next(item for item in robot.items if item.name.startswith("cover"))
    assert cover.pose[:3, 3] == pytest.approx([0.06, 0.02, 0.004])
    tops = {
        name: port.at[0] for name, port in session.assembly.local_parts["row"].ports.items() if name.endswith("-top")
    }
    assert {"hole2-top": 0.04, "hole3-top": 0.06}.items() <= tops.items()
    assert sorted(tops.values()) == pytest.approx([0.03, 0.04, 0.06, 0.09, 0.1])
    draw_row(tmp_path / "row.dxf", (40, 60))
    said = rck("import", "row.dxf")
    assert "row.dxf no longer has row.hole1-top, hole1-bottom" in said
    assert "attach the instances there to another port" in said


def test_recipe_is_written_unless_disabled(rck, tmp_path):
    draw(tmp_path / "side.dxf")
    rck("import", "side.dxf", "--thickness", "4mm", "--no-recipe")
    assert not (tmp_path / "side.dxf.recipe.yaml").exists()
    rck("import", "side.dxf", "--thickness", "3mm", "-o", "thin.rck")
    assert read_recipe(tmp_path / "side.dxf").given == {"thickness": "3mm"}
