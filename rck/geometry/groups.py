"""Which of many things hang together, if each is linked to a few others."""

import numpy as np

from rck.geometry.arrays import Ints


def linked_groups(some: Ints, others: Ints, count: int) -> Ints:
    """For each of `count` things the number of its group; each of `some` is linked to the one of `others` beside it."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    links = coo_array((np.ones(len(some), dtype=np.int8), (some, others)), shape=(count, count))
    return np.asarray(connected_components(links, directed=False)[1], dtype=np.int64)
