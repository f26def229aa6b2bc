"""DWG drawings: their entities, blocks, layers and units, and the ACIS data in their records."""

from math import pi
from typing import Any

import acis_writer
import pytest
from acis_writer import AcisWriter
from file_reading import compiling
from rck_importers.dwg import looks_like_dwg, rck_importers
from rck_importers.dwg.decoding import binary_streams, decrypted, find_acis
from rck_importers.dxf.acis.source import bodies_of_data

from rck.geometry.brep.tessellation import tessellate
from rck.hooks import Job
from rck.support.finding import errors_of

(IMPORTER,) = rck_importers()
read = compiling(IMPORTER.read)


@pytest.fixture
def drawn(tmp_path):
    """Write a drawing in inches: a block of a plate with a hole, inserted at twice its size, an ellipse and a face."""
    ezdwg = pytest.importorskip("ezdwg")
    drawing = ezdwg.new()
    drawing.header["insunits"] = 1
    block = drawing.blocks.new("PLATE", base_point=(1.0, 1.0, 0.0))
    block.add_lwpolyline([(0, 0), (4, 0), (4, 2), (0, 2)], closed=True)
    block.add_circle((1, 1), radius=0.25)
    space = drawing.modelspace()
    space.add_blockref("PLATE", (10, 0, 0), xscale=2, yscale=2, zscale=2)
    space.add_ellipse((30, 0, 0), (3, 0, 0), 0.5)
    space.add_3dface([(0, 50, 0), (1, 50, 0), (1, 51, 0), (0, 51, 0)])
    space.add_text("DRAWN BY", (0, -5), height=0.2)
    path = tmp_path / "plate.dwg"
    drawing.save(str(path))
    return path


def test_blocks_curves_and_faces_of_a_dwg_drawing_come_in_in_its_unit(drawn):
    assert looks_like_dwg(drawn, drawn.read_bytes()[:64])
    result = read(drawn, {"thickness": 0.004, "open": "thicken=1mm"}, Job())
    assert errors_of(result.findings) == ()
    assert "2 plates" in result.summary
    ports = {port.name: port for part in result.parts for port in part.ports}
    # The hole is at the base point of the block.
    assert ports["hole1-top"].pose[:3, 3] == pytest.approx([0.254, 0, 0.004])
    assert ports["hole1-top"].note == "centre of a bore of 25.4 mm"
    masses = sorted(1000 * item.mass for item in result.robot.items)
    face = 2.7 * 25.4**2 * 1e-3
    ellipse, plate = (2.7e-3 * 4 * 25.4**2 * area for area in (4.5 * pi, 32 - pi / 4))
    assert masses == pytest.approx([face, ellipse, plate], rel=1e-2)


def test_a_missing_extra_is_named_with_its_command(tmp_path, monkeypatch):
    path = tmp_path / "part.dwg"
    path.write_bytes(b"AC1015" + bytes(100))
    monkeypatch.setattr("rck_importers.dwg.document.find_spec", lambda name: None)
    (error,) = errors_of(read(path, {}, Job()).findings)
    assert error.code == 510
    assert "pip install 'rck[dwg]'" in error.fix


def test_a_damaged_drawing_is_refused(tmp_path):
    pytest.importorskip("ezdwg")
    path = tmp_path / "part.dwg"
    path.write_bytes(b"AC1015" + bytes(range(256)) * 8)
    (error,) = errors_of(read(path, {}, Job()).findings)
    assert "part.dwg" in error.where


def data_of(version: int) -> Any:
    writer = AcisWriter(version)
    acis_writer.plate(writer, (60, 40, 5), [(10, 10, 3), (40, 20, 8)])
    return "\n".join([*writer.text(), ""]).encode() if version < 21800 else writer.binary()


@pytest.mark.parametrize("lead", [3, 8, 13])
@pytest.mark.parametrize("block", [200, 4096])
def test_encoded_text_in_the_bits_of_a_record_is_found(lead, block):
    text = decrypted(data_of(400))
    bits = "1" * lead
    for start in range(0, len(text), block):
        piece = text[start : start + block]
        size = (
            f"01{len(piece):08b}"
            if len(piece) < 256
            else "00" + "".join(f"{b:08b}" for b in len(piece).to_bytes(4, "little"))
        )
        bits += size + "".join(f"{byte:08b}" for byte in piece)
    bits += "10" + "0110" * 9
    bits += "0" * (-len(bits) % 8)
    record = int(bits, 2).to_bytes(len(bits) // 8, "big")
    found = find_acis(record)
    assert found is not None
    (body,) = bodies_of_data(found)
    assert tessellate(body.lumps[0], 0.1).is_closed


def test_binary_streams_are_found_in_records_and_sections():
    data = data_of(21800)
    bits = "10110" + "".join(f"{byte:08b}" for byte in data) + "011"
    assert find_acis(int(bits, 2).to_bytes(len(bits) // 8, "big")) == data
    assert binary_streams(b"abc" + data + b"xyz" + data) == [data, data]
