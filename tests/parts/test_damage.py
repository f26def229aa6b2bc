"""A damaged manifest loads or is refused with its file name."""

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from rck.parts.library import read_catalogue
from rck.parts.part import build_part, read_part_file
from rck.support.typed_yaml import FileError

SHIPPED = Path(__file__).parents[2] / "parts_library" / "rck_parts"
VICTIMS = [
    (SHIPPED / name).read_text(encoding="utf-8")
    for name in (
        "structure/base/round-base.yaml",
        "structure/tube/tube-link.yaml",
        "actuators/servo/xm540-w270.yaml",
        "grippers/parallel/2f-85.yaml",
        "structure/plate/hole-plate.yaml",
    )
]
words = st.sampled_from(
    [
        "0", "-1", "1e300", "1e-300", ".nan", "999999999999", "null", "true", "[]", "{}", "''", "[1, 2]", "x", "-z",
        "length", '"${length}"', '"${1/0}"', '"${9**9**9}"', "1 kg", "1 mm", "*a", "&a 1", "!!x 1", "[0, 0, 0]", "[[[[",
        "}", "\n", "z: z", "  ", ": ", "- ", "#", "\t", "é", "\ufeff", "6", "0.5", "{a: b}", "../x.stl",
    ]
)  # fmt: skip


@st.composite
def damaged(draw: st.DrawFn) -> str:
    text = draw(st.sampled_from(VICTIMS))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        cut = draw(st.integers(0, 12))
        text = text[:start] + draw(words) + text[start + cut :]
    return text


@settings(max_examples=200)
@given(damaged())
def test_damaged_manifest_loads_or_is_refused_by_name(tmp_path_factory, text: str):
    path = tmp_path_factory.mktemp("damaged") / "part.yaml"
    path.write_text(text, encoding="utf-8")
    said = str(path)
    try:
        build_part(read_part_file(path))
    except FileError as error:
        said = str(error)
    assert str(path) in said


def test_one_invalid_manifest_does_not_affect_other_parts(tmp_path: Path):
    (tmp_path / "good.yaml").write_text(VICTIMS[0], encoding="utf-8")
    (tmp_path / "bad.yaml").write_text("part: [", encoding="utf-8")
    (tmp_path / "gone.yaml").symlink_to(tmp_path / "nowhere.yaml")
    (tmp_path / "binary.yaml").write_bytes(b"\xff\x00")
    catalogue = read_catalogue([tmp_path])
    assert list(catalogue.entries) == ["structure/round-base"]
    assert len(catalogue.findings) == 3
    for name in ("bad.yaml", "gone.yaml", "binary.yaml"):
        assert any(str(tmp_path / name) in finding.message for finding in catalogue.findings)
