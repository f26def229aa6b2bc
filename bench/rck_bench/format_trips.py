"""Robots exported to a format, imported again, and compared by names with the original in MuJoCo."""

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from rck.exporting.export import export
from rck.geometry.arrays import Floats, Ints
from rck.hooks import Exporter, Plugins, file_exchange
from rck.model import Feature, Robot
from rck.support.names import legal_name

ENDINGS: Mapping[str, str] = {"urdf": ".urdf", "sdf": ".sdf", "usd": ".usda"}
_SOURCES = (".xml", ".urdf", ".sdf")
_MOST_OF_A_KIND = 10
STATES = 20


@dataclass(frozen=True, slots=True)
class NamedComparison:
    """Differences of what two models both have, and counts of what the format lost."""

    poses: float
    """Largest difference of body poses, in metres and as rotation matrices."""
    mass_matrix: float
    """Relative to the largest entry, with the armature if the format has it."""
    gravity: float
    """Relative to the largest of the generalised forces, or to 1 N m."""
    accelerations: float
    """Relative to the largest acceleration, without contacts and actuators; infinite if a joint is missing."""
    other_contacts: int
    """Number of poses in which other bodies are in contact."""
    kept: Mapping[str, tuple[int, int]]
    """Counts of elements in the result and in the original, where they differ."""

    @property
    def difference(self) -> float:
        """The largest difference of poses, masses and gravity."""
        return max(self.poses, self.mass_matrix, self.gravity)


@dataclass(frozen=True, slots=True)
class FormatTrip:
    """An export to a format, imported again."""

    format_name: str
    comparison: NamedComparison
    seconds: float
    """Processor time of the export and the import."""


def robot_files(folder: Path) -> Iterator[Path]:
    """Yield up to ten files of each format in each package of a folder, at equal distances in their order."""
    for package in sorted(path for path in folder.iterdir() if path.is_dir()):
        for ending in _SOURCES:
            found = sorted(path for path in package.rglob(f"*{ending}") if path.is_file())
            step = max(1, len(found) // _MOST_OF_A_KIND)
            yield from found[::step][:_MOST_OF_A_KIND]


def packages_folder() -> Path | None:
    """Return the folder of robot packages that `RCK_ROBOTS` names, such as that of `tools/import_corpus.py`."""
    named = os.environ.get("RCK_ROBOTS")
    return Path(named) if named else None


def format_trips(robot: Robot, original: Any, folder: Path, plugins: Plugins) -> Iterator[FormatTrip]:
    """Yield the comparison of a robot with itself through each format; `original` is its model in MuJoCo."""
    import mujoco

    exporters = {one.name: one for one in plugins.all(Exporter)}
    for name, ending in ENDINGS.items():
        started = process_time()
        path = folder / f"through-{name}{ending}"
        export(robot, path, plugins, name=name)
        # The collision rules of URDF are in the SRDF next to it.
        options = {"srdf": str(path.with_suffix(".srdf"))} if name == "urdf" else {}
        again = file_exchange.require_robot(file_exchange.read_file(path, plugins, options, name), path)
        seconds = process_time() - started
        back = folder / f"through-{name}.xml"
        export(again, back, plugins, {"motors": "no"}, name="mjcf")
        other = mujoco.MjModel.from_xml_path(str(back))
        armature = Feature.ARMATURE in exporters[name].keeps
        comparison = compare_by_name(original, other, armature=armature)
        shown = _shown(again), _shown(robot)
        if shown[0] != shown[1]:
            comparison = replace(comparison, kept={**comparison.kept, "displayed shapes": shown})
        yield FormatTrip(name, comparison, seconds)


def compare_by_name(original: Any, other: Any, *, armature: bool, states: int = STATES) -> NamedComparison:
    """Compare what two models both have, at random positions of their joints."""
    if not armature:
        # The caller compares the original with other formats, too.
        original, other = copy(original), copy(other)
        original.dof_armature[:] = 0
        other.dof_armature[:] = 0
    bodies, joints = _pairs(original, other, "body"), _pairs(original, other, "joint")
    joints += _joints_of_bodies(original, other, bodies, joints)
    joints = sorted((a, b) for a, b in joints if original.jnt_type[a] == other.jnt_type[b])
    freedoms = _numbers(original, other, joints, "nv", "jnt_dofadr")
    positions = _numbers(original, other, joints, "nq", "jnt_qposadr")
    bases = _bases(original, bodies)
    whole = len(freedoms[0]) == original.nv == other.nv
    worst = np.zeros(4)
    contacts = 0
    dice = np.random.default_rng(0)
    for _ in range(states):
        moved = _random_positions(original, dice)
        there = other.qpos0.copy()
        there[positions[1]] = moved[positions[0]]
        kept = original.qpos0.copy()
        kept[positions[0]] = moved[positions[0]]
        first = _computed(original, kept, bodies, bases, 0, freedoms[0])
        second = _computed(other, there, bodies, bases, 1, freedoms[1])
        scale = max(np.abs(first[1]).max(initial=0.0), 1e-12)
        worst = np.maximum(
            worst,
            [
                np.abs(first[0] - second[0]).max(initial=0.0),
                np.abs(first[1] - second[1]).max(initial=0.0) / scale,
                np.abs(first[2] - second[2]).max(initial=0.0) / max(np.abs(first[2]).max(initial=0.0), 1.0),
                np.abs(first[3] - second[3]).max(initial=0.0) / max(np.abs(first[3]).max(initial=0.0), 1.0),
            ],
        )
        contacts += first[4] != second[4]
    counts = {
        what: (int(getattr(other, field)), int(getattr(original, field)))
        for what, field in {"actuators": "nu", "sensors": "nsensor", "tendons": "ntendon", "equalities": "neq"}.items()
    }
    counts |= {
        "joints": (len(joints), original.njnt),
        "limits": (int(other.jnt_limited.sum()), int(original.jnt_limited.sum())),
    }
    kept_counts = {what: pair for what, pair in counts.items() if pair[0] != pair[1]}
    poses, mass, gravity, accelerations = worst.tolist()
    return NamedComparison(poses, mass, gravity, accelerations if whole else np.inf, contacts, kept_counts)


def _pairs(original: Any, other: Any, kind: str) -> list[tuple[int, int]]:
    """Return the numbers of the elements that have one name in both models."""
    count = {"body": "nbody", "joint": "njnt"}[kind]
    names = [getattr(other, kind)(n).name for n in range(getattr(other, count))]
    known = {name: n for n, name in enumerate(names)}
    # In files with several models, names start with that of the model.
    ends = Counter(name.rpartition("/")[2] for name in names)
    known |= {end: n for n, name in enumerate(names) if ends[end := name.rpartition("/")[2]] == 1 and end not in known}
    found = []
    for number in range(getattr(original, count)):
        name = getattr(original, kind)(number).name
        match = known.get(name, known.get(legal_name(name) if name else ""))
        if match is not None:
            found.append((number, match))
    return found


def _joints_of_bodies(
    original: Any, other: Any, bodies: list[tuple[int, int]], named: list[tuple[int, int]]
) -> list[tuple[int, int]]:
    """Return the joints of bodies of one name that have as many joints, if the joints have other names."""
    known = {a for a, _ in named}
    used = {b for _, b in named}
    found = []
    for a, b in bodies:
        if original.body_jntnum[a] == other.body_jntnum[b]:
            for number in range(int(original.body_jntnum[a])):
                pair = int(original.body_jntadr[a]) + number, int(other.body_jntadr[b]) + number
                if pair[0] not in known and pair[1] not in used:
                    found.append(pair)
    return found


def _numbers(original: Any, other: Any, joints: list[tuple[int, int]], size: str, address: str) -> tuple[Ints, Ints]:
    """Return the addresses of the numbers of common joints in both models."""
    length = {"nv": (6, 3, 1, 1), "nq": (7, 4, 1, 1)}[size]
    columns: tuple[list[int], list[int]] = ([], [])
    for a, b in joints:
        for number in range(length[int(original.jnt_type[a])]):
            columns[0].append(int(getattr(original, address)[a]) + number)
            columns[1].append(int(getattr(other, address)[b]) + number)
    return np.array(columns[0], dtype=np.int64), np.array(columns[1], dtype=np.int64)


def _random_positions(model: Any, dice: np.random.Generator) -> Floats:
    import mujoco

    positions: Floats = model.qpos0.copy()
    mujoco.mj_integratePos(model, positions, dice.normal(size=model.nv), 1.0)
    for joint in np.flatnonzero(model.jnt_limited & (model.jnt_type >= int(mujoco.mjtJoint.mjJNT_SLIDE))).tolist():
        positions[model.jnt_qposadr[joint]] = dice.uniform(*model.jnt_range[joint])
    return positions


def _bases(original: Any, bodies: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return for each body the one that floats and carries it, else the world: formats may fix floating bodies."""
    import mujoco

    match = dict(bodies)
    roots = [int(original.body_rootid[body]) for body, _ in bodies]
    joints = [int(original.body_jntadr[root]) for root in roots]
    floats = [joint >= 0 and original.jnt_type[joint] == int(mujoco.mjtJoint.mjJNT_FREE) for joint in joints]
    found = zip(roots, floats, strict=True)
    return [(root, match[root]) if free and root in match else (0, 0) for root, free in found]


def _computed(
    model: Any,
    positions: Floats,
    bodies: list[tuple[int, int]],
    bases: list[tuple[int, int]],
    side: int,
    freedoms: Ints,
) -> tuple[Any, ...]:
    """Return poses, mass matrix, gravity, accelerations without contact, and bodies in contact, of what is common."""
    import mujoco

    number_of = {pair[side]: number for number, pair in enumerate(bodies)}
    chosen = [(pair[side], base[side]) for pair, base in zip(bodies, bases, strict=True)]
    data = mujoco.MjData(model)
    data.qpos[:] = positions
    mujoco.mj_forward(model, data)
    owners = model.geom_bodyid
    pairs = (tuple(owners[contact.geom].tolist()) for contact in data.contact)
    touching = {frozenset(number_of[one] for one in pair) for pair in pairs if all(one in number_of for one in pair)}
    poses = np.array([_pose_on_base(data, body, base) for body, base in chosen])
    gravity = data.qfrc_bias.copy()[freedoms]
    mass = full_mass_matrix(model, data)[np.ix_(freedoms, freedoms)]
    flags = model.opt.disableflags
    without = mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_ACTUATION
    model.opt.disableflags = flags | int(without)
    mujoco.mj_forward(model, data)
    model.opt.disableflags = flags
    return poses, mass, gravity, data.qacc.copy()[freedoms], touching


def _pose_on_base(data: Any, body: int, base: int) -> Floats:
    """Return the pose of a body on another one, which may be the world. Shape (12,)."""
    turn = data.xmat[base].reshape(3, 3).T
    moved = data.xmat[body].reshape(3, 3)
    return np.concatenate([turn @ (data.xpos[body] - data.xpos[base]), (turn @ moved).reshape(-1)])


def full_mass_matrix(model: Any, data: Any) -> Floats:
    """Return the mass matrix of all degrees of freedom."""
    import mujoco

    mass = np.zeros((model.nv, model.nv))
    try:
        mujoco.mj_fullM(model, data, mass)
    except TypeError:
        # The arguments of MuJoCo before 4.0.
        mujoco.mj_fullM(model, mass, data.qM)
    return mass


def _shown(robot: Robot) -> int:
    return sum(len(item.visuals or item.subitems) for item in robot.items)
