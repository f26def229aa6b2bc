"""Electrical figures and prices of parts as text."""

from rck.model.origin import Electrical, PowerOutput, Price


def format_range(bounds: tuple[float, float]) -> str:
    """Format a range of numbers, such as `10-14.8`; a single number if the ends are equal."""
    low, high = bounds
    return f"{low:g}" if low == high else f"{low:g}-{high:g}"


def electrical_lines(electrical: Electrical) -> list[str]:
    """Format the electrical figures that are stated, one in a line."""
    lines = [f"supply: {format_range(electrical.voltage)} V"] if electrical.voltage is not None else []
    lines += [
        f"{name}: {value:g} {'A' if name.endswith('current') else 'W'}" for name, value in electrical.figures.items()
    ]
    if electrical.bus:
        lines.append(f"bus: {', '.join(electrical.bus)}" + (f" ({electrical.protocol})" if electrical.protocol else ""))
    if electrical.ids is not None:
        lines.append(f"ids: {format_range(electrical.ids)}")
    if electrical.connector:
        lines.append(f"connector: {', '.join(electrical.connector)}")
    if electrical.output is not None:
        lines.append(f"output: {output_text(electrical.output)}")
    return lines


def output_text(output: PowerOutput) -> str:
    """Format the power that a part gives."""
    volts = output.voltage
    stated = [
        "" if volts is None else f"{format_range(volts if isinstance(volts, tuple) else (volts, volts))} V",
        *(
            f"{value:g} {unit}" if value is not None else ""
            for value, unit in (
                (output.current, "A"),
                (output.peak_current, "A peak"),
                (output.power, "W"),
                (output.capacity, "A h"),
                (output.energy, "W h"),
            )
        ),
    ]
    return ", ".join(filter(None, stated))


def price_text(price: Price) -> str:
    """Format a price with all that is known about it."""
    order = price.order_number and f"order number {price.order_number}"
    stock = price.stock and f"stock {price.stock}"
    about = ", ".join(filter(None, (price.supplier, order, stock, price.date, price.source)))
    return f"{price.amount:.2f} {price.currency}" + (f" ({about})" if about else "")
