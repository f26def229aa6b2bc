"""Assembly files: exact round trip, small diffs for single edits, refusal of damaged files."""

import difflib
import shutil
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rck.assembly.document import (
    Assembly,
    Instance,
    JointSetting,
    LocalPart,
    Mate,
    MateJoint,
    SavedView,
    Tool,
)
from rck.assembly.edits import add_instance, set_instance
from rck.assembly.native_file import (
    fingerprint,
    fingerprint_of,
    format_assembly,
    normalised,
    parse_assembly,
    read_assembly,
    upgraded,
    write_assembly,
)
from rck.hooks import discover
from rck.language.session import Session, new_session
from rck.model.quantities import PoseSpec, Units
from rck.parts.manifest import DeviceSpec, Follow, PartItem, PartJoint, PartPort, Shape
from rck.support.plain_yaml import load_yaml
from rck.support.typed_yaml import FileError

EXAMPLES = Path(__file__).parents[2] / "examples"

texts = st.text(max_size=12) | st.sampled_from(
    ["null", "1", "1e3", "yes", "a\nb", "- x", "é漢🤖", " ", "#", "~", "a: b", ""]
)
names = texts
numbers = st.floats(allow_nan=False, allow_infinity=False)
quantities = numbers | texts
triples = st.tuples(quantities, quantities, quantities)
pairs = st.tuples(quantities, quantities)
axes = st.sampled_from(["x", "-y", "z"]) | st.tuples(numbers, numbers, numbers)


def maybe(strategy):
    return st.none() | strategy


def some(strategy):
    return st.dictionaries(names, strategy, max_size=3)


places = st.builds(PoseSpec, at=triples, rpy=maybe(triples), z=maybe(axes), x=maybe(axes))
instances = st.builds(
    Instance,
    part=texts,
    with_=some(quantities),
    place=maybe(places),
    scale=maybe(numbers | st.tuples(numbers, numbers, numbers)),
    mirror=st.sampled_from([None, "x", "y", "z"]),
    colour=maybe(texts),
    loose=st.booleans(),
    notes=texts,
)
mate_joints = st.builds(
    MateJoint,
    revolute=maybe(axes),
    continuous=maybe(axes),
    prismatic=maybe(axes),
    name=maybe(texts),
    limits=maybe(pairs),
    speed=maybe(quantities),
    torque=maybe(quantities),
    damping=numbers,
)
mates = st.builds(
    Mate,
    at=texts,
    put=texts,
    turn=quantities,
    flip=st.booleans(),
    offset=quantities | triples,
    rpy=maybe(triples),
    joint=maybe(mate_joints),
    force=st.booleans(),
)
shapes = st.builds(
    Shape, box=maybe(triples), hull=maybe(st.lists(triples, max_size=3)), colour=maybe(texts), at=triples
)
items = st.builds(
    PartItem, shapes=st.lists(shapes, max_size=2), mass=maybe(quantities), colour=texts, mobile=st.booleans()
)
part_joints = st.builds(
    PartJoint,
    base=texts,
    moves=texts | st.lists(texts, max_size=2),
    revolute=maybe(axes),
    follows=maybe(st.builds(Follow, joint=texts, ratio=numbers)),
)
piece_definitions = st.builds(
    LocalPart,
    items=some(items),
    summary=texts,
    units=st.builds(Units, length=texts, mass=texts),
    joints=some(part_joints),
    ports=some(st.builds(PartPort, on=texts, type=texts, at=triples, note=texts)),
    devices=some(st.builds(DeviceSpec, port=texts, joints=st.lists(texts, max_size=2))),
)
assemblies = st.builds(
    Assembly,
    name=names,
    units=st.builds(Units, length=texts, angle=texts, angular_speed=texts),
    parts=some(instances),
    mates=st.lists(mates, max_size=3),
    joints=some(st.builds(JointSetting, position=maybe(quantities), limits=maybe(pairs))),
    poses=some(some(quantities)),
    tools=some(st.builds(Tool, on=texts, offset=triples, rpy=maybe(triples))),
    views=some(st.builds(SavedView, eye=triples, target=triples, parallel=st.booleans())),
    ports=some(texts),
    local_parts=some(piece_definitions),
    notes=st.text(max_size=60)
    | st.sampled_from(["one\ntwo\n\nfour", "  indented\nthen not", "trailing \nspace", "a\n"]),
)


@settings(max_examples=60)
@given(assemblies)
def test_written_assembly_reads_back_equal(assembly: Assembly):
    text = format_assembly(assembly)
    read = parse_assembly(text)
    assert read == normalised(assembly)
    # The order of a part's items matters: the first item is the root.
    for name, piece in assembly.local_parts.items():
        assert list(read.local_parts[name].items) == list(piece.items)
    assert format_assembly(read) == text


@given(assemblies)
@settings(max_examples=30)
def test_file_text_does_not_depend_on_the_order_of_creation(assembly: Assembly):
    backwards = msgspec.structs.replace(
        assembly,
        parts=dict(reversed(assembly.parts.items())),
        tools=dict(reversed(assembly.tools.items())),
        poses={name: dict(reversed(pose.items())) for name, pose in assembly.poses.items()},
    )
    assert format_assembly(backwards) == format_assembly(assembly)


def changed_lines(before: Assembly, after: Assembly) -> list[str]:
    texts = [format_assembly(one).splitlines() for one in (before, after)]
    return [
        line
        for line in difflib.unified_diff(*texts, n=0, lineterm="")
        if line[0] in "+-" and line[:3] not in ("+++", "---")
    ]


@pytest.mark.parametrize("example", ["desk-arm", "two-arm-cell"])
def test_one_edit_is_one_small_diff(example: str):
    assembly = read_assembly(EXAMPLES / f"{example}.rck")
    name = sorted(assembly.parts)[2]
    assert len(changed_lines(assembly, set_instance(assembly, name, colour="#112233"))) == 2
    assert len(changed_lines(assembly, add_instance(assembly, "another", Instance("structure/plate")))) == 1
    turned = [msgspec.structs.replace(assembly.mates[1], turn=12.5), *assembly.mates[:1], *assembly.mates[2:]]
    assert len(changed_lines(assembly, msgspec.structs.replace(assembly, mates=turned))) == 2


def test_multi_line_notes_stay_multi_line():
    notes = "First line.\nSecond line.\n\nFourth: with a colon # and a sign."
    one = Assembly("a", notes=notes)
    other = Assembly("a", notes=notes.replace("Second", "2nd"))
    assert parse_assembly(format_assembly(one)).notes == notes
    assert changed_lines(one, other) == ["-  Second line.", "+  2nd line."]


def test_defaults_are_omitted_and_integers_have_no_decimal_point():
    text = format_assembly(Assembly("arm", parts={"base": Instance("a/b", with_={"length": 220.0, "n": 2.5})}))
    assert text == (
        "rck: 2\nname: arm\nunits: {length: mm, angle: deg}\nparts:\n  base: {part: a/b, with: {length: 220, n: 2.5}}\n"
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("rck: 1\nname: a\npartz: {}\n", "a.rck:3: partz: there is no such key (did you mean parts?)"),
        (
            "rck: 1\nname: a\nparts:\n  base: {part: x}\n  arm: {prat: x, part: y}\n",
            "a.rck:5: parts.arm.prat: there is no such key (did you mean part?)",
        ),
        (
            "rck: 1\nname: a\nmates:\n- {at: a.b, put: c.d, trun: 3}\n",
            "a.rck:4: mates.0.trun: there is no such key (did",
        ),
        ("rck: 1\nname: a\nmates:\n- {at: a.b}\n", "a.rck:4: mates.0: missing: put"),
        ("rck: 1\nname: a\nparts:\n  base: {part: 3}\n", "a.rck:4: parts.base.part: expected text, got a whole number"),
        ("rck: 1\nname: a\nparts: [x]\n", "a.rck:3: parts: expected a mapping, got a list"),
        ("rck: 1\nname: a\nparts:\n  base: {part: x}\n  base: {part: y}\n", "a.rck:5: the key 'base' is repeated"),
        ("rck: 1\n", "a.rck:1: missing: name"),
        ("name: a\n", "this is not an RCK assembly"),
        ("rck: one\nname: a\n", "a.rck:1: rck: this is not an RCK assembly"),
        ("rck: true\nname: a\n", "a.rck:1: rck: this is not an RCK assembly"),
        ("rck: 1\nname: a\nmates:\n- {at: a, put: b, turn: .nan}\n", "a.rck:4: .nan is not a finite number"),
        ("name: a\nrck: 3\n", "a.rck:2: rck: version 3 was written by a newer RCK"),
        ("rck: 0\nname: a\n", "a.rck:1: rck: there is no version 0"),
        ("", "a.rck: the file is empty"),
    ],
)
def test_errors_name_file_line_path_and_the_nearest_key(text: str, said: str):
    with pytest.raises(FileError) as caught:
        parse_assembly(text, "a.rck")
    assert said in str(caught.value)


def test_older_versions_are_upgraded_step_by_step(monkeypatch):
    upgrades = {
        -1: lambda data: {("label" if key == "title" else key): value for key, value in data.items()},
        0: lambda data: {("name" if key == "label" else key): value for key, value in data.items()},
        1: lambda data: {**data, "notes": "upgraded"},
    }
    monkeypatch.setattr("rck.assembly.native_file.UPGRADES", upgrades)
    text = "rck: -1\ntitle: old\n"
    data = upgraded(load_yaml(text), text, "old.rck")
    assert data == {"rck": 2, "name": "old", "notes": "upgraded"}
    assert upgraded({"rck": 2, "name": "new"}, "", "new.rck") == {"rck": 2, "name": "new"}


words = st.sampled_from(
    [
        "0",
        "-1",
        "1e300",
        ".nan",
        "null",
        "[]",
        "{}",
        "''",
        "x",
        "&a",
        "*a",
        "[[[[",
        "}",
        "\n",
        ": ",
        "- ",
        "#",
        "\t",
        "é",
        "rck: 2",
    ]
)


@pytest.fixture(scope="module")
def kept() -> Session:
    """Return a session in a folder with the examples."""
    return new_session(discover(), EXAMPLES)


@settings(max_examples=100)
@given(st.sampled_from(["desk-arm", "gantry", "scara-cell"]), st.data())
def test_damaged_file_loads_or_is_refused_by_name(tmp_path_factory, kept: Session, example: str, data):
    text = (EXAMPLES / f"{example}.rck").read_text(encoding="utf-8")
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        text = text[:start] + data.draw(words) + text[start + data.draw(st.integers(0, 10)) :]
    path = tmp_path_factory.mktemp("damaged") / "a.rck"
    path.write_text(text, encoding="utf-8")
    said = str(path)
    try:
        assembly = read_assembly(path)
    except FileError as error:
        said = str(error)
    else:
        # A file that loads must compile or give findings.
        kept.compile(assembly)
    assert said.startswith(str(path))


def test_example_scripts_survive_a_file_round_trip(tmp_path: Path):
    # Some examples use others as subassemblies, or import a file.
    for file in [*EXAMPLES.glob("*.rck"), *EXAMPLES.glob("*.xml")]:
        shutil.copy(file, tmp_path)
    for script in EXAMPLES.glob("*.rcks"):
        session = new_session(discover(), tmp_path, script.stem)
        session.run_script(script.read_text(encoding="utf-8"), script.name)
        assert parse_assembly(format_assembly(session.assembly)) == session.assembly


def test_a_file_is_replaced_in_one_step_and_keeps_its_permissions(tmp_path: Path):
    path = tmp_path / "a.rck"
    write_assembly(path, Assembly("one"))
    path.chmod(0o640)
    write_assembly(path, Assembly("two"))
    assert read_assembly(path) == Assembly("two")
    assert path.stat().st_mode & 0o777 == 0o640
    assert [one.name for one in tmp_path.iterdir()] == ["a.rck"]


def test_symbolic_link_is_kept_and_its_target_is_replaced(tmp_path: Path):
    write_assembly(tmp_path / "real.rck", Assembly("one"))
    (tmp_path / "link.rck").symlink_to("real.rck")
    write_assembly(tmp_path / "link.rck", Assembly("two"))
    assert (tmp_path / "link.rck").is_symlink()
    assert read_assembly(tmp_path / "real.rck").name == "two"


def test_a_write_protected_file_is_not_replaced(tmp_path: Path):
    path = tmp_path / "a.rck"
    write_assembly(path, Assembly("one"))
    path.chmod(0o444)
    with pytest.raises(PermissionError):
        write_assembly(path, Assembly("two"))
    assert read_assembly(path) == Assembly("one")


def test_fingerprint_of_an_assembly_equals_that_of_its_file(tmp_path: Path):
    assembly = Assembly("one", notes="é")
    assert fingerprint(tmp_path / "a.rck") == ""
    write_assembly(tmp_path / "a.rck", assembly)
    assert fingerprint(tmp_path / "a.rck") == fingerprint_of(format_assembly(assembly))
