"""Consistency of the shipped parts: every port type has a counterpart, and the figures agree."""

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from rck.parts.interface_spec import InterfaceSpec
from rck.parts.library import manifest_paths
from rck.parts.part import Part, PartFile, build_part, read_part_file
from rck.parts.part_checks import corner_values
from rck.parts.port_types import PortTypes, read_port_types

ROOT = Path(__file__).parents[2]
LIBRARY = ROOT / "parts_library" / "rck_parts"
LIGHTEST, HEAVIEST = 20, 12_000
"""Densities of real things, in kg/m3: above foam, below a shape that is drawn too small."""
NEMA_FACES = {"nema11": 28.2, "nema14": 35.2, "nema17": 42.3, "nema23": 56.9, "nema34": 86.0}
"""Sides of the motor faces after NEMA ICS 16 as sold, in mm."""


@pytest.fixture(scope="module")
def files() -> list[PartFile]:
    return [read_part_file(path) for path in manifest_paths(LIBRARY)]


@pytest.fixture(scope="module")
def parts(files: list[PartFile]) -> list[Part]:
    return [build_part(file).unwrap() for file in files]


@pytest.fixture(scope="module")
def types() -> PortTypes:
    return read_port_types([LIBRARY])


def family(kind: str) -> re.Pattern[str]:
    """Return a pattern for a port type, in which N is a number."""
    return re.compile(re.sub(r"(?<=-)N(?=-|t?$)", r"\\d+(\\.\\d+)?", re.sub(r"\.", r"\\.", kind)))


def kinds_at_all_ends(files: list[PartFile]) -> Iterator[tuple[str, str]]:
    for file in files:
        for values in corner_values(file):
            for port in file.filled(values).ports.values():
                yield file.manifest.part, port.type


def test_every_used_port_type_has_a_description(files: list[PartFile], types: PortTypes):
    assert {kind for _, kind in kinds_at_all_ends(files) if types.find(kind) is None} == set()


def test_every_described_port_type_is_used(files: list[PartFile], types: PortTypes):
    used = {kind for _, kind in kinds_at_all_ends(files)}
    assert [kind for kind in types.names if not any(family(kind).fullmatch(one) for one in used)] == []


def test_a_port_type_has_geometry_with_a_source_or_says_why_not(types: PortTypes):
    silent = []
    for name in types.names:
        spec = types.find(name.replace("-N", "-10"))
        assert spec is not None
        if spec[0].geometry == InterfaceSpec() and "no geometry" not in spec[0].notes + spec[0].summary:
            silent.append(name)
        if spec[0].geometry != InterfaceSpec():
            assert spec[0].sources, name
    assert silent == ["any", "floor"]


def test_drive_modules_and_lidars_are_typed_where_they_are_mounted(parts: list[Part]):
    for part in parts:
        names = {"actuators/module": ("output", "front", "back"), "sensors/lidar": ("mount",)}
        for name in names.get(part.manifest.category, ()):
            if name in part.ports:
                assert part.ports[name].type != "any", (part.id, name)


def test_port_types_computed_from_parameters_are_well_formed(files: list[PartFile]):
    untidy = {kind for _, kind in kinds_at_all_ends(files) if re.search(r"\.0(?!\d)|\s|[A-Z$]", kind)}
    assert untidy == set()


def spans(files: list[PartFile]) -> dict[tuple[str, str], list[tuple[float, float]]]:
    """Return the possible numbers for each gender of each family of port types."""
    found: dict[tuple[str, str], list[tuple[float, float]]] = defaultdict(list)
    for file in files:
        for name, port in file.manifest.ports.items():
            if port.gender is None:
                continue
            written = str(file.raw["ports"][name]["type"])
            chosen = re.fullmatch(r"(.*)-\$\{(\w+)\}", written)
            if chosen is not None:
                parameter = file.parameters[chosen.group(2)]
                found[chosen.group(1), port.gender].append((parameter.min, parameter.max))
            elif fixed := re.fullmatch(r"(shaft|housing|tube)-([\d.]+)", written):
                found[fixed.group(1), port.gender].append((float(fixed.group(2)),) * 2)
            else:
                found[written, port.gender].append((0.0, 0.0))
    return found


def test_every_port_type_with_a_gender_has_a_counterpart(files: list[PartFile]):
    found = spans(files)
    lonely = []
    for (kind, gender), own in found.items():
        other = found.get((kind, "female" if gender == "male" else "male"), [])
        lonely += [
            (kind, gender, lower, upper)
            for lower, upper in own
            if not any(low <= upper and lower <= high for low, high in other)
        ]
    assert lonely == []


def test_bearing_fits_the_shaft_and_the_seat_of_its_figures(parts: list[Part]):
    bearings = [part for part in parts if part.manifest.category == "bearings"]
    assert bearings
    for part in bearings:
        figures = part.manifest.figures
        assert part.ports["bore"].type == f"shaft-{figures['bore']:g}", part.id
        if "housing" in part.ports:
            assert part.ports["housing"].type == f"housing-{figures['diameter']:g}", part.id


def test_stepper_motors_have_the_face_of_their_frame_size(parts: list[Part]):
    motors = [part for part in parts if "face" in part.ports and part.ports["face"].type in NEMA_FACES]
    assert {part.ports["face"].type for part in motors} == set(NEMA_FACES)
    for part in motors:
        side = NEMA_FACES[part.ports["face"].type]
        assert part.manifest.figures["width"] == pytest.approx(side, abs=0.6), part.id


def test_every_item_has_a_realistic_density(parts: list[Part]):
    odd = []
    for part in parts:
        for item in part.robot.items:
            volume = sum(subitem.shape.volume for subitem in item.subitems)
            density = item.mass_properties.mass / volume if volume else 0.0
            if volume and not LIGHTEST <= density <= HEAVIEST:
                odd.append((part.id, item.name, round(density)))
    assert odd == []


def test_a_manifest_is_named_after_the_id_of_its_part(files: list[PartFile]):
    assert [file.path.name for file in files if file.path.stem != file.manifest.part.partition("/")[2]] == []


def test_manifests_have_web_addresses_only_as_addresses_of_sources(files: list[PartFile]):
    other = re.compile(r"^(?!    address: https://).*(https?:|www\.)", re.MULTILINE)
    assert [file.path.name for file in files if other.search(file.text)] == []


def test_summaries_and_notes_are_one_paragraph(files: list[PartFile]):
    broken = [
        file.path.name
        for file in files
        if "\n" in file.manifest.notes or "\n" in file.manifest.summary or not file.manifest.summary.strip()
    ]
    assert broken == []


def test_no_two_parts_differ_only_in_their_names(files: list[PartFile]):
    said = ("part", "name", "summary", "source", "tags", "notes")
    drawn = sorted(
        (repr({key: one for key, one in file.raw.items() if key not in said}), file.path.name) for file in files
    )
    assert [(first[1], second[1]) for first, second in pairwise(drawn) if first[0] == second[0]] == []
