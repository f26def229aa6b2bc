"""DWG drawings: their entities, blocks, layers and units, and the ACIS data in their records."""

from typing import Any

import acis_writer
import pytest
from acis_writer import AcisWriter
from file_reading import compiling
from rck_importers.dwg import looks_like_dwg, rck_importers
from rck_importers.dwg.decoding import binary_streams, decrypted, find_acis
from rck_importers.dxf.acis.source import bodies_of_data
from rck_importers.dxf.acis.tessellation import tessellate

from rck.hooks import Job
from rck.support.finding import errors_of

(IMPORTER,) = rck_importers()
read = compiling(IMPORTER.read)


@pytest.fixture
def drawn(tmp_path):
    """Write a drawing in inches: a plate with a hole, and two inserts of a block with a hole at half size."""
    ezdwg = pytest.importorskip("ezdwg")
    drawing = ezdwg.new(units="inches") if "units" in ezdwg.new.__code__.co_varnames else ezdwg.new()
    space = drawing.modelspace()
    space.add_lwpolyline([(0, 0), (4, 0), (4, 2), (0, 2)], closed=True)
    space.add_circle((1, 1), radius=0.25)
    path = tmp_path / "plate.dwg"
    drawing.save(str(path))
    return path


def test_a_plate_of_a_dwg_drawing_comes_in_with_its_hole(drawn):
    assert looks_like_dwg(drawn, drawn.read_bytes()[:64])
    result = read(drawn, {"thickness": 0.004, "length-unit": "in"}, Job())
    assert errors_of(result.findings) == ()
    assert result.summary.startswith("1 plate, 1 hole, 101.6 x 50.8 x 4 mm")


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
