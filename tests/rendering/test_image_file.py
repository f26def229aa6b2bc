"""PNG, GIF, Kitty and Sixel output, decoded by independent decoders."""

import hashlib
import io
import re
import struct
import zlib
from base64 import b64decode

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rck.rendering import Protocol, detect, gif_bytes, kitty_text, png_bytes, sixel_text
from rck.rendering.colour_quantisation import common_palette, in_palette
from rck.rendering.terminal_pixels import kitty_clear

few = settings(max_examples=25)
sizes = st.tuples(st.integers(1, 12), st.integers(1, 40))


def noise(seed, height, width, step=1):
    chance = np.random.default_rng(seed)
    return (chance.integers(0, 256 // step, (height, width, 3)) * step).astype(np.uint8)


def opened(content):
    image = pytest.importorskip("PIL.Image", reason="Pillow (pip install pillow) is not installed")
    return image.open(io.BytesIO(content))


@given(st.integers(0, 1000), sizes)
@few
def test_png_file_has_the_exact_pixels(seed, size):
    rgb = noise(seed, *size)
    image = opened(png_bytes(rgb))
    assert image.format == "PNG"
    np.testing.assert_array_equal(np.array(image.convert("RGB")), rgb)


def test_png_file_follows_the_standard():
    content = png_bytes(np.array([[[1, 2, 3], [4, 5, 6]]], np.uint8))
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    at, names = 8, []
    while at < len(content):
        (length,) = struct.unpack(">I", content[at : at + 4])
        body = content[at + 4 : at + 8 + length]
        assert struct.unpack(">I", content[at + 8 + length : at + 12 + length])[0] == zlib.crc32(body)
        names.append(body[:4])
        at += 12 + length
    assert names == [b"IHDR", b"IDAT", b"IEND"]


def test_same_pixels_give_same_bytes():
    frames = [noise(seed, 20, 30, 64) for seed in range(3)]
    for write in (lambda: png_bytes(frames[0]), lambda: gif_bytes(frames), lambda: sixel_text(frames[0]).encode()):
        assert hashlib.sha256(write()).digest() == hashlib.sha256(write()).digest()


@given(st.integers(0, 1000), sizes, st.integers(1, 4))
@few
def test_gif_file_with_few_colours_is_exact(seed, size, count):
    frames = [noise(seed + number, *size, step=85) for number in range(count)]
    image = opened(gif_bytes(frames, 0.2))
    assert image.format == "GIF"
    assert getattr(image, "n_frames", 1) == count
    for number, frame in enumerate(frames):
        image.seek(number)
        np.testing.assert_array_equal(np.array(image.convert("RGB")), frame)
    if count > 1:
        assert image.info["duration"] == 200
        assert image.info["loop"] == 0


def test_gif_file_with_many_colours_is_close():
    rows, columns = np.mgrid[:64, :96]
    frame = np.stack([4 * rows, 2 * columns, 255 - 2 * rows - columns], axis=2).astype(np.uint8)
    shown = np.array(opened(gif_bytes([frame])).convert("RGB")).astype(int)
    assert np.abs(shown - frame).mean() < 6
    large = noise(1, 200, 300)
    assert np.array(opened(gif_bytes([large])).convert("RGB")).shape == (200, 300, 3)


@pytest.mark.parametrize("length", [*range(1, 20), 250, 511, 512, 513, 1023, 1025, 3837, 3838, 3839, 3840, 9000])
@pytest.mark.parametrize("colours", [1, 2, 200])
def test_lzw_codes_of_every_size_can_be_decoded(length, colours):
    image = pytest.importorskip("PIL.Image", reason="Pillow (pip install pillow) is not installed")
    from rck.kernels.image_encoding import compress_lzw

    pixels = np.random.default_rng(length).integers(0, colours, length).astype(np.uint8)
    stream = np.empty(2 * length + 10, np.uint8)
    data = stream[: compress_lzw(pixels, stream)].tobytes()
    blocks = b"".join(bytes([len(data[k : k + 255])]) + data[k : k + 255] for k in range(0, len(data), 255))
    greys = np.repeat(np.arange(256, dtype=np.uint8), 3).tobytes()
    head = b"GIF87a" + struct.pack("<HHBBB", length, 1, 0xF7, 0, 0) + greys
    content = head + struct.pack("<BHHHHBB", 0x2C, 0, 0, length, 1, 0, 8) + blocks + b"\x00\x3b"
    np.testing.assert_array_equal(np.array(image.open(io.BytesIO(content)).convert("L"))[0], pixels)


def test_empty_images_are_refused():
    for write in (png_bytes, lambda rgb: gif_bytes([rgb]), lambda rgb: gif_bytes([])):
        with pytest.raises(ValueError, match="at least one"):
            write(np.empty((0, 5, 3), np.uint8))
    with pytest.raises(ValueError, match="same size"):
        gif_bytes([noise(0, 3, 4), noise(0, 4, 3)])


def test_palette_of_few_colours_is_exact():
    colours = np.array([[0, 0, 0], [255, 255, 255], [255, 0, 0]], np.uint8)
    picture = colours[np.random.default_rng(0).integers(0, 3, (10, 10))]
    palette = common_palette([picture])
    assert {tuple(one) for one in palette.tolist()} == {(0, 0, 0), (255, 255, 255), (255, 0, 0)}
    np.testing.assert_array_equal(palette[in_palette(picture, palette)], picture)


def test_palette_has_at_most_the_requested_colours():
    picture = noise(2, 60, 60)
    for colours in (1, 2, 17, 256):
        palette = common_palette([picture], colours)
        assert 1 <= len(palette) <= colours
        assert in_palette(picture, palette).max() < len(palette)
    with pytest.raises(ValueError, match="1 to 256"):
        common_palette([picture], 257)
    assert len(common_palette([np.empty((0, 0, 3), np.uint8)])) == 1


@pytest.mark.parametrize("size", [(1, 1), (30, 50), (200, 100)])
def test_kitty_commands_transfer_the_pixels_in_chunks(size):
    rgb = noise(3, *size)
    text = kitty_text(rgb, columns=10, rows=5, number=7)
    commands = re.findall(r"\x1b_G([^;]*);([^\x1b]*)\x1b\\", text)
    assert "".join(f"\x1b_G{keys};{data}\x1b\\" for keys, data in commands) == text
    keys = dict(pair.split("=") for pair in commands[0][0].split(","))
    assert (keys["a"], keys["f"], keys["s"], keys["v"], keys["c"], keys["r"], keys["i"]) == (
        *["T", "24"],
        str(size[1]),
        str(size[0]),
        "10",
        "5",
        "7",
    )
    assert all(len(data) <= 4096 for _, data in commands)
    assert [keys.endswith("m=0") for keys, _ in commands] == [False] * (len(commands) - 1) + [True]
    data = zlib.decompress(b64decode("".join(data for _, data in commands)))
    assert data == rgb.tobytes()
    assert kitty_clear(7).startswith("\x1b_Ga=d")
    assert kitty_text(np.empty((0, 0, 3), np.uint8)) == ""


def read_sixel(text):
    """The pixels of a Sixel image, by the letter of DEC STD 070."""
    head = re.fullmatch(r'\x1bP0;1q"1;1;(\d+);(\d+)(.*)\x1b\\', text, re.DOTALL)
    width, height = int(head[1]), int(head[2])
    canvas = np.full((-(-height // 6) * 6, width, 3), 77, np.uint8)
    colours, current, column, top = {}, None, 0, 0
    for token in re.findall(r"#\d+(?:;\d+)*|!\d+.|\$|-|[?-~]", head[3]):
        if token[0] == "#":
            numbers = [int(one) for one in token[1:].split(";")]
            if len(numbers) == 5:
                colours[numbers[0]] = [round(one * 2.55) for one in numbers[2:]]
            current = colours[numbers[0]]
        elif token == "$":
            column = 0
        elif token == "-":
            column, top = 0, top + 6
        else:
            times = int(token[1:-1]) if token[0] == "!" else 1
            for bit in range(6):
                if ord(token[-1]) - 63 >> bit & 1:
                    canvas[top + bit, column : column + times] = current
            column += times
    return canvas[:height]


@given(st.integers(0, 1000), st.tuples(st.integers(1, 20), st.integers(1, 30)))
@few
def test_sixel_image_shows_every_pixel(seed, size):
    rgb = noise(seed, *size, step=85)
    # Colours are sent in hundredths.
    assert np.abs(read_sixel(sixel_text(rgb)).astype(int) - rgb).max() <= 3
    assert sixel_text(np.empty((0, 3, 3), np.uint8)) == ""


@pytest.mark.parametrize(
    ("environment", "replies", "protocol"),
    [
        ({}, "\x1b_Gi=31;OK\x1b\\\x1b[?62;c", Protocol.KITTY),
        ({}, "\x1b[?62;4;6;9c", Protocol.SIXEL),
        ({"KITTY_WINDOW_ID": "1"}, "\x1b[?62;22c", Protocol.NONE),
        ({}, "\x1b[?4c", Protocol.NONE),
        ({"TERM": "xterm-kitty"}, "", Protocol.KITTY),
        ({"TERM": "xterm-kitty", "TMUX": "/tmp/x"}, "", Protocol.NONE),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"}, "", Protocol.SIXEL),
        ({"TERM": "foot"}, "", Protocol.SIXEL),
        ({"TERM": "xterm-256color"}, "", Protocol.NONE),
        ({}, "", Protocol.NONE),
    ],
)
def test_terminal_replies_override_the_environment(environment, replies, protocol):
    assert detect(environment, replies) is protocol
