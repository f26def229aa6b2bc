"""The price list of a project: `prices.csv`, which overrides the prices of the catalogue and adds others."""

import csv
import io
from collections.abc import Mapping
from pathlib import Path

import msgspec

from rck.model.origin import Price
from rck.support.finding import Finding, RckError, Severity
from rck.support.names import did_you_mean
from rck.support.typed_yaml import read_text

FILE_NAME = "prices.csv"
COLUMNS = ("part", "price", "supplier", "order number", "currency", "stock", "date", "source")
"""`part` is the id of a part, the name of a local part, or a screw such as `Screw M4 x 12`."""


def read_price_list(path: Path) -> Mapping[str, Price]:
    """Return the price of each part in a CSV file; of several lines for one part, the first counts."""
    text = read_text(path).removeprefix("\ufeff")
    separator = max(",;\t", key=text.partition("\n")[0].count)
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    prices: dict[str, Price] = {}
    header: list[str] = []
    try:
        for cells in lines:
            values = [cell.strip() for cell in cells]
            if not any(values) or values[0].startswith("#"):
                continue
            if not header:
                header = _header(values)
                continue
            part, price = _price(dict(zip(header, values, strict=False)), separator)
            prices.setdefault(part, price)
    except (csv.Error, ValueError, RckError) as error:
        raise RckError(f"{path}:{lines.line_num}: {error}") from None
    if not header:
        raise RckError(f"{path}:1: the file is empty; its first line names the columns: {', '.join(COLUMNS)}")
    return prices


def project_prices(project: Path) -> tuple[Mapping[str, Price], list[Finding]]:
    """Return the price list of a project folder, or the finding that prevents reading it."""
    path = project / FILE_NAME
    if not path.exists():
        return {}, []
    try:
        return read_price_list(path), []
    except RckError as error:
        return {}, [Finding(708, Severity.WARNING, FILE_NAME, str(error), "correct the line; no price was read")]


def _header(cells: list[str]) -> list[str]:
    names = [cell.lower().replace("_", " ").replace("-", " ") for cell in cells]
    for name in names:
        if name not in COLUMNS:
            raise RckError(f"there is no column {name!r}{did_you_mean(name, COLUMNS)}; columns: {', '.join(COLUMNS)}")
    for name in ("part", "price"):
        if name not in names:
            raise RckError(f"the column {name!r} is missing; columns: {', '.join(COLUMNS)}")
    return names


def _price(row: dict[str, str], separator: str) -> tuple[str, Price]:
    part, amount = row.pop("part"), row.pop("price", "")
    if not part:
        raise RckError("the part is missing")
    # Spreadsheets that separate by semicolons write a decimal comma.
    number = amount.replace(",", ".") if separator == ";" else amount
    try:
        value = float(number)
    except ValueError:
        raise RckError(f"the price {amount!r} of {part} is not a number") from None
    stated = {name.replace(" ", "_"): text for name, text in row.items() if text}
    price = msgspec.structs.replace(Price(value), **stated)
    for name, problem in price.problems():
        raise RckError(f"{name} of {part}: {problem}")
    return part, price
