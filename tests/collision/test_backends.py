"""The bundled collision backends, beyond the contract tests."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rck.collision.backend import MeasuringScene
from rck.hooks import CollisionBackend, discover
from rck.testing.robots import joint_vectors, robots, six_axis_arm

BACKENDS = {backend.name: backend for backend in discover().all(CollisionBackend)}


@pytest.mark.parametrize(("name", "measures"), [("hulls", True), ("coal", True), ("mujoco", True), ("open3d", False)])
def test_back_end_declares_whether_it_measures(name, measures):
    if name != "hulls":
        pytest.importorskip(name, exc_type=(ImportError, OSError))
    assert isinstance(BACKENDS[name].make(six_axis_arm(), ()), MeasuringScene) == measures


@given(st.data())
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_historic_methods_agree_with_hulls_on_random_robots(data):
    robot = data.draw(robots(most_joints=4))
    vector = data.draw(joint_vectors(robot))
    answers = {name: sorted(BACKENDS[name].make(robot, ()).touching(vector)) for name in ("hulls", "faces", "pocoda")}
    assert answers["faces"] == answers["hulls"]
    assert answers["pocoda"] == answers["hulls"]
