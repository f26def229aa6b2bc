"""Parts of one basic shape: made from dimensions, resized, with ports that move with their faces."""

from math import pi

import numpy as np
import pytest

from rck.assembly.native_file import format_assembly
from rck.language.basic_shapes import SIZES
from rck.model import RckError

DIMENSIONS = {
    "size": "60,40,20",
    "diameter": "40",
    "length": "80",
    "top": "20",
    "inner": "30",
    "section": "8",
    "height": "12",
    "sides": "6",
    "angle": "180",
}
CHANGED = {**dict.fromkeys(DIMENSIONS, "7"), "size": "7,40,20", "diameter": "44", "length": "90"}
L_SHAPE = "0,0;80,0;80,20;20,20;20,60;0,60"


def made(session, line):
    session.do(line)
    return session.compile().unwrap()


def volume(compiled, instance):
    item = compiled.robot.item(f"{instance}/body")
    return sum(subitem.shape.volume for subitem in item.subitems)


def gap(compiled, one, other):
    """Return the distance of two ports in metres."""
    first, second = (compiled.ports[end].world_pose(compiled.robot)[:3, 3] for end in (one, other))
    return float(np.linalg.norm(first - second))


@pytest.mark.parametrize("kind", SIZES)
def test_every_dimension_can_be_changed(session, kind):
    sizes = {name: DIMENSIONS[name] for name in SIZES[kind] if name in DIMENSIONS}
    if kind == "revolve":
        sizes["contour"] = "0,0;20,0;20,30;0,30"
    made(session, f"make {kind} thing " + " ".join(f"{name}={value}" for name, value in sizes.items()))
    for name in sizes:
        text = format_assembly(session.assembly)
        changed = CHANGED.get(name, "0,0;25,0;25,30;0,30")
        assert session.do(f"set thing {name}={changed}").changed
        assert session.compile().value is not None
        session.do("undo")
        assert format_assembly(session.assembly) == text


def test_edges_of_a_box_are_set_one_by_one_in_any_unit_and_mates_stay(session):
    session.do("make box foot size=120,120,8")
    session.do("make cylinder post diameter=40 length=100")
    session.do("mate foot.top post.bottom")
    session.do("make box lid size=40,40,4")
    session.do("mate post.top lid.bottom")
    session.do("port side foot.right")
    compiled = made(session, "set foot length=80 height=1in")
    assert volume(compiled, "foot") == pytest.approx(0.08 * 0.12 * 0.0254)
    assert gap(compiled, "foot.top", "post.bottom") < 1e-12
    compiled = made(session, "set post length=50")
    assert gap(compiled, "post.top", "lid.bottom") < 1e-12
    lid, foot = (compiled.ports[end].world_pose(compiled.robot)[2, 3] for end in ("lid.bottom", "foot.top"))
    assert lid - foot == pytest.approx(0.05)


def test_resized_part_keeps_its_material(session):
    light = made(session, "make box cube size=10,10,10 material=steel").robot.item("cube/body").mass
    heavy = made(session, "set cube width=20").robot.item("cube/body").mass
    assert heavy == pytest.approx(2 * light)


def test_prism_has_its_contour_and_ports_at_the_centre_of_area(session):
    compiled = made(session, f"make prism bracket height=5 contour={L_SHAPE}")
    assert volume(compiled, "bracket") == pytest.approx((80 * 20 + 20 * 40) * 5e-9)
    x, y, z = compiled.ports["bracket.top"].world_pose(compiled.robot)[:3, 3] * 1000
    assert (x, y, z) == pytest.approx(((1600 * 40 + 800 * 10) / 2400, (1600 * 10 + 800 * 40) / 2400, 2.5))


def test_revolved_contour_has_ports_only_at_flat_ends(session):
    compiled = made(session, "make revolve pin contour=0,0;10,0;10,30;0,40 segments=96")
    assert volume(compiled, "pin") == pytest.approx(pi * 1e-4 * 0.03 + pi * 1e-4 * 0.01 / 3, rel=0.01)
    assert [end for end in compiled.ports if end.startswith("pin.")] == ["pin.bottom"]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("make prism x height=5", "sides= and diameter=, or contour="),
        ("make prism x height=5 contour=0,0;10,10", "three or more corners"),
        ("make prism x height=5 contour=0,0;10,10;20,20", "no area"),
        ("make revolve x contour=-5,0;10,0;10,10", "crosses the axis"),
        ("set foot length=-5", "length|box|positive|size"),
        ("set foot diameter=5", "diameter"),
    ],
)
def test_impossible_dimensions_are_refused_and_change_nothing(session, line, reason):
    session.do("make box foot size=120,120,8")
    before = session.assembly
    with pytest.raises(RckError, match=reason):
        session.do(line)
    assert session.assembly is before
