"""Bills of materials: what a robot is made of, counted."""

import csv
import io
from pathlib import Path

import pytest
import rck_plugins.exporters.bom
from click.testing import CliRunner
from rck_plugins.exporters.bom import bill_lines, sum_lines

from rck.cli.main import cli
from rck.hooks import discover
from rck.language.session import open_session
from rck.model import Electrical, Origin, Price, build_item, build_robot
from rck.testing.robots import box_between, six_axis_arm

CUBE = box_between((0, 0, 0), (0.1, 0.1, 0.1))  # a kilogram of water


def robot_of_parts(*origins_and_names):
    items = [build_item(name, [CUBE], origin=origin).unwrap() for origin, name in origins_and_names]
    return build_robot("kit", items).unwrap()


def rows_of(exported, robot):
    content = exported(rck_plugins.exporters.bom, robot, "kit.csv").files["kit.csv"].decode()
    return list(csv.DictReader(io.StringIO(content, newline="")))


SERVO = Origin(
    "acme/servo", "Servo", "Acme", Price(20.5, "EUR"), electrical=Electrical((10, 14), stall_current=4.4, bus=("ttl",))
)
PLATE = Origin("structure/plate", "Plate", parameters=(("length", 40.0, "mm"),))


def test_items_of_one_part_in_one_scope_are_one_instance(exported):
    robot = robot_of_parts((SERVO, "left/body"), (SERVO, "left/horn"), (SERVO, "right/body"), (SERVO, "right/horn"))
    (row,) = rows_of(exported, robot)
    assert row == {
        "part": "acme/servo",
        "name": "Servo",
        "vendor": "Acme",
        "parameters": "",
        "quantity": "2",
        "mass_kg": "2",
        "total_mass_kg": "4",
        "price": "20.50",
        "currency": "EUR",
        "total_price": "41.00",
        "supplier": "",
        "order_number": "",
        "stock": "",
        "price_date": "",
        "voltage_v": "10-14",
        "idle_current_a": "",
        "rated_current_a": "",
        "peak_current_a": "",
        "stall_current_a": "4.4",
        "rated_power_w": "",
        "bus": "ttl",
        "connector": "",
        "pieces": "left right",
    }


def test_parts_with_a_vendor_come_first(exported):
    robot = robot_of_parts((PLATE, "a/plate"), (SERVO, "b/body"))
    assert [row["part"] for row in rows_of(exported, robot)] == ["acme/servo", "structure/plate"]


def test_different_parameters_give_different_lines(exported):
    longer = Origin("structure/plate", "Plate", parameters=(("length", 60.0, "mm"),))
    robot = robot_of_parts((PLATE, "a/plate"), (longer, "b/plate"), (PLATE, "c/plate"))
    assert [(row["parameters"], row["quantity"]) for row in rows_of(exported, robot)] == [
        ("length 40 mm", "2"),
        ("length 60 mm", "1"),
    ]


def test_item_of_unknown_origin_is_a_line_by_itself_and_is_reported(exported):
    done = exported(rck_plugins.exporters.bom, six_axis_arm(), "kit.csv")
    assert done.files["kit.csv"].count(b"\r\n") == 1 + 7
    assert "the parts of these items are not known: base, link-1" in done.findings[0].message
    (only,) = exported(rck_plugins.exporters.bom, robot_of_parts((PLATE, "a/plate")), "kit.csv").findings
    assert only.message == "not supported by a bill of materials: shapes"


def test_masses_of_the_lines_add_up_to_the_robot(robot_of, robot_names):
    for name in robot_names[:5]:
        robot = robot_of(name)
        assert sum_lines(bill_lines(robot)).mass == pytest.approx(robot.mass_properties.mass, rel=1e-6)


def test_vendor_and_price_come_from_the_catalogue(robot_of):
    lines = {line.origin.part: line for line in bill_lines(robot_of("desk-arm"))}
    assert lines["robotis/xm430-w350"].instances == ("elbow", "wrist")
    assert lines["robotis/xm430-w350"].origin.vendor == "ROBOTIS"
    assert lines["robonine/so-arm-gripper"].price.amount == 62.0
    (upper, *_) = (line for line in lines.values() if line.origin.name == "Bar link")
    assert ("width", 30.0, "mm") in upper.origin.parameters


def test_scaled_or_mirrored_part_has_no_list_price(tmp_path):
    path = tmp_path / "kit.rck"
    path.write_text(
        """\
rck: 1
name: kit
parts:
  one: {part: robonine/so-arm-gripper}
  two: {part: robonine/so-arm-gripper, mirror: x, place: {at: [500, 0, 0]}}
  red: {part: robonine/so-arm-gripper, colour: "#ff0000", place: {at: [0, 500, 0]}}
"""
    )
    lines = bill_lines(open_session(discover(), path).compile().unwrap().robot)
    assert sorted((line.origin.altered, line.quantity, line.price and line.price.amount) for line in lines) == [
        (False, 2, 62.0),
        (True, 1, None),
    ]


def test_markdown_has_totals_and_the_number_of_known_prices(exported):
    robot = robot_of_parts((SERVO, "left/body"), (SERVO, "right/body"), (PLATE, "plate/plate"))
    done = exported(rck_plugins.exporters.bom, robot, "kit.md")
    text = done.files["kit.md"].decode()
    assert text.startswith("# Bill of materials: kit\n")
    assert "| 2 | Servo (acme/servo) | Acme | 1 | 20.50 EUR | 41.00 EUR |" in text
    assert "| 1 | Plate (structure/plate, length 40 mm) |  | 1 |  |  |" in text
    assert "| 3 | **total**, price of 2 of 3 |  | 3 |  | 41.00 EUR |" in text
    assert "\nTotal: price known for 2 of 3 instances, 41.00 EUR.\n" in text
    assert "| 2 | Servo | 10-14 | - | - | - | 4.4 | - | ttl |" in text


def test_a_bar_in_a_name_does_not_break_the_table(exported):
    robot = robot_of_parts((Origin("acme/odd", "Odd | one", "Acme"), "a/x"))
    text = exported(rck_plugins.exporters.bom, robot, "kit.md").files["kit.md"].decode()
    assert "Odd \\| one" in text


def test_the_command_writes_a_bill(tmp_path):
    source = Path(__file__).parents[2] / "examples" / "desk-arm.rck"
    done = CliRunner().invoke(cli, ["export", str(source), str(tmp_path / "parts.csv"), "--format", "bom"])
    assert done.exit_code == 0, done.output
    rows = list(csv.DictReader((tmp_path / "parts.csv").open(newline="")))
    assert sum(int(row["quantity"]) for row in rows) == 12


def test_price_list_of_the_project_overrides_the_catalogue_and_fills_gaps(tmp_path):
    path = tmp_path / "kit.rck"
    path.write_text("""\
rck: 1
name: kit
local_parts:
  plate:
    items: {plate: {mass: 1, shapes: [{box: [50, 50, 10]}]}}
    ports: {top: {at: [0, 0, 5], z: z, x: x}}
parts:
  base: {part: plate}
  hand: {part: robonine/so-arm-gripper, place: {at: [500, 0, 0]}}
  arm: {part: universal-robots/ur3e, place: {at: [0, 500, 0]}}
""")
    (tmp_path / "prices.csv").write_text(
        "part;supplier;order number;price;currency;stock\n"
        "robonine/so-arm-gripper;Robonine;SO-1;55,50;EUR;3\nplate;workshop;;35;EUR;\n",
    )
    done = CliRunner().invoke(cli, ["export", str(path), str(tmp_path / "parts.csv"), "--format", "bom"])
    assert done.exit_code == 0, done.output
    rows = {row["part"]: row for row in csv.DictReader((tmp_path / "parts.csv").open(newline=""))}
    hand = rows["robonine/so-arm-gripper"]
    assert [hand[name] for name in ("price", "currency", "supplier", "order_number", "stock")] == [
        "55.50", "EUR", "Robonine", "SO-1", "3",
    ]  # fmt: skip
    assert rows["piece/plate"]["price"] == "35.00"
    assert rows["universal-robots/ur3e"]["price"] == ""
