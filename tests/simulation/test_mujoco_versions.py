"""Accelerations with many degrees of freedom, at which MuJoCo stores the Jacobian of the constraints sparsely."""

import numpy as np
import pytest
from rck_tests import block

from rck.hooks import discover
from rck.hooks.options import read_options
from rck.model import Mimic, build_joint, build_robot
from rck.simulation.motor_loads import physics_named

mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")

DEFECT = mujoco.__version__ == "4.0.0"
"""True if MuJoCo factorises the sparse Hessian of its solver incorrectly (issue 3767, fixed in 4.0.1)."""


def imbalance(model, data):
    """How far the accelerations are from the equations of motion, relative to the largest force.

    They hold if M (qacc - smooth acceleration) is the force J^T f of the constraints at these accelerations. MuJoCo's
    solver finds the accelerations with a factorised Hessian, which this does not use.
    """
    mass, dense = np.zeros((model.nv, model.nv)), np.zeros((data.nefc, model.nv))
    try:
        mujoco.mj_fullM(model, data, mass)
    except TypeError:
        # The arguments of MuJoCo before 4.0.
        mujoco.mj_fullM(model, mass, data.qM)
    if mujoco.mj_isSparse(model):
        rows = (data.efc_J_rownnz, data.efc_J_rowadr, data.efc_J_colind)
        mujoco.mju_sparse2dense(dense, np.array(data.efc_J), *rows)
    else:
        dense[:] = np.array(data.efc_J).reshape(dense.shape)
    accelerations = np.array(data.qacc)
    mujoco.mj_constraintUpdate(model, data, dense @ accelerations - data.efc_aref, None, 0)
    needed = mass @ (accelerations - data.qacc_smooth)
    return float(abs(needed - dense.T @ data.efc_force).max() / abs(needed).max())


def chains(jacobian):
    """Six chains of eight bodies on the floor, with limits, friction, and links between the chains."""

    def chain(name, place):
        text = f'<body name="{name}0" pos="{place}"><freejoint/><geom size=".05" mass="1"/>'
        for number in range(1, 8):
            axis = "0 1 0" if number % 2 else "0 0 1"
            text += f'<body name="{name}{number}" pos=".12 0 0"><geom size=".05" mass="1"/>'
            text += f'<joint axis="{axis}" range="-.1 .1" frictionloss=".01"/>'
            if number % 3 == 0:
                text += '<body pos="0 .12 0"><joint axis="1 0 0"/><geom size=".05" mass=".5"/></body>'
        return text + "</body>" * 8

    bodies = "".join(chain(f"c{n}_", f"0 {0.09 * n} .049") for n in range(6))
    links = "".join(f'<connect body1="c{n}_2" body2="c{n + 1}_2" anchor="0 0 0"/>' for n in range(5))
    options = f'<option jacobian="{jacobian}" cone="elliptic" tolerance="1e-14" iterations="500" ls_iterations="200"/>'
    compiler = '<compiler angle="radian"/>'
    world = f'<worldbody><geom type="plane" size="5 5 .1"/>{bodies}</worldbody><equality>{links}</equality>'
    return mujoco.MjModel.from_xml_string(f"<mujoco>{options}{compiler}{world}</mujoco>")


def worst_imbalance(model, states=5):
    dice = np.random.default_rng(0)
    found = []
    for _ in range(states):
        data = mujoco.MjData(model)
        mujoco.mj_integratePos(model, data.qpos, dice.normal(0, 0.02, model.nv), 1.0)
        data.qvel[:] = dice.normal(0, 0.1, model.nv)
        mujoco.mj_forward(model, data)
        found.append(imbalance(model, data))
    return max(found)


def test_dense_jacobians_give_right_accelerations():
    assert worst_imbalance(chains("dense")) < 1e-6


@pytest.mark.skipif(DEFECT, reason="MuJoCo 4.0.0 has the defect")
def test_sparse_jacobians_give_right_accelerations():
    assert worst_imbalance(chains("sparse")) < 1e-6


@pytest.mark.skipif(not DEFECT, reason="only MuJoCo 4.0.0 has the defect")
def test_sparse_jacobians_of_mujoco_4_0_0_give_wrong_accelerations():
    assert worst_imbalance(chains("sparse")) > 0.01


def test_physics_of_many_objects_avoids_the_defect():
    engine = physics_named(discover(), "mujoco")
    places = [(0.11 * x, 0.103 * y, 0.1 * z + 0.05) for x in range(3) for y in range(3) for z in range(3)]
    heap = [block(f"box-{number}", place, mobile=True) for number, place in enumerate(places)]
    items = [block("floor", (0, 0, -0.5), (5, 5, 1)), block("arm", (1, 0, 1)), block("hand", (1, 0, 1.2)), *heap]
    joints = [
        build_joint("lift", "prismatic", "floor", "arm", limits=(0.0, 1.0)).unwrap(),
        build_joint("follow", "prismatic", "arm", "hand", mimic=Mimic("lift", 2.0), friction=0.1).unwrap(),
    ]
    world = engine.make(build_robot("heap", items, joints).unwrap(), read_options(engine.options, {}))
    model, data = world.model.compiled, world.data
    assert model.nv > 60
    assert bool(mujoco.mj_isSparse(model)) != DEFECT
    world.step(np.zeros(1), 0.01)
    model.opt.tolerance, model.opt.iterations = 1e-14, 500
    mujoco.mj_forward(model, data)
    assert data.ncon > 20
    assert imbalance(model, data) < 1e-6
