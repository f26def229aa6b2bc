from collections.abc import Callable
from pathlib import Path

import pytest

from rck.hooks import Importer, Job, discover
from rck.language.session import new_session, open_session
from rck.testing.contracts import Contribution

pytest_plugins = ["rck.testing.fixtures"]


def test_it_keeps_the_contract_of_importers(importer_contract: Callable[..., None], tmp_path: Path) -> None:
    good = tmp_path / "shelf.boxes"
    good.write_text("boxes\nlow 100 200 10\nhigh 50 50 300\n")
    importer_contract("my-plugin", good)


def test_boxes_stand_side_by_side_with_a_gap(contribution: Contribution, tmp_path: Path) -> None:
    file = tmp_path / "shelf.boxes"
    file.write_text("boxes\nlow 100 200 10\nhigh 50 50 300\n")
    (part,) = contribution(Importer, "my-plugin").read(file, {"gap": 0.02}, Job()).parts
    assert [item.pose[0, 3] for item in part.items] == pytest.approx([0.05, 0.145])


def test_a_wrong_line_is_named(contribution: Contribution, tmp_path: Path) -> None:
    file = tmp_path / "shelf.boxes"
    file.write_text("boxes\nlow 100 200 10\nhigh 50 tall 300\n")
    imported = contribution(Importer, "my-plugin").read(file, {"gap": 0.02}, Job())
    assert not imported.parts
    (finding,) = imported.findings
    assert (finding.code, finding.where) == (505, "shelf.boxes:3")


def test_an_import_is_saved_and_read_again(tmp_path: Path) -> None:
    (tmp_path / "shelf.boxes").write_text("boxes\nlow 100 200 10\nhigh 50 50 300\n")
    session = new_session(discover(), tmp_path)
    session.do("import shelf.boxes")
    session.save(tmp_path / "shelf.rck")
    assert open_session(session.plugins, tmp_path / "shelf.rck").assembly == session.assembly
