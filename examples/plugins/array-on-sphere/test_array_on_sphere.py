import numpy as np
import pytest

from rck.language.completion import complete
from rck.model import RckError

pytest_plugins = ["rck.testing.fixtures"]


def test_it_keeps_the_contract_of_commands(command_contract, session):
    session.do("create structure/plate spike")
    command_contract("array-on-sphere", session.document, ["spike", "4"])


def test_copies_are_on_the_sphere_and_point_outward(session):
    session.do("create structure/plate spike length=10 width=10")
    session.do("array-on-sphere spike 12 --radius 80mm --about 0,0,150")
    assert len(session.assembly.parts) == 12
    for item in session.document.robot.items:
        away = item.pose[:3, 3] - (0, 0, 0.15)
        assert np.linalg.norm(away) == pytest.approx(0.08)
        assert item.pose[:3, 2] == pytest.approx(away / 0.08, abs=1e-6)
    session.do("undo")
    assert len(session.assembly.parts) == 1


@pytest.mark.parametrize(
    ("words", "reason"),
    [("spike 1", "at least|to 500"), ("spoke 4", "spike"), ("spike 4 --radius 1kg", "radius|length")],
)
def test_invalid_words_are_refused_with_the_range_or_the_known_names(words, reason, session):
    session.do("create structure/plate spike")
    with pytest.raises(RckError, match=reason):
        session.do(f"array-on-sphere {words}")


def test_names_and_options_are_completed(session):
    session.do("create structure/plate spike")
    assert "spike" in str(complete(session, "array-on-sphere sp"))
    assert "--about" in str(complete(session, "array-on-sphere spike 4 --a"))
