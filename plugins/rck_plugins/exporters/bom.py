"""Exporter of bills of materials: CSV for spreadsheets (RFC 4180), Markdown for people. Kilograms and US dollars."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

from rck.exporting.losses import list_names, loss
from rck.hooks import Exported, Exporter, Job, Values, hookimpl
from rck.model import Feature, Origin, Robot
from rck.support.units import counted

_COLUMNS = (
    "part", "name", "vendor", "parameters", "quantity", "mass_kg", "total_mass_kg", "price_usd", "total_price_usd",
    "pieces",
)  # fmt: skip

_PAGE = """\
# Bill of materials: {name}

{table}

Total: {prices}.

Masses and prices are per unit; totals are per line. Prices are list prices at the time the data was collected.
Totals do not include screws and nuts.
"""


@hookimpl
def rck_exporters() -> list[Exporter]:
    """Return the exporter of bills of materials."""
    summary = "bill of materials: part, vendor, quantity, mass, price"
    keeps = frozenset({Feature.NAMES, Feature.MASSES})
    return [Exporter("bom", summary, (".csv", ".md"), write, keeps=keeps, format="a bill of materials")]


@dataclass(frozen=True, slots=True)
class BillLine:
    """A line of the bill: all instances of one part."""

    origin: Origin
    instances: tuple[str, ...]
    """The names of the instances in the robot."""
    mass: float
    """Mass of one instance, in kg."""

    @property
    def quantity(self) -> int:
        """The number of instances."""
        return len(self.instances)

    @property
    def price(self) -> float | None:
        """The price of one instance, in USD; None if it is not known or the part was altered."""
        return None if self.origin.altered else self.origin.price


@dataclass(frozen=True, slots=True)
class Totals:
    """The sums over all lines."""

    quantity: int
    mass: float
    price: float
    """Price of the instances whose price is known, in USD."""
    priced: int
    """The number of instances whose price is known."""


def write(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    """Write the bill in the format of the file name extension."""
    lines = bill_lines(robot)
    screws = fastener_lines(robot)
    text = _markdown(robot, lines, screws) if PurePath(name).suffix.lower() == ".md" else _csv(lines, screws)
    unknown = [item.name for item in robot.items if item.origin is None]
    message = f"the parts of these items are not known: {list_names(unknown)}"
    return Exported({name: text.encode()}, (loss(name, message),) if unknown else ())


def bill_lines(robot: Robot) -> tuple[BillLine, ...]:
    """Return the lines of the bill, sorted by vendor and part; parts without a vendor come last.

    Items of one scope that come from the same part are one instance. An item of unknown origin is an instance by
    itself.
    """
    masses: dict[tuple[Origin, str], float] = {}
    for item in robot.items:
        if item.origin is None:
            key = Origin("", item.name), item.name
        else:
            key = item.origin, item.name.rpartition("/")[0] or item.origin.name
        masses[key] = masses.get(key, 0.0) + item.mass
    instances: dict[tuple[Origin, float], list[str]] = {}
    for (origin, instance), mass in masses.items():
        # Instances that are scaled differently have the same origin and different masses.
        instances.setdefault((origin, round(mass, 9)), []).append(instance)
    lines = [BillLine(origin, tuple(names), mass) for (origin, mass), names in instances.items()]
    return tuple(sorted(lines, key=_order))


@dataclass(frozen=True, slots=True)
class FastenerLine:
    """A line of the bill: equal screws or nuts."""

    name: str
    quantity: int
    mates: tuple[str, ...]
    """The mates that need them."""


def fastener_lines(robot: Robot) -> tuple[FastenerLine, ...]:
    """Return the screws of all mates, and the nuts of those that have no thread, sorted by name."""
    counts: dict[str, int] = {}
    mates: dict[str, list[str]] = {}
    for fastener in robot.fasteners:
        size = fastener.name if fastener.length is not None else f"{fastener.name} (length to suit)"
        for name in (size, f"Nut {fastener.thread}") if fastener.has_nut else (size,):
            counts[name] = counts.get(name, 0) + fastener.count
            mates.setdefault(name, []).append(fastener.mate.replace(" ", "-"))
    return tuple(FastenerLine(name, counts[name], tuple(mates[name])) for name in sorted(counts))


def _order(line: BillLine) -> tuple[object, ...]:
    origin = line.origin
    return not origin.vendor, origin.vendor.casefold(), origin.part, origin.parameters, origin.name, line.mass


def sum_lines(lines: Sequence[BillLine]) -> Totals:
    """Return the totals of the lines."""
    priced = [(line.quantity, line.price) for line in lines if line.price is not None]
    return Totals(
        sum(line.quantity for line in lines),
        sum(line.quantity * line.mass for line in lines),
        sum(quantity * price for quantity, price in priced),
        sum(quantity for quantity, _ in priced),
    )


def _csv(lines: Sequence[BillLine], screws: Sequence[FastenerLine]) -> str:
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(_COLUMNS)
    for line in lines:
        origin = line.origin
        writer.writerow(
            [
                origin.part,
                origin.name,
                origin.vendor,
                _parameters(line),
                line.quantity,
                _mass(line.mass),
                _mass(line.quantity * line.mass),
                _price(line.price),
                _price(line.price, line.quantity),
                " ".join(line.instances),
            ]
        )
    for screw in screws:
        row = ["", screw.name, "", "", screw.quantity, "", "", "", "", " ".join(screw.mates)]
        writer.writerow(row)
    return out.getvalue()


def _markdown(robot: Robot, lines: Sequence[BillLine], screws: Sequence[FastenerLine]) -> str:
    totals = sum_lines(lines)
    rows = [
        ("quantity", "part", "vendor", "mass, kg", "price, USD", "total, USD"),
        ("--:", "---", "---", "--:", "--:", "--:"),
        *(tuple(map(_escape, _row(line))) for line in lines),
        *((str(screw.quantity), _escape(screw.name), "", "", "", "") for screw in screws),
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
    prices = f"price known for {totals.priced} of {counted(totals.quantity, 'instance')}"
    prices += f", {_price(totals.price)} US dollars" if totals.priced else ""
    return _PAGE.format(name=robot.name, table=table, prices=prices)


def _row(line: BillLine) -> tuple[str, ...]:
    origin = line.origin
    details = ", ".join(filter(None, (origin.part, _parameters(line))))
    return (
        str(line.quantity),
        f"{origin.name} ({details})" if details else origin.name,
        origin.vendor,
        _mass(line.mass),
        _price(line.price),
        _price(line.price, line.quantity),
    )


def _parameters(line: BillLine) -> str:
    """Return the parameters of the part, and whether it was altered."""
    chosen = [f"{name} {value:g} {unit}".rstrip() for name, value, unit in line.origin.parameters]
    return ", ".join([*chosen, "altered"] if line.origin.altered else chosen)


def _mass(mass: float) -> str:
    return f"{mass:.6g}"


def _price(price: float | None, quantity: int = 1) -> str:
    return "" if price is None else f"{quantity * price:.2f}"


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|")
