pytest_plugins = ["rck.testing.fixtures"]


def test_it_keeps_the_contract_of_part_libraries(library_contract):
    library_contract("spoked-wheels")


def test_larger_wheel_is_heavier(session):
    session.do("create spoked/wheel small diameter=100")
    session.do("create spoked/wheel large diameter=200")
    robot = session.document.robot
    assert robot.item("large/wheel").mass_properties.mass > 3 * robot.item("small/wheel").mass_properties.mass
