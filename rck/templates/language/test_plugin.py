from collections.abc import Callable
from math import pi

import pytest

from rck.hooks import ProgramLanguage
from rck.hooks.actions import Announce, MoveJoints, Wait
from rck.model import RckError
from rck.testing.contracts import Contribution
from rck.testing.robots import planar_arm

pytest_plugins = ["rck.testing.fixtures"]

WAVE = "turn 90 -90\n\nwait 0.5\nsay hello there\n"


def test_it_keeps_the_contract_of_languages(language_contract: Callable[..., None]) -> None:
    language_contract("my-plugin", WAVE, planar_arm(2))


def test_each_line_is_an_instruction(contribution: Contribution) -> None:
    program = contribution(ProgramLanguage, "my-plugin").compile(WAVE, planar_arm(2))
    assert [line.number for line in program.lines] == [1, 3, 4]
    turn, wait, say = (line.instruction for line in program.lines)
    assert turn == MoveJoints("", (pi / 2, -pi / 2))
    assert wait == Wait(0.5)
    assert say == Announce("hello there")


@pytest.mark.parametrize("line", ["turn", "turn left", "wait", "wait -1", "wait nan", "jump 3"])
def test_a_line_that_cannot_be_read_is_named(line: str, contribution: Contribution) -> None:
    with pytest.raises(RckError, match="line 2"):
        contribution(ProgramLanguage, "my-plugin").compile(f"wait 1\n{line}\n", planar_arm(2))
