"""A world under forces: motors push, controllers steer, water carries."""

from collections.abc import Iterator
from math import ceil, inf, pi
from typing import Any

import mujoco
import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.rates import rates_at
from rck.geometry.transforms import to_quaternion
from rck.hooks import Press, Values
from rck.model.finding import RckError
from rck.model.motion import joint_positions
from rck.model.robot import Robot
from rck.model.units import require_positive
from rck_physics_mujoco.model import GRAVITY, STIFFNESS, WATER, Model, build_model, hold_name

_STATE = mujoco.mjtState.mjSTATE_INTEGRATION
_TRAVEL = 5e-4
"""How far a loose object moves in a time step, in metres: faster ones are simulated in shorter steps."""
_SLOW = 2e-4
"""What moves less than this in a time step, in metres, need not be looked ahead of."""
_AHEAD = int(mujoco.mjtEnableBit.mjENBL_SPECULATIVE)
"""Contacts that come about within a time step: nothing fast passes through anything thin."""
_FINEST = 16
"""How many times shorter these steps are at most."""
_SLIP_END = 50.0
"""The highest acceleration by which friction ends a slip, in m/s2: five times gravity..."""
_SLIP_END_BLOW = 1.5
"""...and so much of the acceleration by which a blow ends an approach."""
_ALONG = np.array([1, 2])
"""The rows of a contact that lie along its surface, after that of its normal."""
_BLOW = 50.0
"""A loose object that is accelerated more than this, in m/s2, was hit."""


class MujocoWorld:
    """The physics of a robot and of the objects round it, from where they stand, at rest.

    The motors start with the efforts that hold the robot still, as controllers do that have been on for a while.
    """

    def __init__(self, robot: Robot, values: Values) -> None:
        require_positive("option step of physics mujoco", values["step"], "s", 0.001)
        require_positive("option bandwidth of physics mujoco", values["bandwidth"], "Hz", 8)
        self.model: Model = build_model(robot, values)
        self.data = mujoco.MjData(self.model.compiled)
        self.efforts: Floats = np.zeros(len(self.model.joint_rows))
        self._limits = _limits(self.model.robot, limited=bool(values["limited"]))
        self._limited = bool(np.isfinite(self._limits).any())
        self._floats = values["environment"] == "under-water"
        self._flights = _Flights(self.model)
        self._blows: list[Press] = []
        self._seconds = 0.0
        self._longest = float(values["step"])
        self._step = 0.0
        self._set_step(self._longest)
        self._falling = GRAVITY[values["environment"]]
        self._place()
        self._turning = 2 * pi * values["bandwidth"]
        self._share = values["integral"] / 2
        self._target = self.positions
        self._balance()
        self._left = self.efforts.copy()

    @property
    def time(self) -> float:
        """In seconds."""
        return float(self.data.time)

    @property
    def positions(self) -> Floats:
        """Of the free joints. Shape (free joints,), in radians and metres."""
        return np.array(self.data.qpos[self.model.joint_rows])

    @property
    def speeds(self) -> Floats:
        """Of the free joints. Shape (free joints,), in rad/s and m/s."""
        return np.array(self.data.qvel[self.model.speed_rows])

    @property
    def poses(self) -> Floats:
        """World from item. Shape (items, 4, 4)."""
        places = self.model.arrays.items
        poses = np.tile(np.eye(4), (len(places), 1, 1))
        bodies = np.array(self.model.body_of_group)[places["body"]]
        turns = self.data.xmat[bodies].reshape(-1, 3, 3)
        poses[:, :3] = turns @ places["body_from_place"]
        poses[:, :3, 3] += self.data.xpos[bodies]
        return poses

    @property
    def velocities(self) -> Floats:
        """Of each item, linear over angular, along the axes of the world. Shape (items, 6), in m/s and rad/s."""
        return self._rates()[0]

    @property
    def accelerations(self) -> Floats:
        """Of each item under the forces of this moment, as the velocities. Shape (items, 6), in m/s2 and rad/s2."""
        return self._rates()[1]

    @property
    def gravity(self) -> Floats:
        """Shape (3,), in m/s2."""
        return np.array(self.model.compiled.opt.gravity)

    @property
    def presses(self) -> list[Press]:
        """What presses on what, and how hard, at every point of contact.

        Those of this moment, and the blows since the last step of the simulation, spread evenly over that step.
        """
        return [*self._blows, *self._presses_now(1.0)]

    @property
    def energy(self) -> float:
        """Potential and kinetic, in J."""
        mujoco.mj_energyPos(self.model.compiled, self.data)
        mujoco.mj_energyVel(self.model.compiled, self.data)
        return float(self.data.energy.sum())

    def step(self, efforts: Floats, seconds: float) -> Floats:
        """Apply an effort to each free joint for a time; the positions after it. Shape (free joints,)."""
        require_positive("time step", seconds, "s", 0.01)
        self.efforts = np.clip(np.asarray(efforts, dtype=float), -self._limits, self._limits)
        for _ in self._steps(seconds):
            self._advance()
        return self._settled()

    def steer(self, targets: Floats, seconds: float) -> Floats:
        """Let the controllers bring the free joints evenly from the last positions to others; where they are then."""
        require_positive("time step", seconds, "s", 0.01)
        begin, self._target = self._target, np.array(targets, dtype=float)
        even = (self._target - begin) / seconds
        given = np.zeros(len(begin))
        time = 0.0
        inertia = self._inertia()
        proportional, derivative = self._turning**2, 2 * self._turning
        integral = self._share * self._turning**3 * inertia
        positions, speeds = self.data.qpos, self.data.qvel
        for step in self._steps(seconds):
            time += step
            off = begin + time * even - positions[self.model.joint_rows]
            slow = even - speeds[self.model.speed_rows]
            wanted = inertia @ (proportional * off + derivative * slow) + self._left
            if self._limited:
                self.efforts = np.clip(wanted, -self._limits, self._limits)
                # A motor at its limit must not wind its controller up.
                self._left += np.where(self.efforts == wanted, step * integral @ off, 0.0)
            else:
                self.efforts = wanted
                self._left += step * integral @ off
            given += step * self.efforts
            self._advance()
        self.efforts = given / seconds
        return self._settled()

    def memory(self) -> Any:
        """The state of MuJoCo, the bonds of hands, and what the controllers remember."""
        state = np.empty(mujoco.mj_stateSize(self.model.compiled, _STATE))
        mujoco.mj_getState(self.model.compiled, self.data, state, _STATE)
        arrays = (state, self.model.compiled.eq_data, self._target, self._left, self.efforts)
        return [array.tolist() for array in arrays]

    def recall(self, memory: Any) -> None:
        """Go back to, or on from, a moment that :meth:`memory` gave."""
        state, bonds, self._target, self._left, self.efforts = (np.array(one, dtype=float) for one in memory)
        self.model.compiled.eq_data[:] = bonds.reshape(self.model.compiled.eq_data.shape)
        mujoco.mj_setState(self.model.compiled, self.data, state, _STATE)
        self._settled()

    def hold(self, item: str, hand: str) -> None:
        """Fasten a loose item to the item of a gripper, as they are now."""
        held, holder = (self._group(name) for name in (item, hand))
        row = mujoco.mj_name2id(self.model.compiled, mujoco.mjtObj.mjOBJ_EQUALITY, hold_name(held, holder))
        if row < 0:
            raise RckError(f"{hand} is no part of a gripper, or {item} is not loose")
        one, other = (self.model.body_of_group[group] for group in (holder, held))
        turn = self.data.xmat[one].reshape(3, 3).T
        bond = self.model.compiled.eq_data[row]
        bond[:3] = 0.0
        bond[3:6] = turn @ (self.data.xpos[other] - self.data.xpos[one])
        bond[6:10] = to_quaternion(turn @ self.data.xmat[other].reshape(3, 3))
        bond[10] = 1.0
        self.data.eq_active[row] = 1

    def let_go(self, item: str) -> None:
        """Let a loose item go."""
        ending = f" holds group-{self._group(item)}"
        for row in range(self.model.compiled.neq):
            name = mujoco.mj_id2name(self.model.compiled, mujoco.mjtObj.mjOBJ_EQUALITY, row)
            if name is not None and name.endswith(ending):
                self.data.eq_active[row] = 0

    def _rates(self) -> tuple[Floats, Floats]:
        """Velocities and accelerations of the items. Shape (items, 6) each."""
        mujoco.mj_rnePostConstraint(self.model.compiled, self.data)
        rates = np.zeros((2, self.model.compiled.nbody, 6))
        for body in range(self.model.compiled.nbody):
            for rate, ask in zip(rates, (mujoco.mj_objectVelocity, mujoco.mj_objectAcceleration), strict=True):
                ask(self.model.compiled, self.data, mujoco.mjtObj.mjOBJ_XBODY, body, rate[body], 0)
        # MuJoCo has the angular part first, and lets everything at rest accelerate against gravity.
        rates = rates[..., [3, 4, 5, 0, 1, 2]]
        rates[1, :, :3] += self.gravity
        places = self.model.arrays.items
        bodies = np.array(self.model.body_of_group)[places["body"]]
        turns = self.data.xmat[bodies].reshape(-1, 3, 3)
        arms = np.einsum("nij,nj->ni", turns, places["body_from_place"][:, :, 3])
        return rates_at(rates[0, bodies], rates[1, bodies], arms)

    def _presses_now(self, share: float) -> list[Press]:
        """Return the forces of the contacts of the last time step, times a share."""
        items = self.model.robot.items
        owner = self.model.item_of_geom
        found = []
        wrench = np.empty(6)
        for number in range(self.data.ncon):
            contact = self.data.contact[number]
            mujoco.mj_contactForce(self.model.compiled, self.data, number, wrench)
            if wrench[0] <= 0.0:
                continue
            # The rows of its frame: the normal, from the first geom to the second, and two along the surface.
            force = share * wrench[:3] @ contact.frame.reshape(3, 3)
            one, other = (owner[geom] for geom in contact.geom)
            if one > other:
                one, other, force = other, one, -force
            found.append(Press((items[one].name, items[other].name), np.array(contact.pos), force))
        return found

    def _group(self, item: str) -> int:
        robot = self.model.robot
        return robot.tree.group_of_item[robot.item_index[robot.item(item).name]]

    def _steps(self, seconds: float) -> Iterator[float]:
        """Yield time steps that take exactly this time together, shorter ones for fast objects; each is set."""
        self._blows, self._seconds = [], seconds
        count = ceil(seconds / self._longest - 1e-9)
        whole, parts = seconds / count, 1
        ahead = seconds
        for number in range(count):
            # What is slow at the beginning is slow to the end.
            if self._flights.joints and (number == 0 or parts > 1):
                travel = whole * (self._flights.fastest(self.data) + self._falling * ahead)
                parts, ahead = min(max(ceil(travel / _TRAVEL), 1), _FINEST), whole
                flags = self.model.compiled.opt.enableflags
                self.model.compiled.opt.enableflags = flags & ~_AHEAD if travel < _SLOW else flags | _AHEAD
            self._set_step(whole / parts)
            for _ in range(parts):
                yield whole / parts

    def _set_step(self, seconds: float) -> None:
        """Set the time step, and make contacts, limits and bonds as stiff as it allows."""
        if seconds != self._step:
            self._step = self.model.compiled.opt.timestep = seconds
            for kind in ("geom", "pair", "jnt", "dof", "eq"):
                getattr(self.model.compiled, f"{kind}_solref")[:, 0] = STIFFNESS * seconds

    def _advance(self) -> None:
        """Make a time step with the efforts as they are."""
        self.data.qfrc_applied[self.model.speed_rows] = self.efforts
        if self._floats:
            self._lift()
        if not self._flights.joints:
            mujoco.mj_step(self.model.compiled, self.data)
        elif self._flights.step(self.model.compiled, self.data):
            self._blows += self._presses_now(self._step / self._seconds)

    def _settled(self) -> Floats:
        """Work out poses and contacts where the steps have led to."""
        if not np.isfinite(self.data.qpos).all():
            raise RckError("the simulation became unstable; use a shorter step or a lower bandwidth of the physics")
        _look(self.model.compiled, self.data)
        mujoco.mj_forwardSkip(self.model.compiled, self.data, mujoco.mjtStage.mjSTAGE_VEL, 1)
        return self.positions

    def _balance(self) -> None:
        """Set the efforts to those that hold the robot still, followers included."""
        mujoco.mj_forward(self.model.compiled, self.data)
        if self._floats:
            self._lift()
            mujoco.mj_forward(self.model.compiled, self.data)
        self.efforts = np.clip(-self.model.led @ self.data.qfrc_smooth, -self._limits, self._limits)

    def _lift(self) -> None:
        """What the water that the bodies displace would weigh carries them, at the middle of their volume."""
        force = np.zeros((len(self.model.volumes), 3))
        force[:, 2] = WATER[0] * GRAVITY["under-water"] * self.model.volumes
        turns = self.data.xmat.reshape(-1, 3, 3)
        arms = np.einsum("nij,nj->ni", turns, self.model.centres) + self.data.xpos - self.data.xipos
        self.data.xfrc_applied[:, :3] = force
        self.data.xfrc_applied[:, 3:] = np.cross(arms, force)

    def _place(self) -> None:
        """Put the joints, followers included, where the robot has them."""
        robot = self.model.robot
        for name, position in joint_positions(robot, robot.positions).items():
            row = mujoco.mj_name2id(self.model.compiled, mujoco.mjtObj.mjOBJ_JOINT, name)
            self.data.qpos[self.model.compiled.jnt_qposadr[row]] = position

    def _inertia(self) -> Floats:
        """Return the inertia of the free joints as they stand, followers included. Shape (free joints, free joints).

        Gains in proportion to it let every joint follow at the bandwidth without overshoot, stretched out or folded,
        whatever the others do.
        """
        columns = np.zeros_like(self.model.led)
        for column, alone in zip(columns, self.model.led, strict=True):
            mujoco.mj_mulM(self.model.compiled, self.data, column, alone)
        inertia: Floats = columns @ self.model.led.T
        return inertia


def _limits(robot: Robot, *, limited: bool) -> Floats:
    """The most that each motor gives. Shape (free joints,), in N m and N."""
    return np.array([joint.effort if limited and joint.effort else np.inf for joint in robot.free_joints], dtype=float)


def _look(compiled: Any, data: Any) -> None:
    """Work out poses, velocities and contacts, and how quickly each contact is to end its slip.

    MuJoCo ends any slip within a few time steps. Its convex model of friction then also pushes the bodies apart, so
    that what slides fast would hop. A limit above anything that friction can do leaves friction as it is, without hops.
    """
    mujoco.mj_step1(compiled, data)
    wanted = data.efc_aref
    if not len(wanted) or np.abs(wanted).max() <= _SLIP_END:
        return
    normals = data.contact.efc_address
    normals = normals[normals >= 0]
    along = normals[:, None] + _ALONG
    ends = np.hypot(*wanted[along].T)
    limits = _SLIP_END + _SLIP_END_BLOW * np.maximum(wanted[normals], 0.0)
    quick = ends > limits
    wanted[along[quick]] *= (limits[quick] / ends[quick])[:, None]


class _Flights:
    """The loose objects: how fast they are, and how they move while nothing touches them."""

    def __init__(self, model: Model) -> None:
        compiled = model.compiled
        joints = np.flatnonzero(compiled.jnt_type == mujoco.mjtJoint.mjJNT_FREE)
        self.joints = len(joints)
        self._bodies = compiled.jnt_bodyid[joints]
        self._places = compiled.jnt_qposadr[joints][:, None] + np.arange(3)
        self._rates = compiled.jnt_dofadr[joints][:, None] + np.arange(6)
        reach = np.linalg.norm(compiled.geom_pos, axis=1) + compiled.geom_rbound
        self._reach = np.array([reach[compiled.geom_bodyid == body].max(initial=0.0) for body in self._bodies])
        self._others = np.flatnonzero(~np.isin(compiled.geom_bodyid, self._bodies))
        self._others_reach = compiled.geom_rbound[self._others]

    def fastest(self, data: Any) -> float:
        """Return the highest speed of a point of a loose object, in m/s; those that fell below everything are out."""
        rates = data.qvel[self._rates]
        speeds = np.linalg.norm(rates[:, :3], axis=1) + self._reach * np.linalg.norm(rates[:, 3:], axis=1)
        lowest = (data.geom_xpos[self._others, 2] - self._others_reach).min(initial=inf)
        inside = data.xpos[self._bodies, 2] + self._reach >= (lowest if lowest < inf else -inf)
        return float(speeds[inside].max(initial=0.0))

    def step(self, compiled: Any, data: Any) -> bool:
        """Make a time step; what nothing touches moves by the mean of its old and new velocities.

        MuJoCo moves bodies by their new velocities, by which a fall gains half a step. Return whether one was hit.
        """
        before = data.qvel[self._rates[:, :3]]
        _look(compiled, data)
        mujoco.mj_step2(compiled, data)
        free = ~data.qfrc_constraint[self._rates].any(axis=1)
        gained = data.qvel[self._rates[:, :3]] - before
        data.qpos[self._places[free]] -= 0.5 * compiled.opt.timestep * gained[free]
        return bool(np.abs(gained).max() > _BLOW * compiled.opt.timestep)
