"""The price list of a project."""

import pytest

from rck.hooks import discover
from rck.parts.library import open_catalogue
from rck.parts.price_list import read_price_list
from rck.parts.search import parse_query, search
from rck.support.finding import RckError, Severity


def write(folder, text):
    path = folder / "prices.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_first_line_of_a_part_counts_and_columns_may_come_in_any_order(tmp_path):
    text = "\ufeffPrice,Part,Order_Number\n12.5,a/b,77\n\n# a comment\n9,a/b,78\n"
    assert read_price_list(write(tmp_path, text))["a/b"].amount == 12.5
    assert read_price_list(write(tmp_path, text))["a/b"].order_number == "77"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", ":1: the file is empty; its first line names the columns: part, price, supplier"),
        ("part,prise\n", ":1: there is no column 'prise' (did you mean price?)"),
        ("part,stock\n", ":1: the column 'price' is missing"),
        ("part,price\na/b,cheap\n", ":2: the price 'cheap' of a/b is not a number"),
        ("part,price\n,3\n", ":2: the part is missing"),
        ("part,price\na/b,-3\n", ":2: amount of a/b: -3 is not a price"),
        ("part,price,currency\na/b,3,Euro\n", ":2: currency of a/b: 'Euro' is not a code of three letters"),
    ],
)
def test_wrong_line_is_named(tmp_path, text, message):
    with pytest.raises(RckError) as caught:
        read_price_list(write(tmp_path, text))
    assert f"prices.csv{message}" in str(caught.value)


def test_search_uses_the_prices_of_the_project(tmp_path):
    write(tmp_path, "part,price,currency\nuniversal-robots/ur3e,23000,EUR\n")
    catalogue = open_catalogue(discover(), tmp_path)
    assert catalogue.findings == ()
    found = search(catalogue.entries.values(), parse_query(["price>=20000", "currency=EUR"]))
    assert [entry.id for entry in found] == ["universal-robots/ur3e"]
    assert "universal-robots/ur3e" not in {
        entry.id for entry in search(catalogue.entries.values(), parse_query(["price>=20000"]))
    }


def test_broken_price_list_is_a_warning_and_the_catalogue_opens(tmp_path):
    write(tmp_path, "part,price\na/b,cheap\n")
    catalogue = open_catalogue(discover(), tmp_path)
    assert [(finding.code, finding.severity) for finding in catalogue.findings] == [(708, Severity.WARNING)]
    assert catalogue.entries
