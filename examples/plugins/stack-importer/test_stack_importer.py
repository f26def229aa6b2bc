import pytest

from rck.hooks import Importer, Job, read_options

pytest_plugins = ["rck.testing.fixtures"]
TOWER = "stack\nfoot 200 50\nmiddle 120 80\ntop 60 30\n"


def test_it_keeps_the_contract_of_importers(importer_contract, tmp_path):
    (tmp_path / "tower.stack").write_text(TOWER)
    importer_contract("stack", tmp_path / "tower.stack")


def test_floors_turn_by_the_given_angle(contribution, tmp_path):
    (tmp_path / "tower.stack").write_text(TOWER)
    importer = contribution(Importer, "stack")
    values = read_options(importer.options, {"turn": "45deg"})
    (part,) = importer.read(tmp_path / "tower.stack", values, Job()).parts
    assert [item.name for item in part.items] == ["foot", "middle", "top"]
    assert [joint.limits.upper for joint in part.joints] == pytest.approx([0.7853981634] * 2)


def test_damaged_line_is_named(contribution, tmp_path):
    (tmp_path / "tower.stack").write_text("stack\nfoot 200\n")
    importer = contribution(Importer, "stack")
    (finding,) = importer.read(tmp_path / "tower.stack", read_options(importer.options, {}), Job()).findings
    assert finding.where == "tower.stack:2"
