"""The solid view: frames of 160 x 90 pixels of random polyhedra, and arbitrary rays, by RCK and by peers.

MuJoCo casts the rays of all pixels from one point through trees of triangles, in double precision, on one core. Embree,
through trimesh, takes rays from anywhere, in single precision. Answers agree when both name the same polyhedron at
the same distance; the difference in the table is the share of rays for which they do not, rays along edges mostly.
"""

from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from itertools import count

import numpy as np

from rck.geometry.arrays import Floats, Ints
from rck.geometry.mesh import make_mesh, triangles
from rck.geometry.transforms import apply
from rck.model import Robot, Visual, build_item, build_robot
from rck.rendering.camera import Camera, fit, named_camera, orbit
from rck.rendering.drawn_surfaces import Geometry
from rck.rendering.picture import QUICK, SCREEN, Finish, draw
from rck.rendering.posed_robot import PosedRobot, pose_robot
from rck.rendering.scene import Scene, floor_for
from rck.rendering.terminal_cells import block_cells
from rck.rendering.viewport import open_window, window_rays
from rck.rendering.visibility import cast, look
from rck.testing.random_solids import heap
from rck_bench.machine import package_version
from rck_bench.report import Report, Row
from rck_bench.timing import rates

ITEMS = 320
"""Number of items; every fourth has two polyhedra, 400 in all."""
WIDTH, HEIGHT = 160, 90
RAYS = 100_000
ALIKE = 1e-5
"""Distances that differ by less, in metres, are equal: single precision has seven digits."""
STRAY = 2e-3
"""Fraction of rays that may differ: those along an edge, within the rounding of single precision."""

Answer = tuple[Ints, Floats]
"""The polyhedron that each ray hits, or -1, and its distance."""


def run(report: Report) -> None:
    """Add the rows of this area."""
    figure = pose_robot(heap(ITEMS, seed=7))
    solids = figure.shapes.arrays.solids
    polyhedra = f"{len(solids.item_of_subitem)} polyhedra"
    what = f"{WIDTH} x {HEIGHT}, {polyhedra} of {len(solids.planes):,} faces"
    camera = fit(named_camera("home"), figure.spheres, WIDTH / HEIGHT, 0.0)
    for name in ("mujoco", "embreex"):
        report.machine[name] = package_version(name)
    _cast_frames(report, f"rays of a frame, {what}", figure, camera)
    _draw_frames(report, f"frame in cells, moving, {what}", figure, camera, QUICK)
    _draw_frames(report, f"frame in cells, 4 samples and shadows, {what}", figure, camera, SCREEN)
    ring = pose_robot(_ring(), geometry=Geometry.VISUAL)
    camera = fit(named_camera("home"), ring.spheres, WIDTH / HEIGHT, 0.0)
    triangles_drawn = f"{len(ring.shapes.solids.planes):,} triangles"
    _draw_frames(report, f"frame in cells, moving, {WIDTH} x {HEIGHT}, {triangles_drawn}", ring, camera, QUICK)
    _cast_anywhere(report, f"{RAYS:,} rays from anywhere, {polyhedra}", figure)


def _ring() -> Robot:
    """Return a robot that shows a torus of 100,000 triangles."""
    from trimesh.creation import torus

    mesh = torus(0.1, 0.04, major_sections=400, minor_sections=125)
    surface = make_mesh(mesh.vertices, mesh.faces.tolist())
    return build_robot("ring", [build_item("ring", [], visuals=[Visual(surface)]).unwrap()]).unwrap()


def _cast_frames(report: Report, what: str, figure: PosedRobot, camera: Camera) -> None:
    window = open_window(camera, WIDTH, HEIGHT)
    steps = count()

    def ours() -> None:
        # Poses are new for every frame, as when the robot moves.
        moved = PosedRobot(figure.shapes, figure.poses)
        look(moved, open_window(orbit(camera, 0.01 * next(steps), 0.0), WIDTH, HEIGHT))

    if find_spec("mujoco") is None:
        report.measure(what, ours, work=1, peer="MuJoCo is not installed (pip install mujoco)", least_rate=30)
        return
    theirs, answer = in_mujoco(figure, *window_rays(window))
    sight = look(figure, window)
    along = window_rays(window)[1] @ window.lens[4]
    mine = sight.subitem.ravel().astype(np.int64), (sight.depth / along).ravel()
    _against(report, what, ours, theirs, "MuJoCo mj_multiRay", _strays(mine, answer()), 1)


def _draw_frames(report: Report, what: str, figure: PosedRobot, camera: Camera, finish: Finish) -> None:
    floor = floor_for(figure)
    steps = count()

    def ours() -> None:
        scene = Scene(PosedRobot(figure.shapes, figure.poses), floor=floor, axes=True)
        turned = orbit(camera, 0.01 * next(steps), 0.0)
        block_cells(draw(scene, turned, WIDTH, HEIGHT, finish=finish).rgb)

    # The target applies to a moving view; a view at rest is drawn once.
    report.measure(what, ours, work=1, peer="", least_rate=30 if finish is QUICK else None)


def _cast_anywhere(report: Report, what: str, figure: PosedRobot) -> None:
    chance = np.random.default_rng(8)
    origins = chance.uniform(-2.0, 2.0, (RAYS, 3))
    origins[:, 2] += np.where(origins[:, 2] < 0.0, -1.0, 1.0)
    directions = chance.uniform(-0.5, 0.5, (RAYS, 3)) - origins
    directions /= np.sqrt((directions**2).sum(axis=1, keepdims=True))
    ours = partial(cast, figure, origins, directions)
    if find_spec("embreex") is None:
        report.measure(what, ours, work=RAYS, peer="Embree is not installed (pip install embreex)")
        return
    theirs, answer = in_embree(figure, origins, directions)
    met = ours()
    mine = met.subitem.astype(np.int64), met.distance
    _against(report, what, ours, theirs, "Embree through trimesh", _strays(mine, answer()), RAYS)


def in_mujoco(
    figure: PosedRobot, origins: Floats, directions: Floats
) -> tuple[Callable[[], object], Callable[[], Answer]]:
    """Return a call that casts the rays in MuJoCo, all from the first origin, and one that returns its answer."""
    import mujoco

    spec = mujoco.MjSpec()
    for number, (vertices, corners) in enumerate(_world_meshes(figure)):
        spec.add_mesh(name=f"mesh-{number}", uservert=vertices.ravel(), userface=corners.ravel(), inertia=2)
        spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname=f"mesh-{number}")
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    eye, along = np.array(origins.reshape(-1, 3)[0]), np.ascontiguousarray(directions).ravel()
    rays = len(along) // 3
    geoms, distances = np.empty(rays, np.int32), np.empty(rays)
    call = partial(
        mujoco.mj_multiRay, model, data, eye, along, None, True, -1, geoms, distances, None, rays, mujoco.mjMAXVAL
    )

    def answer() -> Answer:
        call()
        return geoms.astype(np.int64), np.where(geoms < 0, np.inf, distances)

    return call, answer


def in_embree(
    figure: PosedRobot, origins: Floats, directions: Floats
) -> tuple[Callable[[], object], Callable[[], Answer]]:
    """Return a call that casts the rays in Embree, and one that returns its answer."""
    import trimesh
    from trimesh.ray.ray_pyembree import RayMeshIntersector

    meshes = list(_world_meshes(figure))
    starts = np.cumsum([0, *(len(vertices) for vertices, _ in meshes)])
    corners = np.concatenate([corners + start for (_, corners), start in zip(meshes, starts, strict=False)])
    polyhedron = np.repeat(np.arange(len(meshes)), [len(corners) for _, corners in meshes])
    mesh = trimesh.Trimesh(np.concatenate([vertices for vertices, _ in meshes]), corners, process=False)
    caster = RayMeshIntersector(mesh)
    call = partial(caster.intersects_first, origins, directions)

    def answer() -> Answer:
        triangle = call()
        corner, normal = mesh.triangles[triangle][:, 0], mesh.face_normals[triangle]
        heights = np.einsum("ij,ij->i", corner - origins, normal)
        with np.errstate(divide="ignore", invalid="ignore"):
            distance = heights / np.einsum("ij,ij->i", directions, normal)
        return np.where(triangle < 0, -1, polyhedron[triangle]), np.where(triangle < 0, np.inf, distance)

    return call, answer


def _world_meshes(figure: PosedRobot) -> list[tuple[Floats, Ints]]:
    """Yield the vertices in the world and the triangles of each polyhedron."""
    return [
        (apply(pose, subitem.shape.vertices), triangles(subitem.shape))
        for item, pose in zip(figure.robot.items, figure.poses, strict=True)
        for subitem in item.subitems
    ]


def _strays(mine: Answer, theirs: Answer) -> float:
    """Return the fraction of rays for which two answers differ."""
    with np.errstate(invalid="ignore"):
        apart = abs(mine[1] - theirs[1]) > ALIKE
    return float(np.mean((mine[0] != theirs[0]) | apart))


def _against(
    report: Report,
    what: str,
    ours: Callable[[], object],
    theirs: Callable[[], object],
    peer: str,
    strays: float,
    work: int,
) -> None:
    rate = rates({"ours": ours, "theirs": theirs}, work)
    least = 30.0 if work == 1 else None
    report.rows.append(Row(what, rate["ours"], peer, rate["theirs"], strays, tolerance=STRAY, least_rate=least))
