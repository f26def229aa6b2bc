"""Part search by words and figures, best match first."""

import pytest

from rck.hooks import discover
from rck.model import RckError
from rck.parts.index import CatalogueEntry
from rck.parts.library import open_catalogue
from rck.parts.search import parse_query, search


def entry(part_id: str, name: str = "", **figures: float) -> CatalogueEntry:
    known = {key.replace("_", "-"): value for key, value in figures.items()}
    summary = f"The {name} of tests"
    return CatalogueEntry(
        part_id, "", name or part_id, "ACME", "arms/light", summary, ("blue",), known, (0, 0, 0), {"a": "nema17"}, ()
    )


ARMS = [
    entry("acme/one", "Ace", payload=3.0, reach=0.8, dof=6.0, mass=0.5),
    entry("acme/two", "Ace Two", payload=5.0, reach=0.9, dof=6.0, mass=1.0),
    entry("acme/three", "Trace", payload=2.9, reach=1.2, dof=7.0, mass=2.0),
    entry("acme/four", "Deuce", mass=4.0),
]


def found(*terms: str) -> list[str]:
    return [one.id.partition("/")[2] for one in search(ARMS, parse_query(terms))]


@pytest.mark.parametrize(
    ("terms", "names"),
    [
        (["payload>=3kg", "reach>800mm", "dof=6"], ["two"]),
        (["payload>=3kg"], ["one", "two"]),
        (["payload>3kg"], ["two"]),
        (["payload >= 3000 g"], ["one", "two"]),
        (["payload<3"], ["three"]),
        (["reach>=0.8 m"], ["one", "three", "two"]),
        (["reach=80cm"], ["one"]),
        (["reach!=80cm"], ["three", "two"]),
        (["dof!=6"], ["three"]),
        (["mass<=1"], ["one", "two"]),
        (["vendor=acme", "mass>3"], ["four"]),
        (["category=light", "mass>3"], ["four"]),
        (["port=nema17", "mass>3"], ["four"]),
        (["tag=blue", "mass>3"], ["four"]),
        (["name=trace"], ["three"]),
        (["id=acme/two"], ["two"]),
        (["BLUE", "deuce"], ["four"]),
        (["nothing"], []),
        (["payload>=3kg", "nothing"], []),
        ([], ["four", "one", "three", "two"]),
    ],
)
def test_words_and_figures_are_combined_in_a_search(terms: list[str], names: list[str]):
    assert sorted(found(*terms)) == names


def test_the_best_match_comes_first():
    assert found("ace") == ["one", "two", "three"]


def test_part_without_the_figure_does_not_match():
    assert "four" not in found("payload>=0")


@pytest.mark.parametrize(
    ("term", "said"),
    [
        ("paylod>3", "did you mean payload"),
        ("payload>3mm", "unit of length"),
        ("payload>lots", "not a mass"),
        ("colour=red", "has no figure"),
        ("vendor>3", "has no figure"),
        ("brakes=maybe", "must be yes or no"),
        ("brakes>=1", "has no figure"),
    ],
)
def test_invalid_search_term_is_refused(term: str, said: str):
    with pytest.raises(RckError, match=said):
        parse_query([term])


def test_shipped_catalogue_can_be_searched_by_figures():
    catalogue = open_catalogue(discover())
    servos = search(catalogue.entries.values(), parse_query(["servo", "stall-torque>=10 N m", "vendor=robotis"]))
    assert "robotis/xm540-w270" in [one.id for one in servos]
    assert all(one.figures["stall-torque"] >= 10 * (1 - 1e-9) for one in servos)


@pytest.mark.parametrize(("asked", "others"), [("yes", "no"), ("no", "yes")])
def test_shipped_catalogue_can_be_searched_for_brakes(asked: str, others: str):
    entries = {one.id: one for one in open_catalogue(discover()).entries.values() if one.brakes is not None}
    braked = {one.id for one in search(entries.values(), parse_query([f"brakes={asked}"]))}
    assert braked == {part for part, one in entries.items() if one.brakes is (asked == "yes")}
    assert braked
    assert {one.id for one in search(entries.values(), parse_query([f"brakes={others}"]))} == entries.keys() - braked
    assert search([entry("a/unsaid")], parse_query([f"brakes={asked}"])) == []


def test_search_for_torque_matches_any_torque_of_the_data_sheet():
    parts = [entry("a/one", stall_torque=2.5), entry("a/two", holding_torque=0.5), entry("a/three", mass=1.0)]
    assert [one.id for one in search(parts, parse_query(["torque>=2Nm"]))] == ["a/one"]
    assert {one.id for one in search(parts, parse_query(["torque>0.1Nm"]))} == {"a/one", "a/two"}
