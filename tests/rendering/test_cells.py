"""Pixels in the characters of a terminal."""

import re
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rck.model import build_robot
from rck.rendering import (
    BLOCKS,
    DARK,
    HALF,
    LIGHT,
    QUADRANT,
    SEXTANT,
    Camera,
    Cells,
    ColourDepth,
    Scene,
    ansi_text,
    block_cells,
    colour_depth,
    draw,
    pose_robot,
    runs,
    sign_cells,
    sixteen_colours,
    with_labels,
)
from rck.rendering.ansi_text import nearest_of_256, nearest_of_sixteen
from rck.rendering.palette import SIXTEEN
from rck.rendering.picture import PlacedLabel
from rck.testing.random_solids import block

few = settings(max_examples=25)


def painted(cells, blocks):
    """The pixels that a terminal shows for block characters."""
    rows, columns = cells.codes.shape
    pattern_of = {code: pattern for pattern, code in enumerate(blocks.codes)}
    patterns = np.vectorize(pattern_of.__getitem__, otypes=[int])(cells.codes)
    picture = np.empty((rows, blocks.down, columns, blocks.across, 3), np.uint8)
    for k in range(blocks.across * blocks.down):
        inked = (patterns >> k & 1).astype(bool)[..., None]
        picture[:, k // blocks.across, :, k % blocks.across] = np.where(inked, cells.foreground, cells.background)
    return picture.reshape(rows * blocks.down, columns * blocks.across, 3)


def best_error(pixels):
    """The least squared error of any two colours for the pixels of one cell, by trying all splits."""
    count = len(pixels)
    errors = []
    for pattern in range(1 << count):
        inked = np.array([pattern >> k & 1 for k in range(count)], bool)
        errors.append(
            sum(((part - part.mean(axis=0)) ** 2).sum() for part in (pixels[inked], pixels[~inked]) if len(part))
        )
    return min(errors)


def test_half_blocks_show_every_pixel_exactly():
    rgb = np.random.default_rng(1).integers(0, 256, (10, 7, 3)).astype(np.uint8)
    np.testing.assert_array_equal(painted(block_cells(rgb, HALF), HALF), rgb)


@pytest.mark.parametrize("blocks", [QUADRANT, SEXTANT])
@given(st.integers(0, 1000))
@few
def test_each_cell_is_split_into_the_two_closest_colours(blocks, seed):
    rgb = np.random.default_rng(seed).integers(0, 256, (2 * blocks.down, 2 * blocks.across, 3)).astype(np.uint8)
    shown = painted(block_cells(rgb, blocks), blocks).astype(float)
    for row in range(2):
        for column in range(2):
            part = np.s_[row * blocks.down : (row + 1) * blocks.down, 2 * column : 2 * column + 2]
            cell, got = rgb[part].reshape(-1, 3).astype(float), shown[part].reshape(-1, 3)
            # Colours are whole numbers: half a step in each channel of each pixel.
            assert ((cell - got) ** 2).sum() <= best_error(cell) + 0.25 * cell.size + 1e-6


@pytest.mark.parametrize("blocks", BLOCKS.values())
def test_a_cell_of_one_colour_is_a_space(blocks):
    cells = block_cells(np.full((2 * blocks.down, 3 * blocks.across, 3), 90, np.uint8), blocks)
    assert (cells.codes == ord(" ")).all()
    np.testing.assert_array_equal(cells.background, np.full((2, 3, 3), 90))


def test_block_characters_match_their_unicode_names():
    import unicodedata

    assert chr(QUADRANT.codes[0b0110]) == "▞"
    names = {
        0b000001: "BLOCK SEXTANT-1",
        0b010110: "BLOCK SEXTANT-235",
        0b101011: "BLOCK SEXTANT-1246",
        0b111110: "BLOCK SEXTANT-23456",
    }
    for pattern, name in names.items():
        assert unicodedata.name(chr(SEXTANT.codes[pattern])) == name
    assert len(set(SEXTANT.codes)) == 64
    for blocks in BLOCKS.values():
        assert len(blocks.codes) == 1 << (blocks.across * blocks.down)


def test_half_blocks_have_square_pixels():
    assert [blocks.pixel_aspect() for blocks in (HALF, QUADRANT, SEXTANT)] == [1.0, 0.5, 0.75]
    assert HALF.pixel_aspect(0.6) == pytest.approx(1.2)


@given(st.integers(0, 1000))
@few
def test_runs_join_cells_of_one_style_without_loss(seed):
    chance = np.random.default_rng(seed)
    codes = chance.choice([ord(" "), ord("x"), ord("▀")], (4, 9)).astype(np.uint32)
    colours = np.array([[0, 0, 0], [255, 0, 16]], np.uint8)
    cells = Cells(codes, colours[chance.integers(0, 2, (4, 9))], colours[chance.integers(0, 2, (4, 9))])
    for row, line in enumerate(runs(cells)):
        assert "".join(text for text, _, _ in line) == "".join(map(chr, codes[row].tolist()))
        styles = [(front, back) for _, front, back in line]
        assert all(a != b for a, b in pairwise(styles))
        column = 0
        for text, front, back in line:
            for letter in text:
                red, green, blue = cells.background[row, column].tolist()
                assert back == red << 16 | green << 8 | blue
                if letter != " ":
                    red, green, blue = cells.foreground[row, column].tolist()
                    assert front == red << 16 | green << 8 | blue
                column += 1


def test_spaces_do_not_end_a_run():
    codes = np.array([[ord("a"), ord(" "), ord("b")]], np.uint32)
    front = np.array([[[1, 2, 3], [9, 9, 9], [1, 2, 3]]], np.uint8)
    assert list(runs(Cells(codes, front))) == [[("a b", 0x010203, -1)]]


def test_cells_without_colours_are_plain_runs():
    assert list(runs(Cells(np.array([[65, 66], [67, 68]], np.uint32)))) == [[("AB", -1, -1)], [("CD", -1, -1)]]
    assert list(runs(Cells(np.empty((2, 0), np.uint32)))) == [[], []]


class Terminal:
    """A terminal as small as the codes that are sent to it: letters, and the colours that are set."""

    def __init__(self, text):
        self.rows = []
        for line in text.splitlines():
            style, row = {"front": None, "back": None}, []
            for code, letter in re.findall(r"\x1b\[([0-9;]*)m|(.)", line):
                if letter:
                    row.append((letter, style["front"], style["back"]))
                else:
                    self._apply(style, [int(one) for one in code.split(";")])
            assert style == {"front": None, "back": None}, "a line leaves its colours on"
            self.rows.append(row)

    @staticmethod
    def _apply(style, numbers):
        while numbers:
            first = numbers.pop(0)
            if first == 0:
                style.update(front=None, back=None)
            elif first in (38, 48):
                count = {2: 3, 5: 1}[numbers.pop(0)]
                style["front" if first == 38 else "back"], numbers[:count] = tuple(numbers[:count]), []
            else:
                number = first % 10 + (8 if first >= 90 else 0)
                style["front" if first // 10 in (3, 9) else "back"] = SIXTEEN[number]


def test_true_colour_terminal_shows_the_cells_exactly():
    rgb = np.random.default_rng(3).integers(0, 256, (8, 10, 3)).astype(np.uint8)
    rgb[2:4, 3:8] = 7
    cells = block_cells(rgb)
    for row, line in enumerate(Terminal(ansi_text(cells)).rows):
        for column, (letter, front, back) in enumerate(line):
            assert ord(letter) == cells.codes[row, column]
            assert back == tuple(cells.background[row, column])
            assert letter == " " or front == tuple(cells.foreground[row, column])


def test_sixteen_colours_use_only_terminal_colours():
    scene = Scene(pose_robot(build_robot("box", [block("box", (0, 0, 0), colour=(0.9, 0.1, 0.1, 1))]).unwrap()))
    text = ansi_text(block_cells(draw(scene, Camera((3.0, -3.0, 3.0)), 20, 20).rgb), ColourDepth.SIXTEEN)
    shown = {colour for row in Terminal(text).rows for _, *colours in row for colour in colours}
    assert shown - {None} <= set(SIXTEEN)
    # A red box is red, not grey.
    assert shown & {SIXTEEN[1], SIXTEEN[9]}


def test_without_colours_there_are_no_escape_codes():
    text = ansi_text(
        block_cells(np.random.default_rng(0).integers(0, 256, (4, 4, 3)).astype(np.uint8)), ColourDepth.NONE
    )
    assert "\x1b" not in text
    assert [len(line) for line in text.splitlines()] == [4, 4]


def test_characters_distinguish_selection_and_collisions_without_colours():
    boxes = [block("plain", (-2, 0, 0)), block("chosen", (0, 0, 0)), block("hit", (2, 0, 0))]
    figure = pose_robot(build_robot("boxes", boxes).unwrap())
    scene = Scene(figure, selected=frozenset({"chosen"}), colliding=frozenset({"hit"}))
    lines = ansi_text(sign_cells(draw(scene, Camera((0.0, -12.0, 0.0)), 60, 40)), ColourDepth.NONE).splitlines()
    middle = lines[10]
    assert len(lines) == 20
    assert set(middle[:18]) & set(".:-=+*%@")
    assert set(middle[27:33]) <= set("░▒▓█")
    assert set(middle[43:]) & set("xX#")
    assert lines[0].strip() == ""


def test_labels_are_written_over_the_cells_and_cut_at_the_edge():
    cells = block_cells(np.zeros((4, 6, 3), np.uint8))
    written = with_labels(cells, (PlacedLabel("joint", 2, 3), PlacedLabel("x", 0, 99)), (9, 8, 7))
    assert "".join(map(chr, written.codes[1].tolist())) == "  join"
    assert written.foreground[1, 2].tolist() == [9, 8, 7]
    assert (written.codes[0] == ord(" ")).all()
    assert with_labels(Cells(cells.codes), (PlacedLabel("a", 0, 0),), (1, 1, 1)).codes[0, 0] == ord("a")


@pytest.mark.parametrize("size", [(0, 0), (2, 1), (10, 20), (0, 4), (4, 0)])
def test_cells_of_every_size_are_drawn(size):
    rows, columns = size
    for blocks in BLOCKS.values():
        cells = block_cells(np.zeros((rows * blocks.down, columns * blocks.across, 3), np.uint8), blocks)
        assert cells.codes.shape == (rows, columns)
        assert ansi_text(cells).count("\n") == rows


@pytest.mark.parametrize(
    ("environment", "is_terminal", "depth"),
    [
        ({"TERM": "xterm-256color", "COLORTERM": "truecolor"}, True, ColourDepth.FULL),
        ({"TERM": "xterm-256color", "COLORTERM": "truecolor", "NO_COLOR": "1"}, True, ColourDepth.NONE),
        ({"TERM": "xterm-256color", "NO_COLOR": ""}, True, ColourDepth.MANY),
        ({"TERM": "xterm-kitty"}, True, ColourDepth.FULL),
        ({"TERM": "xterm"}, True, ColourDepth.SIXTEEN),
        ({"TERM": "linux"}, True, ColourDepth.SIXTEEN),
        ({"TERM": "dumb"}, True, ColourDepth.NONE),
        ({"TERM": "xterm-256color"}, False, ColourDepth.NONE),
        ({"TERM": "xterm-256color", "FORCE_COLOR": "1"}, False, ColourDepth.MANY),
    ],
)
def test_number_of_colours_follows_the_environment(environment, is_terminal, depth):
    assert colour_depth(environment, is_terminal) is depth


def test_available_colours_stay_unchanged_in_fewer_colours():
    for number, (red, green, blue) in enumerate(SIXTEEN):
        assert nearest_of_sixteen(red << 16 | green << 8 | blue) == number
    for red, code in enumerate((0, 95, 135, 175, 215, 255)):
        assert nearest_of_256(code << 16) == 16 + 36 * red
    assert nearest_of_256(0x808080) == 244


@pytest.mark.parametrize("palette", [DARK, LIGHT])
def test_meanings_have_different_colours_in_sixteen_colours(palette):
    few_colours = sixteen_colours(palette)
    meanings = ("selection", "ghost", "port", "joint", "collision", "axis_z")
    chosen = [getattr(few_colours, name) for name in meanings]
    assert len(set(chosen)) == len(meanings)
    assert set(chosen) <= set(SIXTEEN)
    assert few_colours.sky not in chosen
