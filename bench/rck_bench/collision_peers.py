"""Scenes of convex hulls in the peer libraries for collision checking.

Each peer gets the same hulls, one per item, in its recommended and fast configuration:

- pinocchio + coal: the same pairs as RCK; `enable_contact` is set, because with pinocchio's default coal misses real
  overlaps; batches run by `computeCollisionsInParallel`;
- coal, python-fcl: a dynamic tree of boxes finds the candidates, then `collide`; default tolerances;
- MuJoCo: free bodies, no margin, its own broad phase; it finds contact points and depths too, which cannot be
  switched off;
- PyBullet: a collision margin of zero (the default makes hulls 1 mm larger all round); it finds contact points too.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rck.collision.pairs import ordered
from rck.geometry.arrays import Floats, Ints
from rck.geometry.mesh import face_sizes
from rck.geometry.polyhedron import Polyhedron
from rck.geometry.transforms import to_quaternion
from rck.kernels.parallel import available_cores
from rck.model.joint_positions import at_positions
from rck.model.robot import Robot
from rck_bench.pinocchio_model import pinocchio_model

Pairs = set[tuple[int, int]]
"""Pairs of item numbers in contact, the lower first."""


@dataclass(frozen=True)
class Placed:
    """A peer that receives item poses: its step function, and the pairs that it reports."""

    name: str
    prepare: Callable[[Floats], Any]
    """Converts poses of all items, shape (items, 4, 4), to the input of the peer; not timed."""
    step: Callable[[Any], Any]
    """Finds the pairs in contact for that input."""
    pairs: Callable[[Any], Pairs]
    """Converts the result of a step to pairs of items; not timed."""
    tolerance: float = 0.0
    """Fraction of pairs on which the peer may differ, because of its limited precision."""


def coal_pair(one: Polyhedron, other: Polyhedron) -> Callable[[Sequence[Any]], bool]:
    """Return coal's own call for two hulls: it takes their transforms, and returns whether they touch."""
    import coal
    from rck_plugins.collision.coal import convex

    first, second = convex(one), convex(other)
    request, result = coal.CollisionRequest(), coal.CollisionResult()
    request.enable_contact = True

    def collide(places: Sequence[Any]) -> bool:
        result.clear()
        return bool(coal.collide(first, places[0], second, places[1], request, result))

    return collide


def transforms(poses: Floats) -> list[Any]:
    """Return poses, shape (items, 4, 4), as coal takes them."""
    import coal

    return [coal.Transform3s(pose[:3, :3], pose[:3, 3]) for pose in poses]


def coal_scene(shapes: Sequence[Polyhedron]) -> Placed:
    """Create the hulls in coal."""
    import coal
    from rck_plugins.collision.coal import convex

    geometries = [convex(shape) for shape in shapes]
    objects = [coal.CollisionObject(geometry) for geometry in geometries]
    manager = coal.DynamicAABBTreeCollisionManager()
    for one in objects:
        manager.registerObject(one)
    manager.setup()
    callback = coal.CollisionCallBackDefault()
    callback.data.request.num_max_contacts = len(shapes) ** 2
    callback.data.request.enable_contact = True

    def prepare(poses: Floats) -> list[Any]:
        return [coal.Transform3s(pose[:3, :3], pose[:3, 3]) for pose in poses]

    def step(places: list[Any]) -> Any:
        for one, place in zip(objects, places, strict=True):
            one.setTransform(place)
            one.computeAABB()
        manager.update()
        callback.init()
        manager.collide(callback)
        return callback.data.result.getContacts()

    def pairs(contacts: Any) -> Pairs:
        return {ordered(geometries.index(found.o1), geometries.index(found.o2)) for found in contacts}

    return Placed("coal, dynamic tree and collide", prepare, step, pairs)


def fcl_scene(shapes: Sequence[Polyhedron]) -> Placed:
    """Create the hulls in python-fcl."""
    import fcl

    geometries = [fcl_convex(shape) for shape in shapes]
    objects = [fcl.CollisionObject(geometry) for geometry in geometries]
    numbers = {id(geometry): number for number, geometry in enumerate(geometries)}
    manager = fcl.DynamicAABBTreeCollisionManager()
    manager.registerObjects(objects)
    manager.setup()
    request = fcl.CollisionRequest(num_max_contacts=len(shapes) ** 2, enable_contact=True)

    def prepare(poses: Floats) -> list[Any]:
        return [fcl.Transform(pose[:3, :3], pose[:3, 3]) for pose in poses]

    def step(places: list[Any]) -> Any:
        for one, place in zip(objects, places, strict=True):
            one.setTransform(place)
        manager.update(objects)
        data = fcl.CollisionData(request=request)
        manager.collide(data, fcl.defaultCollisionCallback)
        return data.result.contacts

    def pairs(contacts: Any) -> Pairs:
        return {ordered(numbers[id(found.o1)], numbers[id(found.o2)]) for found in contacts}

    return Placed("python-fcl, dynamic tree and collide", prepare, step, pairs)


def fcl_convex(shape: Polyhedron) -> Any:
    """Create the polyhedron in python-fcl."""
    import fcl

    counts = face_sizes(shape)
    # For each face, the number of its corners, then the corners.
    return fcl.Convex(shape.vertices, len(counts), np.insert(shape.face_vertices, shape.face_offsets[:-1], counts))


def mujoco_scene(shapes: Sequence[Polyhedron]) -> Placed:
    """Create the hulls in MuJoCo."""
    import mujoco

    spec = mujoco.MjSpec()
    for number, shape in enumerate(shapes):
        body = spec.worldbody.add_body()
        body.add_freejoint()
        body.explicitinertial, body.mass, body.inertia = True, 1.0, (1.0, 1.0, 1.0)
        mesh = spec.add_mesh(name=str(number))
        mesh.uservert = shape.vertices.ravel()
        mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_CONVEX
        body.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname=str(number))
    model = spec.compile()
    data = mujoco.MjData(model)

    def prepare(poses: Floats) -> Floats:
        return np.column_stack([poses[:, :3, 3], quaternions(poses)]).ravel()

    def step(positions: Floats) -> Ints:
        data.qpos[:] = positions
        mujoco.mj_kinematics(model, data)
        mujoco.mj_collision(model, data)
        geoms: Ints = data.contact.geom
        return geoms

    def pairs(geoms: Ints) -> Pairs:
        return {ordered(a, b) for a, b in geoms.tolist()}

    return Placed("MuJoCo mj_kinematics and mj_collision", prepare, step, pairs)


def pybullet_scene(shapes: Sequence[Polyhedron]) -> Placed:
    """Create the hulls in PyBullet."""
    import pybullet

    client = pybullet.connect(pybullet.DIRECT)
    bodies = []
    for shape in shapes:
        vertices = shape.vertices.tolist()
        hull = pybullet.createCollisionShape(pybullet.GEOM_MESH, vertices=vertices, physicsClientId=client)
        bodies.append(pybullet.createMultiBody(1.0, hull, physicsClientId=client))
        pybullet.changeDynamics(bodies[-1], -1, collisionMargin=0.0, physicsClientId=client)

    def prepare(poses: Floats) -> list[tuple[list[float], list[float]]]:
        turns = np.roll(quaternions(poses), -1, axis=1).tolist()
        return list(zip(poses[:, :3, 3].tolist(), turns, strict=True))

    def step(places: list[tuple[list[float], list[float]]]) -> Any:
        for body, (place, turn) in zip(bodies, places, strict=True):
            pybullet.resetBasePositionAndOrientation(body, place, turn, physicsClientId=client)
        pybullet.performCollisionDetection(client)
        return pybullet.getContactPoints(physicsClientId=client)

    def pairs(points: Any) -> Pairs:
        # Points at a small distance are listed too; column 8 is the distance.
        return {ordered(point[1], point[2]) for point in points if point[8] <= 0.0}

    # Bullet computes the depth to tenths of a millimetre.
    return Placed("PyBullet performCollisionDetection", prepare, step, pairs, tolerance=1e-3)


SCENES: dict[str, Callable[[Sequence[Polyhedron]], Placed]] = {
    "mujoco": mujoco_scene,
    "coal": coal_scene,
    "fcl": fcl_scene,
    "pybullet": pybullet_scene,
}
"""By name of the required module."""


@dataclass(frozen=True)
class Pinocchio:
    """A robot in pinocchio with coal: contacts for joint vectors, including kinematics."""

    any: Callable[[Floats], bool]
    """Returns True if there is a contact; stops at the first pair."""
    all: Callable[[Floats], object]
    """Checks every pair."""
    pairs: Callable[[Floats], Pairs]
    """Returns the pairs of items in contact."""
    batch: Callable[[Floats, int], object]
    """Returns whether there is a contact at each joint vector, shape (batch, joints), on a number of cores."""


def in_pinocchio(robot: Robot, tested: Ints) -> Pinocchio:
    """Create the robot, with at most one hull per item and joint axes along z of their frames."""
    import pinocchio as pin
    from rck_plugins.collision.coal import convex

    # Pinocchio's frames are those with all joints at zero.
    robot = at_positions(robot, np.zeros(len(robot.free_joints)))
    made = pinocchio_model(robot)
    model = made.model
    geometry = pin.GeometryModel()
    object_of_item: dict[int, int] = {}
    for number, item in enumerate(robot.items):
        if item.subitems:
            placement = made.placement(number, item.pose)
            one = pin.GeometryObject(item.name, made.joint_of_item[number], placement, convex(item.subitems[0].shape))
            object_of_item[number] = geometry.addGeometryObject(one)
    pairs = [(a, b) for a, b in tested.tolist() if a in object_of_item and b in object_of_item]
    for a, b in pairs:
        geometry.addCollisionPair(pin.CollisionPair(object_of_item[a], object_of_item[b]))
    data, geometry_data = model.createData(), geometry.createData()
    for request in geometry_data.collisionRequests:
        request.enable_contact = True
    pool = pin.GeometryPool(model, geometry, available_cores())
    for pooled in pool.getGeometryDatas():
        for request in pooled.collisionRequests:
            request.enable_contact = True

    def touch(vector: Floats) -> bool:
        return bool(pin.computeCollisions(model, data, geometry, geometry_data, vector, True))

    def look_at_all(vector: Floats) -> bool:
        return bool(pin.computeCollisions(model, data, geometry, geometry_data, vector, False))

    def touching(vector: Floats) -> Pairs:
        look_at_all(vector)
        results = geometry_data.collisionResults
        return {pair for pair, result in zip(pairs, results, strict=True) if result.isCollision()}

    def batch(vectors: Floats, cores: int) -> object:
        return pin.computeCollisionsInParallel(cores, pool, np.asfortranarray(vectors.T), True)

    return Pinocchio(touch, look_at_all, touching, batch)


def quaternions(poses: Floats) -> Floats:
    """Return the quaternions of poses, w first. Shape (N, 4)."""
    return np.array([to_quaternion(pose) for pose in poses])
