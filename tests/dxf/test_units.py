"""The unit of a drawing, the densities of its pieces, and options that make no sense."""

import pytest


def size(desk, document, **options):
    imported = desk.read(document, **options)
    low, high = desk.extent(imported.robot)[0], desk.extent(imported.robot)[3]
    return high - low, desk.said(imported)


@pytest.mark.parametrize(("code", "millimetres"), [(1, 254), (2, 3048), (4, 10), (5, 100), (6, 10_000), (13, 0.01)])
def test_unit_of_the_drawing_is_used(desk, code, millimetres):
    document = desk.new(units=code)
    desk.add_box(document.modelspace(), (10, 10, 10))
    assert size(desk, document)[0] == pytest.approx(millimetres)


@pytest.mark.parametrize(("measurement", "millimetres", "word"), [(0, 254, "in"), (1, 10, "mm")])
def test_measurement_sets_the_unit_without_insunits(desk, measurement, millimetres, word):
    document = desk.new(units=0)
    document.header["$MEASUREMENT"] = measurement
    desk.add_box(document.modelspace(), (10, 10, 10))
    length, said = size(desk, document)
    assert length == pytest.approx(millimetres)
    assert f"length unit assumed to be {word}: $MEASUREMENT is {measurement}" in said


def test_old_drawings_without_unit_are_read_in_millimetres(desk):
    document = desk.new("R12")
    desk.add_box(document.modelspace(), (10, 10, 10))
    length, said = size(desk, document)
    assert length == pytest.approx(10)
    assert "length unit assumed to be mm" in said


def test_length_unit_option_overrides_the_drawing(desk):
    document = desk.new(units=1)
    desk.add_box(document.modelspace(), (10, 10, 10))
    assert size(desk, document, length_unit="cm")[0] == pytest.approx(100)


def test_density_and_material_options_set_the_mass(desk):
    document = desk.new()
    desk.add_box(document.modelspace(), (100, 100, 100))
    assert desk.robot(document).items[0].mass == pytest.approx(2.7)
    assert desk.robot(document, material="steel").items[0].mass == pytest.approx(7.85)
    assert desk.read(document, material="steel").summary.endswith("7.85 kg steel")
    assert desk.robot(document, density=1234).items[0].mass == pytest.approx(1.234)
    assert "aluminium, 2700 kg/m3, was assumed for everything" in desk.said(desk.read(document))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"thickness": "-4mm"}, "option thickness: -4 mm is out of range"),
        ({"density": 0}, "option density"),
        ({"tolerance": 5}, "option tolerance"),
        ({"layer_thickness": "TOP"}, "TOP"),
        ({"layer_thickness": "TOP=x"}, "TOP=x"),
        ({"most_megabytes": 1e-4}, "MB exceed the limit"),
    ],
    ids=str,
)
def test_invalid_options_are_refused(desk, options, said):
    document = desk.new()
    desk.add_box(document.modelspace())
    (error,) = desk.errors(document, **options)
    assert said in error
