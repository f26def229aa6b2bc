"""Counterbores and countersinks: concentric circles, distinguished by layers, notes and hidden circles."""

import ezdxf
import pytest
from ezdxf.render.mleader import ConnectionSide

BORED, SUNK = "2 holes (2 x 5 counterbored 10)", "2 holes (2 x 5 countersunk 10)"


def drilled(**look):
    document = ezdxf.new("R2010", setup=True, units=4)
    layout = document.modelspace()
    layout.add_lwpolyline([(0, 0), (182, 0), (182, 64), (0, 64)], close=True)
    for x in (20, 160):
        layout.add_circle((x, 32), 2.5)
        layout.add_circle((x, 32), 5, dxfattribs=look)
    return document


def summary(desk, document):
    return desk.read(document, thickness="4mm").summary


@pytest.mark.parametrize(
    ("look", "expected"),
    [
        ({}, BORED),
        ({"layer": "CSK"}, SUNK),
        ({"layer": "COUNTERBORE"}, BORED),
        ({"linetype": "HIDDEN"}, BORED),
        ({"linetype": "HIDDEN", "layer": "SENKUNGEN"}, BORED),
    ],
)
def test_layers_and_hidden_circles_state_steps(desk, look, expected):
    assert expected in summary(desk, drilled(**look))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2x %%c5 CSK %%c10 x 90%%d", SUNK),
        ("Senkung 10x90°", SUNK),
        ("c'bore 10 deep 2", BORED),
        ("DRILL AND DEBURR", BORED),
        ("countersink 3.2", SUNK),
    ],
)
def test_texts_state_steps(desk, text, expected):
    document = drilled()
    document.modelspace().add_text(text, height=3).set_placement((40, 80))
    assert expected in summary(desk, document)


def test_a_note_with_a_diameter_is_about_the_steps_of_that_diameter(desk):
    document = drilled()
    layout = document.modelspace()
    layout.add_circle((90, 32), 3)
    layout.add_circle((90, 32), 6)
    layout.add_text("csk 10", height=3).set_placement((90, 80))
    layout.add_text("c'bore 12", height=3).set_placement((30, 80))
    assert "3 holes (2 x 5 countersunk 10, 1 x 6 counterbored 12)" in summary(desk, document)


def test_dimensions_leaders_and_symbols_state_steps(desk):
    document = drilled()
    document.modelspace().add_diameter_dim(center=(20, 32), radius=5, angle=45, text="<> CSK 90").render()
    assert SUNK in summary(desk, document)
    document = drilled()
    document.modelspace().add_mtext("2x {\\Fgdt|c0;w}10").set_location((40, 80))
    assert SUNK in summary(desk, document)
    document = drilled()
    leader = document.modelspace().add_multileader_mtext("Standard")
    leader.set_content("2x ⌵ 10 x 90°")
    leader.add_leader_line(ConnectionSide.left, [(20, 32)])
    leader.build(insert=ezdxf.math.Vec2(50, 80))
    assert SUNK in summary(desk, document)


def test_report_and_ports_state_the_kind_of_step_with_the_reason(desk):
    document = drilled()
    document.modelspace().add_text("CSK 10", height=3).set_placement((40, 80))
    imported = desk.read(document, thickness="4mm")
    assert "read as countersink (a note says `CSK 10`)" in desk.said(imported)
    assert {port.note for port in desk.ports(imported)} == {"centre of a bore of 5 mm, countersunk 10 mm"}
    assert "counterbore (nothing says countersink)" in desk.said(desk.read(drilled(), thickness="4mm"))
