"""Charts of curves over time."""

import numpy as np
import pytest

from rck.rendering.chart import GRID, INKS, PAPER, ChartSeries, Panel, chart_lines, chart_picture, ticks

TIMES = np.linspace(0.0, 10.0, 101)


def panel(*values, title="sine"):
    return Panel(title, tuple(ChartSeries(f"curve{n}", TIMES, np.asarray(one, float)) for n, one in enumerate(values)))


def test_ticks_are_round_numbers():
    assert ticks(0.0, 1.0) == pytest.approx([0.0, 0.2, 0.4, 0.6, 0.8, 1.0])
    assert ticks(-3.0, 47.0) == [0.0, 10.0, 20.0, 30.0, 40.0]
    assert ticks(99.5, 100.5, 4) == [99.5, 100.0, 100.5]


def test_curve_in_the_terminal_follows_its_values():
    lines = chart_lines(panel(TIMES), columns=60, rows=10)
    first_column = [row for row, line in enumerate(lines[1:11]) if line[1][0] != chr(0x2800)]
    last_column = [row for row, line in enumerate(lines[1:11]) if line[-1][0] != chr(0x2800)]
    assert min(first_column) > max(last_column)
    assert lines[0] == [("sine", -1)]
    assert lines[-1][1] == ("━ curve0  ", 0)


def test_characters_have_the_index_of_their_curve():
    lines = chart_lines(panel(np.zeros(101), np.ones(101)), columns=60, rows=10)
    owners = [{own for _, own in line[1:]} - {-1} for line in lines[1:11]]
    assert owners[0] == {1} or owners[1] == {1}
    assert {0} in owners[-2:]


def test_chart_image_has_curves_in_their_colours():
    picture = chart_picture([panel(np.sin(TIMES)), panel(np.cos(TIMES), TIMES)], width=400, height=150)
    assert picture.shape == (300, 400, 3)
    colours = {tuple(colour) for colour in picture.reshape(-1, 3).tolist()}
    assert {PAPER, GRID, INKS[0], INKS[1]} <= colours
    upper = {tuple(colour) for colour in picture[:150].reshape(-1, 3).tolist()}
    assert INKS[1] not in upper


@pytest.mark.parametrize("values", [np.zeros(101), np.full(101, np.nan), np.full(101, 1e9), np.full(101, np.inf)])
def test_constant_and_non_finite_curves_are_drawn(values):
    assert chart_picture([panel(values)], width=300, height=100).shape == (100, 300, 3)
    assert len(chart_lines(panel(values))) == 17


def test_chart_without_panels_is_an_empty_image():
    assert (chart_picture([], width=100, height=50) == PAPER).all()
