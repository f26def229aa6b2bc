"""The sensors of a world as topics, with the types that ROS programs expect of each kind."""

from collections.abc import Mapping

from rck.control.topics import Topic
from rck.control.world import ServedWorld


def sensor_topics(world: ServedWorld) -> Mapping[str, Topic]:
    """A topic for each sensor."""
    return {}
