from collections.abc import Callable

from rck.hooks import Check
from rck.language.session import Session
from rck.testing.contracts import Contribution

pytest_plugins = ["rck.testing.fixtures"]


def test_they_keep_the_contracts_of_codes_and_checks(
    finding_code_contract: Callable[[str], None], check_contract: Callable[[str], None]
) -> None:
    finding_code_contract("MYPLUGIN101")
    check_contract("my-plugin")


def test_the_commands_of_a_finding_fix_it(contribution: Contribution, session: Session) -> None:
    check = contribution(Check, "my-plugin")
    session.do("create structure/plate floor")
    session.do("create structure/plate lid")
    session.do("mate floor.top lid.bottom --joint revolute --limits -90..90 --name hinge")
    (finding,) = check.run(session.compile().unwrap().robot)
    assert finding.where == "joint hinge"
    for command in finding.commands:
        session.do(command)
    assert list(check.run(session.compile().unwrap().robot)) == []
