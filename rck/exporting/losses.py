"""Losses: the findings about information of a robot that a format cannot store."""

from collections.abc import Iterable, Iterator, Set

from rck.hooks.kinds import Exporter
from rck.model.features import Feature, device_feature, features_of
from rck.model.joint import Joint
from rck.model.robot import Robot
from rck.support.finding import Finding, Severity

_LISTED = 5

_NAMED = frozenset({Feature.FRAMES, Feature.DEVICES})
"""The categories that are listed by name where all of them are lost."""

# In formats that keep shapes, which programs can simulate.
_CONSEQUENCES = {
    Feature.JOINT_POSITIONS: "every joint starts at zero",
    Feature.MIMIC: "exported as independent joints",
    Feature.MOBILE_ITEMS: "exported as fixed",
}


def loss(where: str, message: str, *, changes_behaviour: bool = False, fix: str = "") -> Finding:
    """Return the finding for a loss: a warning if the robot behaves differently because of it, otherwise a note."""
    return Finding(503, Severity.WARNING if changes_behaviour else Severity.NOTE, where, message, fix)


def list_names(names: Iterable[str]) -> str:
    """Return the first names as a list, followed by the number of the others."""
    listed = list(names)
    more = f" and {len(listed) - _LISTED} more" if len(listed) > _LISTED else ""
    return ", ".join(listed[:_LISTED]) + more


def moving_joints(robot: Robot) -> tuple[Joint, ...]:
    """Return the joints that are not fixed, mimic joints included."""
    return tuple(joint for joint in robot.joints if joint.kind.moves)


def derive_losses(robot: Robot, exporter: Exporter, where: str) -> Iterator[Finding]:
    """Yield the losses of a robot in a format: the features of the robot that the exporter does not keep.

    Whole categories that are lost share one finding. So do the details of one category that are equally severe.
    """
    keeps, label = exporter.keeps, exporter.format or exporter.name
    present = features_of(robot)
    if Feature.DEVICES in present and Feature.DEVICES not in keeps:
        lost_devices = [one.name for one in robot.devices if device_feature(one.kind) not in keeps]
        present[Feature.DEVICES] = tuple(lost_devices)
    missing = [feature for feature, names in present.items() if feature not in keeps and names]
    whole = [feature for feature in missing if feature.category is feature]
    if whole:
        texts = [f"{one.value} ({list_names(present[one])})" if one in _NAMED else one.value for one in whole]
        changes = any(_changes_behaviour(feature, keeps) for feature in whole)
        yield loss(where, f"not supported by {label}: {', '.join(texts)}", changes_behaviour=changes)
    groups: dict[tuple[Feature, bool], list[str]] = {}
    for feature in missing:
        if feature not in whole and feature.category in keeps:
            group = groups.setdefault((feature.category, _changes_behaviour(feature, keeps)), [])
            has_consequence = feature in _CONSEQUENCES and Feature.SHAPES in keeps
            consequence = f"; {_CONSEQUENCES[feature]}" if has_consequence else ""
            group.append(f"{feature.value} ({list_names(present[feature])}{consequence})")
    for (category, changes), texts in groups.items():
        rest = "; exported as frames" if category is Feature.DEVICES else ""
        yield loss(where, f"not supported by {label}: {', '.join(texts)}{rest}", changes_behaviour=changes)


def _changes_behaviour(feature: Feature, keeps: Set[Feature]) -> bool:
    """Return True if a robot without the feature moves differently in the programs that read such files.

    Friction matters to formats for dynamics, which keep efforts and inertias. Joints matter to formats that keep more
    than an appearance.
    """
    if feature in (
        Feature.JOINT_DAMPING,
        Feature.JOINT_FRICTION,
        Feature.JOINT_SPRINGS,
        Feature.ARMATURE,
        Feature.ACTUATORS,
    ):
        return keeps >= {Feature.JOINT_EFFORTS, Feature.INERTIAS}
    if feature is Feature.JOINTS:
        return Feature.COLLISION_SHAPES in keeps
    return feature in (Feature.JOINT_LIMITS, Feature.MIMIC, Feature.LOOPS, Feature.TENDONS)
