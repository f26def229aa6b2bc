"""What touches what: scenes, the pairs that are tested, and the protocol of back ends."""

from rck.collision.pairs import Among, Pairs, carried_items, pairs_to_test

__all__ = ["Among", "Pairs", "carried_items", "pairs_to_test"]
