"""Dynamics of robots and objects in MuJoCo, with motors, joint controllers and buoyancy."""

from collections.abc import Iterator
from math import ceil, inf, pi
from typing import Any

import mujoco
import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.transforms import rates_at, to_quaternion
from rck.hooks import Press, Values
from rck.model.joint_positions import joint_positions
from rck.model.motor import UNKNOWN_MOTOR, EffortLimits, motors_of
from rck.model.robot import Robot
from rck.support.finding import RckError
from rck.support.units import require_positive
from rck_plugins.physics.mujoco.model import GRAVITY, STIFFNESS, WATER, Model, build_model, weld_name

_STATE = mujoco.mjtState.mjSTATE_INTEGRATION
_TRAVEL = 5e-4
"""Largest travel of a loose object per time step, in metres: faster ones need shorter steps."""
_SLOW = 2e-4
"""Travel per time step, in metres, below which speculative contacts are off."""
_SPECULATIVE = int(getattr(mujoco.mjtEnableBit, "mjENBL_SPECULATIVE", 0))
"""Speculative contacts keep fast objects from tunnelling through thin ones; MuJoCo has them from 4.0."""
_MAX_SUBSTEPS = 16
"""Largest number of substeps for fast objects."""
_SLIP_END = 50.0
"""Highest deceleration of a slip by friction, in m/s2: five times gravity..."""
_SLIP_END_IMPACT = 1.5
"""...plus this share of the deceleration of an approach by an impact."""
_TANGENTS = np.array([1, 2])
"""Offsets of the tangential rows of a contact from the row of its normal."""
_IMPACT = 50.0
"""Acceleration of a loose object, in m/s2, that counts as an impact."""


class MujocoWorld:
    """Dynamics of robots and objects that start at rest.

    The motors start with the efforts that hold the robot still, as controllers in a steady state.
    """

    def __init__(self, robot: Robot, values: Values) -> None:
        require_positive("option step of physics mujoco", values["step"], "s", 0.001)
        require_positive("option bandwidth of physics mujoco", values["bandwidth"], "Hz", 8)
        self.model: Model = build_model(robot, values)
        self.data = mujoco.MjData(self.model.compiled)
        self.efforts: Floats = np.zeros(len(self.model.joint_rows))
        self._limits = _limits(self.model.robot, limited=bool(values["limited"]))
        self._limited = self._limits.is_limited
        self._floats = values["environment"] == "under-water"
        self._loose = _LooseBodies(self.model)
        self._impacts: list[Press] = []
        self._seconds = 0.0
        self._longest = float(values["step"])
        self._step = 0.0
        self._set_step(self._longest)
        self._falling = GRAVITY[values["environment"]]
        self._place()
        self._omega = 2 * pi * values["bandwidth"]
        self._integral_gain = values["integral"] / 2
        self._target = self.positions
        self._balance()
        self._integral = self.efforts.copy()

    @property
    def time(self) -> float:
        """Simulated time in seconds."""
        return float(self.data.time)

    @property
    def positions(self) -> Floats:
        """Positions of the free joints. Shape (free joints,), in radians and metres."""
        return np.array(self.data.qpos[self.model.joint_rows])

    @property
    def speeds(self) -> Floats:
        """Velocities of the free joints. Shape (free joints,), in rad/s and m/s."""
        return np.array(self.data.qvel[self.model.speed_rows])

    @property
    def poses(self) -> Floats:
        """World from item. Shape (items, 4, 4)."""
        places = self.model.arrays.items
        poses = np.tile(np.eye(4), (len(places), 1, 1))
        bodies = np.array(self.model.body_of_group)[places["body"]]
        turns = self.data.xmat[bodies].reshape(-1, 3, 3)
        poses[:, :3] = turns @ places["body_from_frame"]
        poses[:, :3, 3] += self.data.xpos[bodies]
        return poses

    @property
    def velocities(self) -> Floats:
        """Velocity of each item, linear over angular, in world axes. Shape (items, 6), in m/s and rad/s."""
        return self._rates()[0]

    @property
    def accelerations(self) -> Floats:
        """Acceleration of each item under the current forces. Shape (items, 6), in m/s2 and rad/s2."""
        return self._rates()[1]

    @property
    def gravity(self) -> Floats:
        """Gravitational acceleration. Shape (3,), in m/s2."""
        return np.array(self.model.compiled.opt.gravity)

    @property
    def presses(self) -> list[Press]:
        """The force at every point of contact.

        These are the current forces, and the impacts during the last step of the simulation, averaged over that step.
        """
        return [*self._impacts, *self._presses_now(1.0)]

    @property
    def energy(self) -> float:
        """Potential and kinetic energy, in J."""
        mujoco.mj_energyPos(self.model.compiled, self.data)
        mujoco.mj_energyVel(self.model.compiled, self.data)
        return float(self.data.energy.sum())

    def step(self, efforts: Floats, seconds: float) -> Floats:
        """Apply an effort to each free joint for a time; return the new positions. Shape (free joints,)."""
        require_positive("time step", seconds, "s", 0.01)
        demand = np.asarray(efforts, dtype=float)
        impulse = np.zeros(len(demand))
        for step in self._steps(seconds):
            self.efforts = self._limits.clip(demand, self.data.qvel[self.model.speed_rows])
            impulse += step * self.efforts
            self._advance()
        self.efforts = impulse / seconds
        return self._update()

    def steer(self, targets: Floats, seconds: float) -> Floats:
        """Let the controllers track targets at constant velocity; return the new positions. Shape (free joints,)."""
        require_positive("time step", seconds, "s", 0.01)
        start, self._target = self._target, np.array(targets, dtype=float)
        velocity = (self._target - start) / seconds
        impulse = np.zeros(len(start))
        time = 0.0
        inertia = self._inertia()
        proportional, derivative = self._omega**2, 2 * self._omega
        integral = self._integral_gain * self._omega**3 * inertia
        positions, speeds = self.data.qpos, self.data.qvel
        for step in self._steps(seconds):
            time += step
            error = start + time * velocity - positions[self.model.joint_rows]
            rate_error = velocity - speeds[self.model.speed_rows]
            demand = inertia @ (proportional * error + derivative * rate_error) + self._integral
            if self._limited:
                self.efforts = self._limits.clip(demand, speeds[self.model.speed_rows])
                # Anti-windup: do not integrate while the motor is at its limit.
                self._integral += np.where(self.efforts == demand, step * integral @ error, 0.0)
            else:
                self.efforts = demand
                self._integral += step * integral @ error
            impulse += step * self.efforts
            self._advance()
        self.efforts = impulse / seconds
        return self._update()

    def memory(self) -> Any:
        """Return the state of MuJoCo, of the welds of grippers and of the controllers."""
        state = np.empty(mujoco.mj_stateSize(self.model.compiled, _STATE))
        mujoco.mj_getState(self.model.compiled, self.data, state, _STATE)
        arrays = (state, self.model.compiled.eq_data, self._target, self._integral, self.efforts)
        return [array.tolist() for array in arrays]

    def recall(self, memory: Any) -> None:
        """Restore the state that :meth:`memory` returned."""
        state, welds, self._target, self._integral, self.efforts = (np.array(values, dtype=float) for values in memory)
        self.model.compiled.eq_data[:] = welds.reshape(self.model.compiled.eq_data.shape)
        mujoco.mj_setState(self.model.compiled, self.data, state, _STATE)
        self._update()

    def hold(self, item: str, hand: str) -> None:
        """Weld a loose item to the item of a gripper in their current poses."""
        held, holder = (self._group(name) for name in (item, hand))
        row = mujoco.mj_name2id(self.model.compiled, mujoco.mjtObj.mjOBJ_EQUALITY, weld_name(held, holder))
        if row < 0:
            raise RckError(f"{hand} is not an item of a gripper, or {item} is not loose")
        first, second = (self.model.body_of_group[group] for group in (holder, held))
        rotation = self.data.xmat[first].reshape(3, 3).T
        weld = self.model.compiled.eq_data[row]
        weld[:3] = 0.0
        weld[3:6] = rotation @ (self.data.xpos[second] - self.data.xpos[first])
        weld[6:10] = to_quaternion(rotation @ self.data.xmat[second].reshape(3, 3))
        weld[10] = 1.0
        self.data.eq_active[row] = 1

    def let_go(self, item: str) -> None:
        """Release a loose item."""
        ending = f" holds group-{self._group(item)}"
        for row in range(self.model.compiled.neq):
            name = mujoco.mj_id2name(self.model.compiled, mujoco.mjtObj.mjOBJ_EQUALITY, row)
            if name is not None and name.endswith(ending):
                self.data.eq_active[row] = 0

    def _rates(self) -> tuple[Floats, Floats]:
        """Return velocities and accelerations of the items. Shape (items, 6) each."""
        mujoco.mj_rnePostConstraint(self.model.compiled, self.data)
        rates = np.zeros((2, self.model.compiled.nbody, 6))
        for body in range(self.model.compiled.nbody):
            for rate, compute in zip(rates, (mujoco.mj_objectVelocity, mujoco.mj_objectAcceleration), strict=True):
                compute(self.model.compiled, self.data, mujoco.mjtObj.mjOBJ_XBODY, body, rate[body], 0)
        # In MuJoCo the angular part comes first, and bodies at rest accelerate against gravity.
        rates = rates[..., [3, 4, 5, 0, 1, 2]]
        rates[1, :, :3] += self.gravity
        places = self.model.arrays.items
        bodies = np.array(self.model.body_of_group)[places["body"]]
        turns = self.data.xmat[bodies].reshape(-1, 3, 3)
        arms = np.einsum("nij,nj->ni", turns, places["body_from_frame"][:, :, 3])
        return rates_at(rates[0, bodies], rates[1, bodies], arms)

    def _presses_now(self, share: float) -> list[Press]:
        """Return the contact forces of the last time step, multiplied by a share."""
        items = self.model.robot.items
        owner = self.model.item_of_geom
        presses = []
        wrench = np.empty(6)
        for number in range(self.data.ncon):
            contact = self.data.contact[number]
            mujoco.mj_contactForce(self.model.compiled, self.data, number, wrench)
            if wrench[0] <= 0.0:
                continue
            # The rows of its frame are the normal, from the first geom to the second, and two tangents.
            force = share * wrench[:3] @ contact.frame.reshape(3, 3)
            first, second = (owner[geom] for geom in contact.geom)
            if first > second:
                first, second, force = second, first, -force
            presses.append(Press((items[first].name, items[second].name), np.array(contact.pos), force))
        return presses

    def _group(self, item: str) -> int:
        robot = self.model.robot
        return robot.tree.group_of_item[robot.item_index[robot.item(item).name]]

    def _steps(self, seconds: float) -> Iterator[float]:
        """Set and yield time steps with exactly this sum, shorter ones for fast objects."""
        self._impacts, self._seconds = [], seconds
        count = ceil(seconds / self._longest - 1e-9)
        whole, parts = seconds / count, 1
        ahead = seconds
        for number in range(count):
            # Objects that are slow at first, allowing for gravity, stay slow.
            if self._loose.joints and (number == 0 or parts > 1):
                travel = whole * (self._loose.fastest(self.data) + self._falling * ahead)
                parts, ahead = min(max(ceil(travel / _TRAVEL), 1), _MAX_SUBSTEPS), whole
                flags = self.model.compiled.opt.enableflags
                self.model.compiled.opt.enableflags = flags & ~_SPECULATIVE if travel < _SLOW else flags | _SPECULATIVE
            self._set_step(whole / parts)
            for _ in range(parts):
                yield whole / parts

    def _set_step(self, seconds: float) -> None:
        """Set the time step, and make contacts, limits and welds as stiff as it allows."""
        if seconds != self._step:
            self._step = self.model.compiled.opt.timestep = seconds
            for kind in ("geom", "pair", "jnt", "dof", "eq"):
                getattr(self.model.compiled, f"{kind}_solref")[:, 0] = STIFFNESS * seconds

    def _advance(self) -> None:
        """Make a time step with the current efforts."""
        self.data.qfrc_applied[self.model.speed_rows] = self.efforts
        if self._floats:
            self._apply_buoyancy()
        if not self._loose.joints:
            mujoco.mj_step(self.model.compiled, self.data)
        elif self._loose.step(self.model.compiled, self.data):
            self._impacts += self._presses_now(self._step / self._seconds)

    def _update(self) -> Floats:
        """Compute poses and contacts after the last step; return the positions. Shape (free joints,)."""
        if not np.isfinite(self.data.qpos).all():
            raise RckError("the simulation became unstable; use a smaller physics step or a lower bandwidth")
        _step1(self.model.compiled, self.data)
        mujoco.mj_forwardSkip(self.model.compiled, self.data, mujoco.mjtStage.mjSTAGE_VEL, 1)
        return self.positions

    def _balance(self) -> None:
        """Set the efforts that hold the robot still, including mimic joints."""
        mujoco.mj_forward(self.model.compiled, self.data)
        if self._floats:
            self._apply_buoyancy()
            mujoco.mj_forward(self.model.compiled, self.data)
        demand = -self._ratios() @ self.data.qfrc_smooth
        self.efforts = self._limits.clip(demand, np.zeros(len(demand)))

    def _apply_buoyancy(self) -> None:
        """Apply buoyancy, the weight of the displaced water, at the centre of volume of each body."""
        force = np.zeros((len(self.model.volumes), 3))
        force[:, 2] = WATER[0] * GRAVITY["under-water"] * self.model.volumes
        turns = self.data.xmat.reshape(-1, 3, 3)
        arms = np.einsum("nij,nj->ni", turns, self.model.centres) + self.data.xpos - self.data.xipos
        self.data.xfrc_applied[:, :3] = force
        self.data.xfrc_applied[:, 3:] = np.cross(arms, force)

    def _place(self) -> None:
        """Set the initial joint positions, including mimic joints."""
        robot = self.model.robot
        for name, position in joint_positions(robot, robot.positions).items():
            row = mujoco.mj_name2id(self.model.compiled, mujoco.mjtObj.mjOBJ_JOINT, name)
            self.data.qpos[self.model.compiled.jnt_qposadr[row]] = position

    def _inertia(self) -> Floats:
        """Return the inertia matrix of the free joints, including mimic joints. Shape (free joints, free joints).

        With gains in proportion to it, every joint tracks at the bandwidth without overshoot in all poses,
        independently of the other joints.
        """
        whole = self._ratios()
        columns = np.zeros_like(whole)
        for column, ratios in zip(columns, whole, strict=True):
            mujoco.mj_mulM(self.model.compiled, self.data, column, ratios)
        inertia: Floats = columns @ whole.T
        return inertia

    def _ratios(self) -> Floats:
        """Return the motion of each degree of freedom per motion of each free joint, here and now."""
        closure = self.model.arrays.closure
        if closure is None:
            return self.model.ratios
        names = [joint.name for joint in closure.joints]
        rows = [self.model.compiled.joint(name).qposadr[0] for name in names]
        ratios: Floats = np.ascontiguousarray(closure.slopes(np.array(self.data.qpos[rows])).T @ self.model.ratios)
        return ratios


def _limits(robot: Robot, *, limited: bool) -> EffortLimits:
    """Return the limits of the motors of the free joints: effort limits and torque-speed lines."""
    motors = motors_of(robot) if limited else {}
    return EffortLimits([motors.get(joint.name, UNKNOWN_MOTOR) for joint in robot.free_joints])


def _step1(compiled: Any, data: Any) -> None:
    """Run `mj_step1`, then limit how quickly contacts end a slip.

    MuJoCo ends any slip within a few time steps. Its convex friction model then also pushes the bodies apart, so that
    fast sliding objects would hop. A limit above any deceleration by friction prevents this and keeps friction itself.
    """
    mujoco.mj_step1(compiled, data)
    targets = data.efc_aref
    if not len(targets) or np.abs(targets).max() <= _SLIP_END:
        return
    normals = data.contact.efc_address
    normals = normals[normals >= 0]
    along = normals[:, None] + _TANGENTS
    ends = np.hypot(*targets[along].T)
    limits = _SLIP_END + _SLIP_END_IMPACT * np.maximum(targets[normals], 0.0)
    quick = ends > limits
    targets[along[quick]] *= (limits[quick] / ends[quick])[:, None]


class _LooseBodies:
    """Loose objects: their speed, and their motion in free flight."""

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
        """Return the highest speed of a point of a loose object, in m/s; ignore those that fell below everything."""
        rates = data.qvel[self._rates]
        speeds = np.linalg.norm(rates[:, :3], axis=1) + self._reach * np.linalg.norm(rates[:, 3:], axis=1)
        lowest = (data.geom_xpos[self._others, 2] - self._others_reach).min(initial=inf)
        inside = data.xpos[self._bodies, 2] + self._reach >= (lowest if lowest < inf else -inf)
        return float(speeds[inside].max(initial=0.0))

    def step(self, compiled: Any, data: Any) -> bool:
        """Make a time step and return whether an object had an impact.

        Objects without contacts move by the mean of their old and new velocities. MuJoCo moves them by the new
        velocity, which makes a fall half a step too long.
        """
        before = data.qvel[self._rates[:, :3]]
        _step1(compiled, data)
        mujoco.mj_step2(compiled, data)
        free = ~data.qfrc_constraint[self._rates].any(axis=1)
        gained = data.qvel[self._rates[:, :3]] - before
        data.qpos[self._places[free]] -= 0.5 * compiled.opt.timestep * gained[free]
        return bool(np.abs(gained).max() > _IMPACT * compiled.opt.timestep)
