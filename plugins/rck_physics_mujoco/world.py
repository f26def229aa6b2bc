"""A world under forces: motors push, controllers steer, water carries."""

from math import pi
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
from rck_physics_mujoco.model import GRAVITY, WATER, Model, build_model, hold_name

_STATE = mujoco.mjtState.mjSTATE_INTEGRATION


class MujocoWorld:
    """The physics of a robot and of the objects round it, from where they stand, at rest."""

    def __init__(self, robot: Robot, values: Values) -> None:
        if not values["step"] > 0:
            raise RckError("the step of physics takes a time above zero")
        self.model: Model = build_model(robot, values)
        self.data = mujoco.MjData(self.model.compiled)
        self.efforts: Floats = np.zeros(len(self.model.joint_rows))
        self._limits = _limits(self.model.robot, limited=bool(values["limited"]))
        self._floats = values["environment"] == "under-water"
        self._place()
        mujoco.mj_forward(self.model.compiled, self.data)
        self._turning = 2 * pi * values["bandwidth"]
        self._share = values["integral"] / 2
        self._target = self.positions
        self._left = np.zeros(len(self.efforts))

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
        """What presses on what, and how hard, at every point of contact."""
        items = self.model.robot.items
        owner = self.model.item_of_geom
        found = []
        wrench = np.empty(6)
        for number in range(self.data.ncon):
            contact = self.data.contact[number]
            mujoco.mj_contactForce(self.model.compiled, self.data, number, wrench)
            # The rows of its frame: the normal, from the first geom to the second, and two along the surface.
            force = wrench[:3] @ contact.frame.reshape(3, 3)
            one, other = (owner[geom] for geom in contact.geom)
            if one > other:
                one, other, force = other, one, -force
            found.append(Press((items[one].name, items[other].name), np.array(contact.pos), force))
        return found

    @property
    def energy(self) -> float:
        """Potential and kinetic, in J."""
        mujoco.mj_energyPos(self.model.compiled, self.data)
        mujoco.mj_energyVel(self.model.compiled, self.data)
        return float(self.data.energy.sum())

    def step(self, efforts: Floats, seconds: float) -> Floats:
        """Apply an effort to each free joint for a time; the positions after it. Shape (free joints,)."""
        self.efforts = np.clip(np.asarray(efforts, dtype=float), -self._limits, self._limits)
        if self._floats:
            for _ in range(self._steps(seconds)):
                self._advance()
        else:
            self._advance(self._steps(seconds))
        return self._settled()

    def steer(self, targets: Floats, seconds: float) -> Floats:
        """Let the controllers bring the free joints evenly from the last positions to others; where they are then."""
        begin, self._target = self._target, np.array(targets, dtype=float)
        steps = self._steps(seconds)
        step = float(self.model.compiled.opt.timestep)
        even = (self._target - begin) / (steps * step)
        given = np.zeros(len(begin))
        proportional, integral, derivative = self._gains()
        for number in range(1, steps + 1):
            off = begin + number / steps * (self._target - begin) - self.data.qpos[self.model.joint_rows]
            slow = even - self.data.qvel[self.model.speed_rows]
            wanted = proportional * off + self._left + derivative * slow
            self.efforts = np.clip(wanted, -self._limits, self._limits)
            # A motor at its limit must not wind its controller up.
            self._left += np.where(self.efforts == wanted, integral * off * step, 0.0)
            given += self.efforts / steps
            self._advance()
        self.efforts = given
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

    def _group(self, item: str) -> int:
        robot = self.model.robot
        return robot.tree.group_of_item[robot.item_index[robot.item(item).name]]

    def _steps(self, seconds: float) -> int:
        return max(round(seconds / float(self.model.compiled.opt.timestep)), 1)

    def _advance(self, steps: int = 1) -> None:
        self.data.qfrc_applied[self.model.speed_rows] = self.efforts
        if self._floats:
            self._lift()
        mujoco.mj_step(self.model.compiled, self.data, nstep=steps)
        if not np.isfinite(self.data.qpos).all():
            raise RckError("the physics has burst: make its step shorter, or the bandwidth lower")

    def _settled(self) -> Floats:
        """Work out poses and contacts where the steps have led to, without changing where the next one begins."""
        begin = self.data.qacc_warmstart.copy()
        mujoco.mj_forward(self.model.compiled, self.data)
        self.data.qacc_warmstart[:] = begin
        return self.positions

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

    def _inertia(self, row: int) -> float:
        """What a joint has to move, as it stands, while all others are held, in kg m2 or kg."""
        alone, moved = np.zeros(self.model.compiled.nv), np.zeros(self.model.compiled.nv)
        alone[row] = 1.0
        mujoco.mj_mulM(self.model.compiled, self.data, moved, alone)
        return float(moved[row])

    def _gains(self) -> tuple[Floats, Floats, Floats]:
        """Gains by which each joint, with the inertia that it has now, follows at the bandwidth without overshoot.

        An arm that is stretched out has many times the inertia of one that is folded: gains that fit one let the other
        swing.
        """
        own = np.array([self._inertia(row) for row in self.model.speed_rows])
        proportional = own * self._turning**2
        return proportional, proportional * self._turning * self._share, 2 * own * self._turning


def _limits(robot: Robot, *, limited: bool) -> Floats:
    """The most that each motor gives. Shape (free joints,), in N m and N."""
    return np.array([joint.effort if limited and joint.effort else np.inf for joint in robot.free_joints], dtype=float)
