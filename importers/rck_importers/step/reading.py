"""Reading of a STEP file in a child process, so that damaged files cost bounded time and memory.

The result consists of lists, dictionaries and arrays, which cross the border between processes.
"""

from typing import Any

import numpy as np

from rck.geometry.brep.convex_cover import find_convex_cover
from rck.geometry.brep.cylinders import find_round_features
from rck.geometry.brep.errors import BrepError, CrossingError
from rck.geometry.brep.tessellation import LumpMesh, tessellate
from rck.geometry.brep.topology import Lump, extreme_points
from rck.geometry.mass_properties import map_moments
from rck.geometry.transforms import scaling
from rck.support.job import Job
from rck_importers.step.geometry import GeometryReader
from rck_importers.step.part21 import Exchange, StepError, read_exchange
from rck_importers.step.structure import Component, PlacedSolid, Structure
from rck_importers.step.styles import Colours, Rgba, read_colours
from rck_importers.step.topology import SHEETS, TopologyReader

_COARSEST = 1 / 2000
"""Deviation, as a fraction of the size, above which a smaller one would only cost time."""
_FINER = (1, 8, 64)
"""Divisors of the deviation that are tried one after the other, if chords cross."""
_ROUGH = 1 / 150
"""Deviation, as a fraction of the size, of the triangles for convex decomposition."""


def read_components(job: Job, data: bytes, deviation: float, most_components: int) -> dict[str, Any]:
    """Return the components and solids of a file; lengths are in metres.

    `deviation` is the largest distance of a triangle from its curved face.
    """
    exchange = read_exchange(data)
    structure = Structure(exchange, most_components)
    components = structure.components()
    colours = read_colours(exchange)
    placed = {solid.number: solid for component in components for solid in component.solids}
    readers: dict[float, TopologyReader] = {}
    solids = {}
    for number, (key, solid) in enumerate(placed.items()):
        job.progress(number / len(placed), f"solid {number + 1} of {len(placed)}")
        if solid.degree not in readers:
            readers[solid.degree] = TopologyReader(exchange, GeometryReader(exchange, solid.degree))
        solids[str(key)] = _solid(readers[solid.degree], solid, deviation, colours)
    return {
        "components": [_component(component, colours) for component in components],
        "solids": solids,
        "notes": sorted(set(structure.notes)),
    }


def _component(component: Component, colours: Colours) -> dict[str, Any]:
    return {
        "path": list(component.path),
        "matrix": component.matrix,
        "solids": [
            {"number": solid.number, "matrix": solid.matrix, "colour": _instance_colour(component, solid, colours)}
            for solid in component.solids
        ],
    }


def _instance_colour(component: Component, solid: PlacedSolid, colours: Colours) -> list[float] | None:
    """Return the colour that a solid has only in this component: that of the outermost assembly counts."""
    numbers = (solid.number, *solid.containers)
    for occurrence in component.occurrences:
        found = next((colours.in_occurrence.get((one, occurrence)) for one in numbers), None)
        if found is not None:
            return list(found)
    return None


def _solid(reader: TopologyReader, placed: PlacedSolid, deviation: float, colours: Colours) -> dict[str, Any]:
    record = reader.exchange.get(placed.number)
    name = record.text(0, "REPRESENTATION_ITEM" if len(record.parts) > 1 else "")
    found: dict[str, Any] = {"name": name, "label": record.label, "sheet": record.has(*SHEETS)}
    try:
        lump, numbers = reader.lump(record)
        size = _size(lump)
        fine = max(deviation / placed.metres, _COARSEST * size)
        mesh = _tessellated(lump, fine)
        if mesh.is_closed and not mesh.moments.volume > 0:
            raise StepError(f"{record.label} encloses no volume")
    except BrepError as error:
        return {**found, "failure": str(error), "text": _alone(reader.exchange, placed)}
    metres = placed.metres
    found |= {
        "vertices": mesh.mesh.vertices * metres,
        "triangles": mesh.mesh.face_vertices.reshape(-1, 3),
        "closed": mesh.is_closed,
        "colours": _face_colours(placed, numbers, mesh, colours),
    }
    if mesh.is_closed:
        true = map_moments(mesh.moments, scaling(metres))
        found["moments"] = [true.area, true.volume, true.first, true.second]
        _add_detail(found, lump, mesh, fine, size, metres)
    return found


def _add_detail(found: dict[str, Any], lump: Lump, mesh: LumpMesh, fine: float, size: float, metres: float) -> None:
    cover = find_convex_cover(lump, mesh, fine)
    if cover is not None:
        found["how"], found["clouds"] = cover.how, [cloud * metres for cloud in cover.clouds]
    else:
        rough = _rough(lump, max(fine, _ROUGH * size))
        if rough is not None:
            found["rough"] = [rough.mesh.vertices * metres, rough.mesh.face_vertices.reshape(-1, 3)]
    found["round"] = [
        {
            "start": feature.start * metres,
            "end": feature.end * metres,
            "radius": feature.radius * metres,
            "hole": feature.is_hole,
            "open": [feature.open_start, feature.open_end],
            "radii": [radius * metres for radius in feature.radii],
            "slot": None if feature.slot is None else feature.slot * metres,
        }
        for feature in find_round_features(lump, mesh)
    ]


def _size(lump: Lump) -> float:
    points = extreme_points(lump)
    return float(np.ptp(points, axis=0).max(initial=0.0)) if len(points) else 0.0


def _tessellated(lump: Lump, deviation: float) -> LumpMesh:
    for finer in _FINER:
        try:
            return tessellate(lump, deviation / finer)
        except CrossingError:
            # Chords of neighbouring edges may cross where the edges do not.
            if finer == _FINER[-1]:
                raise
    raise AssertionError


def _rough(lump: Lump, deviation: float) -> LumpMesh | None:
    """Return few triangles of a lump for convex decomposition; None if they are not closed."""
    try:
        mesh = tessellate(lump, deviation)
    except BrepError:
        return None
    return mesh if mesh.is_closed else None


def _face_colours(placed: PlacedSolid, numbers: list[int], mesh: LumpMesh, colours: Colours) -> list[Any]:
    """Return colours with the first triangle of each run of faces of that colour; None for no colour."""
    always = colours.always
    whole = next((always[one] for one in (placed.number, *placed.containers[::-1]) if one in always), None)
    runs: list[tuple[Rgba | None, int]] = []
    first = 0
    for number, count in zip(numbers, mesh.face_counts, strict=True):
        colour = always.get(number, whole)
        if count and (not runs or runs[-1][0] != colour):
            runs.append((colour, first))
        first += count
    return [[None if colour is None else list(colour), start] for colour, start in runs]


def _alone(exchange: Exchange, placed: PlacedSolid) -> bytes:
    """Return a STEP file with only this solid, for another library."""
    representation = exchange.get(placed.containers[0])
    context = representation.ref(2, "REPRESENTATION" if len(representation.parts) > 1 else "").number
    needed = exchange.needed_by(iter((placed.number, context)))
    n = max(exchange.texts) + 1
    lines = [f"#{number}={exchange.texts[number]};" for number in needed]
    lines += [
        f"#{n}=APPLICATION_CONTEXT('automotive_design');",
        f"#{n + 1}=PRODUCT_CONTEXT('',#{n},'mechanical');",
        f"#{n + 2}=PRODUCT('solid','solid','',(#{n + 1}));",
        f"#{n + 3}=PRODUCT_DEFINITION_FORMATION('','',#{n + 2});",
        f"#{n + 4}=PRODUCT_DEFINITION_CONTEXT('part definition',#{n},'design');",
        f"#{n + 5}=PRODUCT_DEFINITION('design','',#{n + 3},#{n + 4});",
        f"#{n + 6}=PRODUCT_DEFINITION_SHAPE('','',#{n + 5});",
        f"#{n + 7}=SHAPE_REPRESENTATION('',(#{placed.number}),#{context});",
        f"#{n + 8}=SHAPE_DEFINITION_REPRESENTATION(#{n + 6},#{n + 7});",
    ]
    head = "ISO-10303-21;\nHEADER;\nFILE_DESCRIPTION((''),'2;1');\nFILE_NAME('','',(''),(''),'','','');\n"
    schema = "FILE_SCHEMA(('AUTOMOTIVE_DESIGN'));\nENDSEC;\nDATA;\n"
    return (head + schema + "\n".join(lines) + "\nENDSEC;\nEND-ISO-10303-21;\n").encode()
