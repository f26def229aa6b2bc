"""Collision checking: scenes, the pairs of items to test, and the protocol of backends."""

from rck.collision.pairs import Among, Pairs, carried_items, pairs_to_test

__all__ = ["Among", "Pairs", "carried_items", "pairs_to_test"]
