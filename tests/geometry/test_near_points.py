"""Points close to each other, and groups of connected nodes, against SciPy."""

import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from rck.geometry.near_points import near_pairs, nearest_points
from rck.geometry.vertex_merge import clusters, linked_groups


@pytest.mark.parametrize("axes", [2, 3])
@pytest.mark.parametrize("distance", [0.003, 0.05, 3.0])
def test_pairs_are_those_of_a_tree(axes: int, distance: float) -> None:
    points = np.random.default_rng(7).uniform(-1.0, 1.0, (600, axes))
    points[300:400] = points[100:200]
    first, second = near_pairs(points, distance)
    found = np.sort(np.stack([first, second], axis=1), axis=1)
    expected = np.sort(cKDTree(points).query_pairs(distance, output_type="ndarray"), axis=1)
    assert sorted(map(tuple, found.tolist())) == sorted(map(tuple, expected.tolist()))


def test_points_exactly_the_distance_apart_are_a_pair() -> None:
    grid = np.stack(np.meshgrid(np.arange(20) * 0.1, np.arange(20) * 0.1), axis=-1).reshape(-1, 2)
    first, _ = near_pairs(grid, 0.1 * (1 + 1e-12))
    assert len(first) == 2 * 20 * 19


@pytest.mark.parametrize("distance", [0.01, 0.3])
def test_nearest_points_are_those_of_a_tree(distance: float) -> None:
    random = np.random.default_rng(8)
    points, others = random.uniform(-1.0, 1.0, (500, 2)), random.uniform(-1.0, 1.0, (400, 2))
    away, expected = cKDTree(others).query(points, distance_upper_bound=distance)
    assert nearest_points(points, others, distance).tolist() == np.where(np.isfinite(away), expected, -1).tolist()


def test_the_first_of_equally_near_points_is_chosen() -> None:
    assert nearest_points(np.zeros((1, 2)), np.array([[3.0, 0.0], [0.0, 1.0], [1.0, 0.0]]), 2.0).tolist() == [1]


@pytest.mark.parametrize("links", [0, 10, 400, 3000])
def test_groups_are_the_connected_components(links: int) -> None:
    some, others = np.random.default_rng(links).integers(0, 1000, (2, links))
    graph = coo_array((np.ones(links), (some, others)), shape=(1000, 1000))
    assert linked_groups(some, others, 1000).tolist() == connected_components(graph, directed=False)[1].tolist()


@pytest.mark.parametrize("centre", [0, 4999])
def test_a_star_and_a_chain_are_one_group(centre: int) -> None:
    nodes = np.arange(5000)
    assert not linked_groups(np.full(5000, centre), nodes, 5000).any()
    shuffled = np.random.default_rng(1).permutation(nodes)
    assert not linked_groups(shuffled[:-1], shuffled[1:], 5000).any()


def test_a_cluster_extends_through_its_points() -> None:
    line = np.stack([np.arange(10) * 0.9, np.zeros(10)], axis=1)
    assert clusters(np.concatenate([line, line + np.array([0.0, 5.0])]), 1.0).tolist() == [0] * 10 + [10] * 10
