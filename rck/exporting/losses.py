"""Losses: the findings about information of a robot that a format cannot store, and that it requires in addition."""

from collections.abc import Collection, Iterable, Iterator, Set

from rck.exporting.gaps import names_of_gap
from rck.hooks.kinds import Exporter, Values
from rck.model.features import DEVICE_GAPS, Feature, Gap, device_feature, features_of
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
    Feature.BEAM_WIDTHS: "measured along the axis",
}

_DYNAMIC = frozenset({
    Feature.JOINT_DAMPING, Feature.JOINT_FRICTION, Feature.JOINT_SPRINGS, Feature.ARMATURE, Feature.ACTUATORS,
    Feature.ACTUATOR_GAINS, Feature.OTHER_ACTUATORS,
})  # fmt: skip
"""Features that matter to formats for dynamics."""
_KINEMATIC = frozenset({Feature.JOINT_LIMITS, Feature.MIMIC, Feature.LOOPS, Feature.TENDONS})
"""Features without which every robot moves differently."""

_FIXES = {
    Gap.MOVING_MASS: "give them a mass",
    Gap.INERTIA: "correct it in the model, or import the source file with repair-inertia=yes",
    Gap.PRISMATIC_LIMITS: "give them limits",
    Gap.JOINT_BOUNDS: "give them limits",
    Gap.MOTORS: "set the actuation of the joints",
    Gap.HOLDING_FORCE: "give them a force or a payload",
}
"""Remedies of the gaps that change the behaviour of the robot, and of missing motors."""


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


def derive_losses(robot: Robot, exporter: Exporter, where: str, values: Values | None = None) -> Iterator[Finding]:
    """Yield the losses of a robot in a format, for the given values of the exporter's options.

    They follow from what the exporter declares: the features that it keeps, and the gaps that it fills.
    """
    settings = _settings(exporter, values or {})
    keeps = frozenset(one for one in exporter.keeps if _is_set(exporter.keeps_with.get(one, ()), settings))
    yield from _feature_losses(robot, exporter, keeps, where)
    yield from _value_losses(robot, exporter, keeps, where)
    for gap, predicate in exporter.fills.items():
        given = exporter.keeps_with.get(gap, ())
        names = names_of_gap(robot, gap) if _is_set(given, settings) else ()
        if gap in DEVICE_GAPS:
            names = tuple(one.name for one in robot.devices if one.name in names and device_feature(one.kind) in keeps)
        if names:
            changes = gap in _FIXES and gap is not Gap.MOTORS
            yield loss(where, f"{gap.value} {predicate}: {list_names(names)}", changes_behaviour=changes,
                       fix=_FIXES.get(gap, ""))  # fmt: skip


def _settings(exporter: Exporter, values: Values) -> set[str]:
    """Return the settings of all options as text, such as `srdf=yes`."""
    texts = {True: "yes", False: "no"}
    found = {option.name: values.get(option.name, option.default) for option in exporter.options}
    return {f"{name}={texts.get(value, value) if isinstance(value, bool) else value}" for name, value in found.items()}


def _is_set(wanted: Collection[str], settings: Set[str]) -> bool:
    return not wanted or not settings.isdisjoint(wanted)


def _feature_losses(robot: Robot, exporter: Exporter, keeps: Set[Feature], where: str) -> Iterator[Finding]:
    """Yield the features that are not kept.

    Whole categories that are lost share one finding. So do the details of one category that are equally severe.
    """
    label = exporter.format or exporter.name
    present = features_of(robot)
    if Feature.DEVICES in present and Feature.DEVICES not in keeps:
        lost_devices = [one.name for one in robot.devices if device_feature(one.kind) not in keeps]
        present[Feature.DEVICES] = tuple(lost_devices)
    if Feature.OTHER_SENSORS in present:
        # A sensor that the format itself states is written as it was read.
        own = {one.name for one in robot.devices if exporter.name in one.extensions}
        present[Feature.OTHER_SENSORS] = tuple(one for one in present[Feature.OTHER_SENSORS] if one not in own)
    missing = [feature for feature, names in present.items() if feature not in keeps and names]
    whole = [feature for feature in missing if feature.category is feature]
    if whole:
        texts = [f"{one.value} ({list_names(present[one])})" if one in _NAMED else one.value for one in whole]
        changes = any(_changes_behaviour(feature, exporter.keeps) for feature in whole)
        yield loss(where, f"not supported by {label}: {', '.join(texts)}", changes_behaviour=changes)
    groups: dict[tuple[Feature, bool, str], list[str]] = {}
    for feature in missing:
        if feature not in whole and feature.category in keeps:
            fix = f"export with {exporter.keeps_with[feature][0]}" if feature in exporter.keeps else ""
            group = groups.setdefault((feature.category, _changes_behaviour(feature, exporter.keeps), fix), [])
            has_consequence = feature in _CONSEQUENCES and Feature.SHAPES in keeps
            consequence = f"; {_CONSEQUENCES[feature]}" if has_consequence else ""
            group.append(f"{feature.value} ({list_names(present[feature])}{consequence})")
    for (category, changes, fix), texts in groups.items():
        rest = "; exported as frames" if category is Feature.DEVICES else ""
        yield loss(where, f"not supported by {label}: {', '.join(texts)}{rest}", changes_behaviour=changes, fix=fix)


def _value_losses(robot: Robot, exporter: Exporter, keeps: Set[Feature], where: str) -> Iterator[Finding]:
    """Yield a loss for the datasheet values that the format does not store of the devices that it keeps."""
    if exporter.device_values is None:
        return
    kept = [device for device in robot.devices if device_feature(device.kind) in keeps]
    if values := sorted({value for device in kept for value in device.values} - exporter.device_values):
        label = exporter.format or exporter.name
        yield loss(where, f"not supported by {label}: values of sensors and grippers ({', '.join(values)})")


def _changes_behaviour(feature: Feature, keeps: Set[Feature]) -> bool:
    """Return True if a robot without the feature moves differently in the programs that read such files.

    Friction matters to formats for dynamics, which keep efforts and inertias. Joints matter to formats that keep more
    than an appearance.
    """
    if feature in _DYNAMIC:
        return keeps >= {Feature.JOINT_EFFORTS, Feature.INERTIAS}
    if feature is Feature.JOINTS:
        return Feature.COLLISION_SHAPES in keeps
    return feature in _KINEMATIC
