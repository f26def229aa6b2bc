from rck.language.robot_checks import check_robot

pytest_plugins = ["rck.testing.fixtures"]


def dark_items(session):
    found = check_robot(session.document.robot, session.plugins)
    return [finding for finding in found if finding.code == "VIS101"]


def test_it_keeps_the_contract_of_checks(check_contract):
    check_contract("visible-colours")


def test_its_command_repairs_what_it_finds(session):
    session.do("create structure/plate top")
    assert dark_items(session) == []
    session.do("set top colour=#010203")
    (finding,) = dark_items(session)
    assert finding.plugin == "visible-colours"
    for command in finding.commands:
        session.do(command)
    assert dark_items(session) == []
