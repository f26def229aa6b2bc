"""Charts of curves over time."""

import numpy as np
import pytest

from rck.render.chart import GRID, INKS, PAPER, Curve, Panel, chart_lines, chart_picture, ticks

TIMES = np.linspace(0.0, 10.0, 101)


def panel(*values, title="sine"):
    return Panel(title, tuple(Curve(f"curve{n}", TIMES, np.asarray(one, float)) for n, one in enumerate(values)))


def test_scales_have_round_numbers():
    assert ticks(0.0, 1.0) == pytest.approx([0.0, 0.2, 0.4, 0.6, 0.8, 1.0])
    assert ticks(-3.0, 47.0) == [0.0, 10.0, 20.0, 30.0, 40.0]
    assert ticks(99.5, 100.5, 4) == [99.5, 100.0, 100.5]


def test_a_curve_in_the_terminal_rises_and_falls_where_it_should():
    lines = chart_lines(panel(TIMES), columns=60, rows=10)
    first_column = [row for row, line in enumerate(lines[1:11]) if line[1][0] != chr(0x2800)]
    last_column = [row for row, line in enumerate(lines[1:11]) if line[-1][0] != chr(0x2800)]
    assert min(first_column) > max(last_column)
    assert lines[0] == [("sine", -1)]
    assert lines[-1][1] == ("━ curve0  ", 0)


def test_signs_know_the_curve_that_they_belong_to():
    lines = chart_lines(panel(np.zeros(101), np.ones(101)), columns=60, rows=10)
    owners = [{own for _, own in line[1:]} - {-1} for line in lines[1:11]]
    assert owners[0] == {1} or owners[1] == {1}
    assert {0} in owners[-2:]


def test_a_picture_has_its_curves_in_their_colours():
    picture = chart_picture([panel(np.sin(TIMES)), panel(np.cos(TIMES), TIMES)], width=400, height=150)
    assert picture.shape == (300, 400, 3)
    colours = {tuple(colour) for colour in picture.reshape(-1, 3).tolist()}
    assert {PAPER, GRID, INKS[0], INKS[1]} <= colours
    upper = {tuple(colour) for colour in picture[:150].reshape(-1, 3).tolist()}
    assert INKS[1] not in upper


@pytest.mark.parametrize("values", [np.zeros(101), np.full(101, np.nan), np.full(101, 1e9), np.full(101, np.inf)])
def test_curves_that_are_level_or_no_numbers_are_drawn_all_the_same(values):
    assert chart_picture([panel(values)], width=300, height=100).shape == (100, 300, 3)
    assert len(chart_lines(panel(values))) == 17


def test_nothing_to_draw_gives_an_empty_picture():
    assert (chart_picture([], width=100, height=50) == PAPER).all()
