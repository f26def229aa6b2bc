"""The bill as a file: CSV for spreadsheets (RFC 4180), Markdown for people. Kilograms and US dollars."""

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import PurePath

from rck.exporting import lost, some
from rck.hooks import Exported, Job, Values
from rck.model import Finding, Robot
from rck.model.units import counted
from rck_export_bom.lines import Line, Totals, lines_of, totals_of

_COLUMNS = (
    "part", "name", "vendor", "parameters", "quantity", "mass_kg", "total_mass_kg", "price_usd", "total_price_usd",
    "pieces",
)  # fmt: skip

_PAGE = """\
# Bill of materials: {name}

{table}

In all: {prices}.

Masses and prices are of one piece, totals of all of a kind. Prices are list prices when the data was taken.
"""


def write(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    """The bill in the form that the ending asks for."""
    lines = lines_of(robot)
    text = _markdown(robot, lines) if PurePath(name).suffix.lower() == ".md" else _csv(lines)
    return Exported({name: text.encode()}, tuple(_losses(robot, name)))


def _csv(lines: Sequence[Line]) -> str:
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(_COLUMNS)
    for line in lines:
        origin, price = line.origin, line.price
        writer.writerow(
            [
                origin.part,
                origin.name,
                origin.vendor,
                _choices(line),
                line.quantity,
                _mass(line.mass),
                _mass(line.quantity * line.mass),
                _price(price),
                _price(None if price is None else line.quantity * price),
                " ".join(line.pieces),
            ]
        )
    return out.getvalue()


def _markdown(robot: Robot, lines: Sequence[Line]) -> str:
    totals = totals_of(lines)
    rows = [
        ("quantity", "part", "vendor", "mass, kg", "price, USD", "total, USD"),
        ("--:", "---", "---", "--:", "--:", "--:"),
        *(tuple(map(_escaped, row)) for row in map(_row, lines)),
        (
            str(totals.quantity),
            f"**total**, price of {totals.priced} of {totals.quantity}" if totals.priced else "**total**",
            "",
            _mass(totals.mass),
            "",
            _price(totals.price if totals.priced else None),
        ),
    ]
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    return _PAGE.format(name=robot.name, table=table, prices=_prices(totals))


def _prices(totals: Totals) -> str:
    """What all costs together, as far as it is known."""
    known = f"price known for {totals.priced} of {counted(totals.quantity, 'piece')}"
    return f"{known}: {_price(totals.price)} US dollars together" if totals.priced else known


def _row(line: Line) -> tuple[str, ...]:
    origin, price = line.origin, line.price
    details = ", ".join(filter(None, (origin.part, _choices(line))))
    return (
        str(line.quantity),
        f"{origin.name} ({details})" if details else origin.name,
        origin.vendor,
        _mass(line.mass),
        _price(price),
        _price(None if price is None else line.quantity * price),
    )


def _choices(line: Line) -> str:
    """What was chosen about the part."""
    chosen = [f"{name} {value:g} {unit}".rstrip() for name, value, unit in line.origin.parameters]
    return ", ".join([*chosen, "altered"] if line.origin.altered else chosen)


def _mass(mass: float) -> str:
    return f"{mass:.6g}"


def _price(price: float | None) -> str:
    return "" if price is None else f"{price:.2f}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|")


def _losses(robot: Robot, name: str) -> Iterator[Finding]:
    yield lost(name, "a bill of materials has neither shapes nor joints")
    if unknown := [item.name for item in robot.items if item.origin is None]:
        yield lost(name, f"nobody knows which parts these items come from: {some(unknown)}")
