"""Exporter of bills of materials: CSV for spreadsheets (RFC 4180), Markdown for people. Kilograms, V, A and W."""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from rck.exporting.losses import list_names, loss
from rck.hooks import Exported, Exporter, Job, Values, hookimpl
from rck.model import Electrical, Feature, Origin, Price, Robot
from rck.model.electrical_text import format_range, output_text
from rck.model.origin import NO_ELECTRICAL
from rck.support.units import counted

_COLUMNS = (
    "part", "name", "vendor", "parameters", "quantity", "mass_kg", "total_mass_kg", "price", "currency", "total_price",
    "supplier", "order_number", "stock", "price_date", "voltage_v", "idle_current_a", "rated_current_a",
    "peak_current_a", "stall_current_a", "rated_power_w", "bus", "connector", "pieces",
)  # fmt: skip

_PAGE = """\
# Bill of materials: {name}

{table}

Total: {prices}.

Masses and prices are per unit; totals are per line. Prices are those of `prices.csv` in the folder of the project; for
other parts, list prices at the time the data was collected.
{power}"""

_POWER = """
## Power

{table}

Figures are per unit: the range of the supply voltage, and the currents at rated voltage. `-` is unknown.
"""


@hookimpl
def rck_exporters() -> list[Exporter]:
    """Return the exporter of bills of materials."""
    summary = "bill of materials: part, vendor, quantity, mass, price, power"
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

    price: Price | None = None
    """The price of one instance; None if it is not known or the part was altered."""


@dataclass(frozen=True, slots=True)
class Totals:
    """The sums over all lines."""

    quantity: int
    mass: float
    prices: Mapping[str, float]
    """Price of the instances whose price is known, by currency."""
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
    lines = [
        BillLine(origin, tuple(names), mass, _price_of(origin, robot.prices))
        for (origin, mass), names in instances.items()
    ]
    return tuple(sorted(lines, key=_order))


def _price_of(origin: Origin, prices: Mapping[str, Price]) -> Price | None:
    """Return the price in the project's list, or else the list price of the vendor."""
    if origin.altered:
        return None
    return prices.get(origin.part) or prices.get(origin.part.removeprefix("piece/")) or origin.price


@dataclass(frozen=True, slots=True)
class FastenerLine:
    """A line of the bill: equal screws or nuts."""

    name: str
    quantity: int
    mates: tuple[str, ...]
    """The mates that need them."""
    price: Price | None


def fastener_lines(robot: Robot) -> tuple[FastenerLine, ...]:
    """Return the screws of all mates, and the nuts of those that have no thread, sorted by name."""
    counts: dict[str, int] = {}
    mates: dict[str, list[str]] = {}
    for fastener in robot.fasteners:
        size = fastener.name if fastener.length is not None else f"{fastener.name} (length to suit)"
        for name in (size, f"Nut {fastener.thread}") if fastener.has_nut else (size,):
            counts[name] = counts.get(name, 0) + fastener.count
            mates.setdefault(name, []).append(fastener.mate.replace(" ", "-"))
    return tuple(
        FastenerLine(name, counts[name], tuple(mates[name]), robot.prices.get(name)) for name in sorted(counts)
    )


def _order(line: BillLine) -> tuple[object, ...]:
    origin = line.origin
    return not origin.vendor, origin.vendor.casefold(), origin.part, origin.parameters, origin.name, line.mass


def sum_lines(lines: Sequence[BillLine], screws: Sequence[FastenerLine] = ()) -> Totals:
    """Return the totals of the lines; screws and nuts count only if their price is known."""
    every: list[BillLine | FastenerLine] = [*lines, *screws]
    priced = [(line.quantity, line.price) for line in every if line.price is not None]
    prices: dict[str, float] = {}
    for quantity, price in priced:
        prices[price.currency] = prices.get(price.currency, 0.0) + quantity * price.amount
    return Totals(
        sum(line.quantity for line in lines),
        sum(line.quantity * line.mass for line in lines),
        prices,
        sum(line.quantity for line in lines if line.price is not None),
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
                *_price_cells(line.price, line.quantity),
                *_electrical_cells(origin.electrical),
                " ".join(line.instances),
            ]
        )
    for screw in screws:
        price = _price_cells(screw.price, screw.quantity)
        row = ["", screw.name, "", "", screw.quantity, "", "", *price, *_electrical_cells(), " ".join(screw.mates)]
        writer.writerow(row)
    return out.getvalue()


def _markdown(robot: Robot, lines: Sequence[BillLine], screws: Sequence[FastenerLine]) -> str:
    totals = sum_lines(lines, screws)
    rows = [
        ("quantity", "part", "vendor", "mass, kg", "price", "total"),
        ("--:", "---", "---", "--:", "--:", "--:"),
        *(tuple(map(_escape, _row(line))) for line in lines),
        *(
            (str(screw.quantity), _escape(screw.name), "", "", _price(screw.price), _price(screw.price, screw.quantity))
            for screw in screws
        ),
        (
            str(totals.quantity),
            f"**total**, price of {totals.priced} of {totals.quantity}" if totals.priced else "**total**",
            "",
            _mass(totals.mass),
            "",
            _sums(totals),
        ),
    ]
    prices = f"price known for {totals.priced} of {counted(totals.quantity, 'instance')}"
    prices += f", {_sums(totals)}" if totals.prices else ""
    return _PAGE.format(name=robot.name, table=_table(rows), prices=prices, power=_power(lines))


def _table(rows: Sequence[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _power(lines: Sequence[BillLine]) -> str:
    """Return the section about power: what each part draws or gives; empty if nothing is known."""
    rows = []
    for line in lines:
        electrical = line.origin.electrical
        if electrical == NO_ELECTRICAL:
            continue
        voltage = format_range(electrical.voltage) if electrical.voltage is not None else "-"
        currents = (electrical.idle_current, electrical.rated_current, electrical.peak_current)
        output = "" if electrical.output is None else output_text(electrical.output)
        rows.append(
            (
                str(line.quantity),
                _escape(line.origin.name),
                voltage,
                *map(_known, (*currents, electrical.stall_current, electrical.rated_power)),
                output or ", ".join(electrical.bus),
            )
        )
    if not rows:
        return ""
    header = (
        "quantity",
        "part",
        "supply, V",
        "idle, A",
        "rated, A",
        "peak, A",
        "stall, A",
        "rated, W",
        "bus or output",
    )
    return _POWER.format(table=_table([header, ("--:", "---", *["--:"] * 6, "---"), *rows]))


def _known(value: float | None) -> str:
    return "-" if value is None else f"{value:g}"


def _sums(totals: Totals) -> str:
    return " + ".join(f"{amount:.2f} {currency}" for currency, amount in sorted(totals.prices.items()))


def _price_cells(price: Price | None, quantity: int) -> list[str]:
    """Return the cells from `price` to `price_date`."""
    if price is None:
        return [""] * 7
    sums = [f"{price.amount:.2f}", price.currency, f"{quantity * price.amount:.2f}"]
    return [*sums, price.supplier, price.order_number, price.stock, price.date]


def _electrical_cells(electrical: Electrical = NO_ELECTRICAL) -> list[str]:
    """Return the cells from `voltage_v` to `connector`."""
    currents = (
        electrical.idle_current,
        electrical.rated_current,
        electrical.peak_current,
        electrical.stall_current,
        electrical.rated_power,
    )
    voltage = format_range(electrical.voltage) if electrical.voltage is not None else ""
    numbers = ["" if value is None else f"{value:g}" for value in currents]
    return [voltage, *numbers, " ".join(electrical.bus), ", ".join(electrical.connector)]


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


def _price(price: Price | None, quantity: int = 1) -> str:
    return "" if price is None else f"{quantity * price.amount:.2f} {price.currency}"


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|")
