"""Every back end that ships with RCK keeps the contract."""

import pytest
import rck_collision_coal
import rck_collision_faces
import rck_collision_hulls
import rck_collision_mujoco
import rck_collision_open3d
import rck_collision_pocoda
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rck.collision.backend import MeasuringScene
from rck.testing.collision import check_backend
from rck.testing.robots import joint_vectors, robots, six_axis_arm

PLUGINS = {
    "coal": rck_collision_coal,
    "faces": rck_collision_faces,
    "hulls": rck_collision_hulls,
    "mujoco": rck_collision_mujoco,
    "open3d": rck_collision_open3d,
    "pocoda": rck_collision_pocoda,
}


def backend(name):
    if name in ("coal", "mujoco", "open3d"):
        pytest.importorskip(name, exc_type=(ImportError, OSError))
    (only,) = PLUGINS[name].rck_collision_backends()
    assert only.name == name
    return only


FEWER = {"pairs": 40, "most_vertices": 12, "configurations": 5}
"""Of what takes its time: every face against every face."""


@pytest.mark.parametrize("name", PLUGINS)
def test_a_back_end_keeps_the_contract(name):
    check_backend(backend(name), **(FEWER if name == "faces" else {}))


@pytest.mark.parametrize(("name", "measures"), [("hulls", True), ("coal", True), ("mujoco", True), ("open3d", False)])
def test_a_back_end_says_whether_it_can_measure(name, measures):
    assert isinstance(backend(name).make(six_axis_arm(), ()), MeasuringScene) == measures


@given(st.data())
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_the_historic_methods_agree_with_the_hulls_on_random_robots(data):
    robot = data.draw(robots(most_joints=4))
    vector = data.draw(joint_vectors(robot))
    answers = {name: sorted(backend(name).make(robot, ()).touching(vector)) for name in ("hulls", "faces", "pocoda")}
    assert answers["faces"] == answers["hulls"]
    assert answers["pocoda"] == answers["hulls"]
