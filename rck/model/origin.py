"""The part that an item comes from: its vendor, price and electrical figures, for bills of materials."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from rck.support.typed_yaml import Strict

Bus: TypeAlias = Literal[
    "analog", "can", "can-fd", "ethercat", "ethernet", "gmsl", "i2c", "io-link", "io", "mipi-csi", "modbus", "pwm",
    "rs-232", "rs-422", "rs-485", "spi", "step-dir", "ttl", "uart", "usb", "wifi",
]  # fmt: skip
BUSES: tuple[str, ...] = get_args(Bus)
"""Interfaces of data and control; `ttl` is the half-duplex serial bus of smart servos, `io` digital signals."""


class PowerOutput(Strict, frozen=True):
    """The power that a battery, a power supply or a motor driver gives, in V, A, W, A h and W h."""

    voltage: float | tuple[float, float] | None = None
    """A voltage, or the range of an adjustable output."""
    current: float | None = None
    """Continuous current."""
    peak_current: float | None = None
    power: float | None = None
    """Continuous power."""
    capacity: float | None = None
    """Charge of a battery, in A h."""
    energy: float | None = None
    """Energy of a battery, in W h."""


class Electrical(Strict, frozen=True):
    """Electrical figures of a part, in V, A and W. Currents hold at the figure `voltage`, the rated one."""

    voltage: tuple[float, float] | None = None
    """Lowest and highest supply voltage."""
    idle_current: float | None = None
    """Without load, or in standby."""
    rated_current: float | None = None
    """Continuous current under rated load."""
    peak_current: float | None = None
    """Momentary maximum that the drive allows."""
    stall_current: float | None = None
    """Current of the motor at standstill, at the stall torque."""
    idle_power: float | None = None
    rated_power: float | None = None
    peak_power: float | None = None
    bus: tuple[Bus, ...] = ()
    protocol: str = ""
    """Such as `DYNAMIXEL 2.0` or `CANopen`."""
    connector: tuple[str, ...] = ()
    """Connectors of power and data, such as `JST EHR-03`."""
    ids: tuple[int, int] | None = None
    """Lowest and highest address on the bus that the user can set."""
    output: PowerOutput | None = None

    @property
    def figures(self) -> dict[str, float]:
        """The currents and powers that are stated, by their names in manifests."""
        return {name: value for name in DRAWN if (value := getattr(self, name.replace("-", "_"))) is not None}

    def problems(self) -> Iterator[tuple[str, str]]:
        """Yield the key and description of each wrong value."""
        for name, value in self.figures.items():
            if value < 0:
                yield name, f"{value:g} is negative"
        for name, bounds in (("voltage", self.voltage), ("ids", self.ids)):
            if bounds is not None and not 0 <= bounds[0] <= bounds[1]:
                yield name, f"[{bounds[0]:g}, {bounds[1]:g}] is not a range from low to high"


NO_ELECTRICAL = Electrical()

DRAWN = (
    "idle-current", "rated-current", "peak-current", "stall-current", "idle-power", "rated-power", "peak-power",
)  # fmt: skip
"""Names of the currents, in A, and powers, in W, that a part draws."""


class Price(Strict, frozen=True):
    """The price of one piece."""

    amount: float
    currency: str = "USD"
    """Code of three letters (ISO 4217)."""
    date: str = ""
    """Such as `2025-06`; of the price, or of the day on which it was read."""
    source: str = ""
    """The document or web address that states it."""
    supplier: str = ""
    order_number: str = ""
    stock: str = ""
    """The number of pieces in stock, or a text such as `2 weeks`."""

    def problems(self) -> Iterator[tuple[str, str]]:
        """Yield the key and description of each wrong value."""
        if not 0 <= self.amount < 1e9:
            yield "amount", f"{self.amount:g} is not a price"
        if not (len(self.currency) == 3 and self.currency.isalpha() and self.currency.isupper()):
            yield "currency", f"{self.currency!r} is not a code of three letters such as USD or EUR"


@dataclass(frozen=True, slots=True)
class Origin:
    """The part that an item belongs to, for bills of material. Items of equal parts have equal origins.

    Items of one instance share its scope, such as `left/gripper/finger` and `left/gripper/palm`.
    """

    part: str
    """The part's id in the catalogue, such as `robotis/xm540-w270`; `piece/NAME` for a local part."""
    name: str
    """The part's display name."""
    vendor: str = ""
    """Empty for parts that are made, not bought."""
    price: Price | None = None
    """None if unknown."""
    parameters: tuple[tuple[str, float, str], ...] = ()
    """Name, value and unit of each parameter."""
    altered: bool = False
    """True if it was scaled or mirrored, so that it differs from the vendor's part."""
    electrical: Electrical = NO_ELECTRICAL
