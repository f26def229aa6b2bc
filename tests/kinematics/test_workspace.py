"""Workspaces and base placements."""

from math import pi

import numpy as np
import pytest

from rck.geometry.transforms import translation
from rck.hooks import discover
from rck.kinematics.batch import solve_batch
from rck.kinematics.chain import chain_between, poses_at, tip_pose
from rck.kinematics.dexterity import chain_jacobian, chain_jacobians, dexterity, encoder_errors, manipulabilities
from rck.kinematics.numeric_solver import numeric_solver
from rck.kinematics.solver_choice import solver_for
from rck.kinematics.workspace import orientations, placements, sweep, workspace
from rck.kinematics.workspace_file import placements_csv, with_map, workspace_csv, workspace_ply
from rck.model import RckError
from rck.model.joint_positions import random_vectors
from rck.support.job import Job
from rck.testing.robots import planar_arm


def solver_of(chain):
    return solver_for(discover(), chain.robot, chain.base, chain.tip)


def planar():
    return chain_between(planar_arm(2, length=0.5), "base", "tool")


@pytest.mark.parametrize("name", ["unimation/puma-560", "bosch/sr-800", "kuka/iiwa-7"])
def test_batch_of_vectors_has_poses_and_jacobians_of_each(arm, name):
    chain = arm(name)
    vectors = random_vectors(chain.robot, 5, seed=1, joints=chain.joints)
    _, tips = poses_at(chain, vectors)
    slopes, values = chain_jacobians(chain, vectors), manipulabilities(chain, vectors)
    for number, vector in enumerate(vectors):
        np.testing.assert_allclose(tips[number], tip_pose(chain, vector), atol=1e-12)
        np.testing.assert_allclose(slopes[number], chain_jacobian(chain, vector), atol=1e-12)
        assert values[number] == pytest.approx(dexterity(chain, vector).manipulability)


@pytest.mark.parametrize("name", ["unimation/puma-560", "bosch/sr-800", "kuka/iiwa-7"])
def test_batch_agrees_with_single_goals_and_reports_progress(arm, name):
    chain = arm(name)
    goals = poses_at(chain, random_vectors(chain.robot, 60, seed=2, joints=chain.joints))[1]
    goals[7] = translation((9.0, 0.0, 0.0)) @ goals[7]
    told = []
    vectors, solved = solve_batch(solver_of(chain), goals, job=Job(lambda share, what: told.append(share)))
    assert told[-1] == 1.0
    assert not solved[7]
    assert solved.sum() >= 59 - (name == "kuka/iiwa-7")
    for number in np.flatnonzero(solved):
        np.testing.assert_allclose(tip_pose(chain, vectors[number]), goals[number], atol=1e-5)


def test_batch_can_be_cancelled(arm):
    chain = arm("unimation/puma-560")
    job = Job()
    job.cancel()
    with pytest.raises(RckError, match="stopped"):
        solve_batch(solver_of(chain), np.eye(4)[None], starts=1, job=job)


def test_workspace_of_two_links_is_a_disc():
    chain = planar()
    found = workspace(chain, numeric_solver(chain), cell=0.1, samples=20_000)
    # Both links are half a metre long and turn all round: a disc of radius one, one cell high.
    assert found.volume / found.cell == pytest.approx(pi, rel=0.12)
    assert np.linalg.norm(found.centres[:, :2], axis=1).max() < 1.08
    assert found.hits.sum() == 20_000
    assert (found.reachable == 1).all()
    assert (found.free == 1).all()


def test_centre_of_workspace_has_more_orientations_than_rim(arm):
    chain = arm("unimation/puma-560")
    found = workspace(chain, solver_of(chain), cell=0.2, samples=4000, turns=8)
    away = np.linalg.norm(found.centres - (0, 0, 0.6), axis=1)
    assert found.reachable[away < 0.6].mean() > found.reachable[away > 0.8].mean() + 0.2
    assert found.manipulability.max() > 0.05
    assert 0 <= found.reachable.min() <= found.reachable.max() <= 1


def test_workspace_counts_collisions():
    chain = planar()
    seen = []

    def touches(vectors):
        seen.append(vectors.shape)
        return vectors[:, 0] > 0

    found = workspace(chain, numeric_solver(chain), cell=0.25, samples=2000, touches=touches)
    assert seen == [(2000, 2)]
    assert found.free.mean() == pytest.approx(0.5, abs=0.05)


def test_orientations_are_evenly_spread_rotations():
    turns = orientations(500)
    np.testing.assert_allclose(turns @ turns.transpose(0, 2, 1), np.tile(np.eye(3), (500, 1, 1)), atol=1e-12)
    # The mean of all rotations is nothing.
    np.testing.assert_allclose(turns.mean(axis=0), 0, atol=0.02)


def test_workspace_is_written_as_table_and_point_cloud(tmp_path):
    import trimesh

    chain = planar()
    found = workspace(chain, numeric_solver(chain), cell=0.25, samples=500)
    table = workspace_csv(found).decode().splitlines()
    assert table[0].startswith("x_m,y_m,z_m,hits,reachable")
    assert len(table) == 1 + len(found.centres)
    (tmp_path / "map.ply").write_bytes(workspace_ply(found))
    cloud = trimesh.load(tmp_path / "map.ply")
    np.testing.assert_allclose(cloud.vertices, found.centres, atol=1e-6)


def test_workspace_is_shown_as_cubes():
    chain = planar()
    found = workspace(chain, numeric_solver(chain), cell=0.25, samples=500)
    shown = with_map(chain.robot, found, np.eye(4), cut=False)
    cubes = [subitem for item in shown.items[len(chain.robot.items) :] for subitem in item.subitems]
    assert len(cubes) == len(found.centres)
    half = with_map(chain.robot, found, np.eye(4))
    assert sum(len(item.subitems) for item in half.items[len(chain.robot.items) :]) < len(cubes)


def test_base_placements_count_goals_and_encoder_errors():
    chain = planar()
    goals = np.array([tip_pose(chain, np.array(pair)) for pair in ((0.3, 1.0), (-0.4, 1.4))])
    bases = [np.eye(4), translation((5.0, 0.0, 0.0))]
    near, far = placements(chain, numeric_solver(chain), goals, bases, bits=12)
    assert (near.reached, near.free, far.reached) == (2, 2, 0)
    # The worst goal decides.
    expected = encoder_errors(chain, np.array([(0.3, 1.0), (-0.4, 1.4)]), [12, 12]).max(axis=0)
    assert (near.away, near.turned) == pytest.approx(expected, rel=1e-3)
    assert near.room > 0
    table = placements_csv([near, far], 2).decode().splitlines()
    assert table[2].startswith("5000,0,0,0,0,0,2,0,0")


def test_sweep_includes_both_ends():
    np.testing.assert_allclose(sweep(-1, 1, 0.5), [-1, -0.5, 0, 0.5, 1])
    np.testing.assert_allclose(sweep(0, 1, 0.4), [0, 1 / 3, 2 / 3, 1])
    with pytest.raises(RckError, match="positive step"):
        sweep(0, 1, 0)


def test_workspace_with_too_many_cells_is_refused():
    chain = planar()
    with pytest.raises(RckError, match="positive cell size"):
        workspace(chain, numeric_solver(chain), cell=0.0)
