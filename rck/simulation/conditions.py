"""Whether what sensors say fulfils a condition."""

import operator
from collections.abc import Callable, Mapping

from rck.hooks.programs import Relation
from rck.simulation.events import Condition
from rck.simulation.sensing import SensorUnit

RELATIONS: Mapping[Relation, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


def holds(condition: Condition, sensors: Mapping[str, SensorUnit]) -> bool:
    """Whether the first number of the channel compares as it should; a sensor that has not spoken fulfils nothing."""
    sensor = sensors.get(condition.sensor)
    if sensor is None or not sensor.on:
        return False
    values = sensor.reading.get(condition.channel)
    if values is None or values.size == 0:
        return False
    return bool(RELATIONS[condition.relation](float(values.flat[0]), condition.value))
