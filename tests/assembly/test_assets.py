"""Large geometry in files next to the document: written once, kept while undo needs it, refused when damaged."""

from pathlib import Path
from shutil import copytree

import numpy as np
import pytest
import trimesh

from rck.assembly.journal import Recovery, recoverable
from rck.assembly.native_file import assets_folder, assets_of, parse_assembly, read_assembly
from rck.geometry.geometry_file import pieces_bytes, read_pieces, read_surface, surface_bytes
from rck.geometry.mesh import make_mesh
from rck.geometry.primitives import box, cylinder, sphere
from rck.hooks import Plugins
from rck.language.session import Session, new_session, open_session
from rck.model import RckError
from rck.support.finding import errors_of


@pytest.fixture
def ball_file(tmp_path: Path) -> Path:
    """Return a mesh whose hull is too large for the YAML."""
    path = tmp_path / "ball.stl"
    trimesh.creation.icosphere(3, 0.05).export(path)
    return path


@pytest.fixture
def session(plugins: Plugins, ball_file: Path) -> Session:
    session = new_session(plugins, ball_file.parent)
    session.do("import ball.stl ball length-unit=m convex=hull")
    session.do("create ball one")
    session.do("save robot.rck")
    return session


def names(folder: Path) -> set[str]:
    return {file.name for file in folder.iterdir()} if folder.is_dir() else set()


def test_saved_geometry_is_read_back_equal(session: Session, plugins: Plugins):
    path = session.path
    assert path is not None
    before = session.compile().unwrap().robot.items[0].subitems
    again = open_session(plugins, path).compile().unwrap().robot.items[0].subitems
    assert names(assets_folder(path)) == set(assets_of(read_assembly(path)))
    assert len(before) == len(again)
    for one, other in zip(before, again, strict=True):
        assert np.array_equal(one.shape.vertices, other.shape.vertices)
    assert path.stat().st_size < 2_000


def test_save_to_another_file_copies_the_assets(session: Session, plugins: Plugins, tmp_path: Path):
    session.do("save other.rck")
    assert names(tmp_path / "other.assets") == names(tmp_path / "robot.assets") != set()
    assert not errors_of(open_session(plugins, tmp_path / "other.rck").compile().findings)


def test_assets_stay_while_undo_needs_them_and_go_later(session: Session, plugins: Plugins):
    path = session.path
    assert path is not None
    session.do("remove piece ball --with-dependents")
    session.do("save")
    assert names(assets_folder(path)) != set()
    session.do("undo")
    assert not errors_of(session.compile().findings)
    session.do("redo")
    session.do("save")
    later = open_session(plugins, path)
    later.do("set assembly notes=empty")
    later.do("save")
    assert names(assets_folder(path)) == set()


def test_import_is_recovered_from_the_journal_with_its_assets(session: Session, plugins: Plugins, ball_file: Path):
    path = session.path
    assert path is not None
    trimesh.creation.icosphere(3, 0.07).export(ball_file)
    session.begin_journal()
    session.do("import ball.stl second length-unit=m convex=hull")
    left = recoverable(path)
    assert isinstance(left, Recovery)
    ball_file.unlink()
    recovered = open_session(plugins, path)
    recovered.recover_from(left)
    recovered.do("create second two")
    assert not errors_of(recovered.compile().findings)


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (Path.unlink, "is missing: copy the folder robot.assets together with the assembly"),
        (lambda file: file.write_bytes(file.read_bytes()[:-8]), "is damaged: its content has changed"),
    ],
)
def test_missing_or_damaged_asset_is_a_finding(session: Session, plugins: Plugins, tmp_path: Path, damage, said: str):
    for file in (tmp_path / "robot.assets").iterdir():
        damage(file)
    findings = errors_of(open_session(plugins, tmp_path / "robot.rck").compile().findings)
    assert said in str(findings[0])


def test_asset_of_a_subassembly_is_next_to_its_file(session: Session, plugins: Plugins, tmp_path: Path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "robot.rck").rename(tmp_path / "parts" / "robot.rck")
    copytree(tmp_path / "robot.assets", tmp_path / "parts" / "robot.assets")
    whole = new_session(plugins, tmp_path)
    whole.do("create parts/robot.rck inner")
    assert not errors_of(whole.compile().findings)


@pytest.mark.parametrize("name", ["../secret.geometry", "/etc/passwd", "a.geometry", "0" * 32 + ".py"])
def test_name_that_is_not_that_of_an_asset_is_refused(name: str):
    text = f"rck: 2\nname: a\nlocal_parts:\n  p: {{items: {{i: {{mass: 1, shapes: [{{pieces: {name}}}]}}}}}}\n"
    with pytest.raises(RckError, match="is not the name of an asset"):
        parse_assembly(text, "a.rck")


def test_version_1_is_upgraded():
    text = (
        "rck: 1\nname: a\npieces:\n  p: {items: {i: {mass: 1, shapes: [{box: [1, 1, 1]}]}}, ports: {a: {kind: m3}}}\n"
    )
    assert parse_assembly(text).local_parts["p"].ports["a"].type == "m3"


def test_pieces_keep_their_exact_moments():
    pieces = [box(1, 2, 3), cylinder(0.1, 0.2), sphere(0.3)]
    for one, other in zip(pieces, read_pieces(pieces_bytes(pieces)), strict=True):
        assert other.volume == pytest.approx(one.volume, rel=1e-15)
        assert np.array_equal(one.vertices, other.vertices)


@pytest.mark.parametrize(
    "size", ["1e999", "-1", "9e99", "99999999999999999999", "0, 4611686018427387904", "null", "[]"]
)
def test_impossible_size_of_an_array_is_damage(size: str):
    content = pieces_bytes([box(1, 2, 3)])
    damaged = content.replace(b'"face-offsets": ["<i4", [7]]', f'"face-offsets": ["<i4", [{size}]]'.encode())
    assert damaged != content
    with pytest.raises(RckError, match="the geometry is damaged: its header cannot be read"):
        read_pieces(damaged)


NOT_GEOMETRY = "this is not a file of geometry of this version"


def test_damaged_geometry_is_refused():
    surface = surface_bytes(make_mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]), np.zeros((3, 2)))
    generator = np.random.default_rng(4)
    said = set()
    for content, read in ((pieces_bytes([box(1, 2, 3)]), read_pieces), (surface, read_surface)):
        read(content)
        for _ in range(300):
            damaged = bytearray(content)
            for _ in range(generator.integers(1, 4)):
                damaged[generator.integers(len(damaged))] = generator.integers(256)
            cut = bytes(damaged[: generator.integers(len(damaged) + 1)])
            for one in (bytes(damaged), cut):
                try:
                    read(one)
                except RckError as error:
                    said.add(str(error).partition(":")[0])
    assert said <= {"the geometry is damaged", "the geometry is truncated", NOT_GEOMETRY}
    assert len(said) > 1
