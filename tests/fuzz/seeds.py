"""Valid files of every importer and native format, from which the fuzzer makes damaged ones."""

import asyncio
import io
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

import msgspec

EXAMPLES = Path(__file__).parents[2] / "examples"
TESTS = Path(__file__).parents[1]

XACRO = b"""<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:arg name="mass" default="3"/><xacro:property name="length" value="0.4"/>
<xacro:include filename="macros.xacro"/>
<xacro:macro name="bar" params="n"><link name="l${n}">
<inertial><mass value="$(arg mass)"/></inertial></link></xacro:macro>
<xacro:bar n="0"/><xacro:bar n="1"/><xacro:turn parent="l0" child="l1" z="${length / 2}"/></robot>"""
MACROS = b"""<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:macro name="turn" params="parent child z">
<joint name="${parent}_${child}" type="revolute"><parent link="${parent}"/><child link="${child}"/>
<origin xyz="0 0 ${z}"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
</xacro:macro></robot>"""
URDF = b"""<robot name="arm">
<link name="a"><visual><geometry><mesh filename="package://robot/cube.stl" scale="1 2 1"/></geometry>
<material name="red"><color rgba="1 0 0 1"/></material></visual>
<collision><origin xyz="0 0 1" rpy="0 0.5 0"/><geometry><cylinder radius="0.1" length="0.5"/></geometry></collision>
<inertial><origin xyz="0 0 0.5"/><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
</link>
<link name="b"><collision><geometry><box size="0.1 0.2 0.3"/></geometry></collision></link>
<link name="c"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
<joint name="j" type="revolute"><origin xyz="0 0 1"/><parent link="a"/><child link="b"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="5" velocity="2"/><dynamics damping="0.1" friction="0.2"/></joint>
<joint name="k" type="prismatic"><parent link="b"/><child link="c"/><axis xyz="1 0 0"/>
<limit lower="0" upper="1" effort="5" velocity="2"/><mimic joint="j" multiplier="0.5" offset="0.1"/></joint>
<transmission name="t"><type>x</type><joint name="j"/><actuator name="m"/></transmission>
<gazebo reference="b"><mu1>0.4</mu1></gazebo></robot>"""
SRDF = b"""<robot name="arm"><group name="all"><joint name="j"/><chain base_link="a" tip_link="c"/></group>
<group_state name="home" group="all"><joint name="j" value="0.5"/></group_state>
<end_effector name="hand" parent_link="c" group="all"/>
<virtual_joint name="v" type="floating" parent_frame="world" child_link="a"/>
<disable_collisions link1="a" link2="b" reason="Adjacent"/></robot>"""
MJCF = b"""<mujoco model="arm"><compiler angle="degree" meshdir="." eulerseq="xyz"/>
<default><joint damping="0.5"/><default class="arm"><geom type="capsule" size="0.04 0.1"/></default></default>
<asset><mesh name="cube" file="cube.stl" scale="0.1 0.1 0.1"/><mesh name="own" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/>
<model name="other" file="other.xml"/></asset>
<include file="included.xml"/>
<worldbody><body name="a" pos="0 0 1" childclass="arm"><joint name="j" type="hinge" axis="0 1 0" range="-90 90"/>
<geom type="mesh" mesh="cube" mass="1"/><site name="s" pos="0 0 1"/>
<frame euler="0 0 30"><replicate count="3" offset="0.1 0 0" euler="0 0 10"><geom type="sphere" size="0.02" pos="1 0 0"/>
<replicate count="2" offset="0 0.1 0"><body><geom size="0.01 0.02"/></body></replicate></replicate></frame>
<body name="b" pos="0 0 0.3"><joint name="k" type="slide" axis="1 0 0" range="0 1"/>
<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><geom type="mesh" mesh="own"/>
<attach model="other" body="x" prefix="o-"/></body></body></worldbody>
<actuator><motor joint="j" gear="10" ctrlrange="-1 1"/><position joint="k" kp="20"/></actuator>
<equality><joint joint1="j" joint2="k" polycoef="0 1 0 0 0"/></equality>
<keyframe><key name="home" qpos="0.1 0.2"/></keyframe></mujoco>"""
MJCF_OTHER = b"""<mujoco><worldbody><body name="x"><geom type="box" size="0.1 0.2 0.1"/></body></worldbody></mujoco>"""
MJCF_INCLUDED = (
    b"""<mujoco><worldbody><body name="w"><geom type="ellipsoid" size="0.1 0.2 0.1"/></body></worldbody></mujoco>"""
)
SDF = b"""<sdf version="1.9"><world name="w">
<model name="m"><pose>0 0 1 0 0 0.5</pose><frame name="f"><pose relative_to="a">0 0 0.2 0 0 0</pose></frame>
<link name="a"><inertial auto="true"/><collision name="c"><density>900</density>
<geometry><mesh><uri>cube.stl</uri><scale>0.1 0.1 0.1</scale></mesh></geometry></collision></link>
<link name="b"><pose relative_to="f">0 0 1 0 0 0</pose><collision name="d"><geometry><cylinder><radius>0.1</radius>
<length>0.2</length></cylinder></geometry></collision></link>
<joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><xyz expressed_in="f">0 0 1</xyz>
<limit><lower>-1</lower><upper>1</upper></limit><mimic joint="k"><multiplier>2</multiplier></mimic></axis></joint>
<joint name="k" type="universal"><parent>world</parent><child>a</child><axis><xyz>1 0 0</xyz></axis>
<axis2><xyz>0 1 0</xyz></axis2></joint></model>
<include><uri>model://robot/other.sdf</uri><name>first</name><pose>1 0 0 0 0 0</pose></include>
<include><uri>other.sdf</uri><name>second</name></include></world></sdf>"""
SDF_OTHER = b"""<sdf version="1.7"><model name="o"><link name="l"><collision name="c"><geometry>
<box><size>1 1 1</size></box></geometry></collision></link></model></sdf>"""
MANIFEST = b"""part: toys/link
name: Link
vendor: ACME
category: structure/tube
summary: A bar with a flange at each end
source: made up for tests
units: {length: mm, mass: g}
parameters:
  length: {default: 200, min: 50, max: 500, unit: mm, summary: from end to end}
  holes: {default: 4, min: 2, max: 8, step: 2}
items:
  bar:
    mass: "${length/2}"
    shapes:
      - {box: ["${length}", 20, 10], at: ["${length/2}", 0, 0]}
      - {cylinder: {diameter: 10, length: 20}, at: [100, 0, 0]}
  tip:
    density: 2700
    shapes:
      - {mesh: cube.stl, at: [10, 0, 0]}
joints:
  j: {base: bar, moves: tip, revolute: z, at: ["${length}", 0, 0], limits: [-90, 90], speed: 3}
ports:
  a: {on: bar, at: [0, 0, 0], z: -x, type: flange, gender: male}
  b: {on: tip, at: [10.5, 0, 0], z: x, type: flange, gender: female}
figures: {payload: 2.5, reach: 800}
tags: [bar, beam]
"""
EVENTS = b"""events:
- {at: 0, until: 2, move: arm/waist, by: 45 deg}
- {at: 2, close: arm}
- {at: 3, say: there it is}
- {at: 3.5, until: 4, move: arm/waist, by: -10 deg}
- {at: 4, open: arm}
"""
PORT_TYPES = b"""port-types:
  house-N:
    summary: four holes on a circle of N mm
    male: flanges
    female: tools
    sources: [made up for tests]
    holes:
      - {circle: N, count: 4, thread: M4}
    load: [axial, moment]
"""
INDEX = b"""plugins:
- {name: rck-lidars, summary: lidars, kinds: [sensors], install: pip install rck-lidars}
"""
CLOUD = b"""# .PCD v0.7
VERSION 0.7
FIELDS x y z
SIZE 4 4 4
TYPE F F F
COUNT 1 1 1
WIDTH 8
HEIGHT 1
VIEWPOINT 0 0 0 1 0 0 0
POINTS 8
DATA ascii
"""


@dataclass(frozen=True)
class Seed:
    """A valid file, how it is read, and the files next to it."""

    name: str
    """Name of the file."""
    content: bytes
    target: str = "import"
    """The function of `readers.py` that reads it."""
    options: Mapping[str, str] = field(default_factory=dict)
    neighbours: Mapping[str, bytes] = field(default_factory=dict)
    weight: int = 4


def all_seeds(work: Path) -> list[Seed]:
    """Return the seeds; `work` is an empty folder for files that are exported."""
    return [*_meshes(), *_robots(), *_historic(), *_drawings(), *_native(), *_exported(work)]


def cube() -> bytes:
    """Return a binary STL file."""
    import trimesh

    return bytes(trimesh.creation.box().export(file_type="stl"))


def _meshes() -> list[Seed]:
    import trimesh

    hull = {"convex": "hull", "items": "objects"}
    body = trimesh.creation.icosphere(subdivisions=1)
    scene = trimesh.Scene([body, trimesh.creation.box().apply_translation((3, 0, 0))])
    seeds = [
        Seed(f"solid.{kind}", _bytes(body.export(file_type=kind)), options=hull)
        for kind in ("stl", "stl_ascii", "ply", "off", "obj")
    ]
    seeds += [Seed("ascii.ply", _bytes(body.export(file_type="ply", encoding="ascii")), options=hull)]
    seeds += [Seed(f"scene.{kind}", _bytes(scene.export(file_type=kind)), options=hull) for kind in ("glb", "3mf")]
    seeds.append(Seed("scene.dae", _bytes(body.export(file_type="dae")), options=hull))
    gltf = scene.export(file_type="gltf")
    seeds.append(Seed("scene.gltf", _bytes(gltf.pop("model.gltf")), options=hull, neighbours=gltf))
    material = b"mtllib solid.mtl\nusemtl red\n" + _bytes(trimesh.creation.box().export(file_type="obj"))
    seeds.append(Seed("painted.obj", material, options=hull, neighbours={"solid.mtl": b"newmtl red\nKd 1 0 0\n"}))
    seeds.append(Seed("cut.stl", cube(), options={"convex": "cut"}, weight=1))
    renamed = {"solid.stl_ascii": "ascii.stl"}
    points = b"".join(b"%d %d %d\n" % (n & 1, n >> 1 & 1, n >> 2) for n in range(8))
    clouds = {"cloud.pcd": CLOUD + points, "cloud.xyz": points, "cloud.pts": b"8\n" + points}
    open3d = {"solid": "boxes", "grid": "200 mm", "most-boxes": "500"}
    return [
        *(
            Seed(renamed.get(one.name, one.name), one.content, "import", one.options, one.neighbours, one.weight)
            for one in seeds
        ),
        *(Seed(name, content, options=open3d, weight=2) for name, content in clouds.items()),
    ]


def _bytes(content: bytes | str) -> bytes:
    return content.encode() if isinstance(content, str) else bytes(content)


def _robots() -> list[Seed]:
    stl = {"cube.stl": cube()}
    step = (TESTS / "importers" / "data" / "plate-in-mm.step").read_bytes()
    return [
        Seed("arm.urdf", URDF, neighbours=stl, weight=8),
        Seed("arm.urdf.xacro", XACRO, neighbours={"macros.xacro": MACROS}, weight=1),
        Seed("arm.srdf", SRDF, neighbours={**stl, "arm.urdf": URDF}),
        Seed("arm.xml", MJCF, neighbours={**stl, "other.xml": MJCF_OTHER, "included.xml": MJCF_INCLUDED}, weight=8),
        Seed("world.sdf", SDF, neighbours={**stl, "other.sdf": SDF_OTHER}, weight=8),
        Seed("plate.step", step, options={"convex": "hull"}, weight=3),
        *(
            Seed(f"{name}.step", (TESTS / "importers" / "data" / "step" / f"{name}.step").read_bytes(), weight=1)
            for name in ("gearbox", "drilled-sphere", "spline-dome", "turned-shaft")
        ),
        Seed("linkage.usda", (TESTS / "importers" / "data" / "converted-linkage.usda").read_bytes(), weight=2),
    ]


def _historic() -> list[Seed]:
    data = TESTS / "formats" / "data"
    chain = {path.name: path.read_bytes() for path in sorted(data.glob("arm.*"))}
    seeds = [Seed(path.name, path.read_bytes(), weight=3) for path in (data / "plate.seffas", data / "simple.robot")]
    seeds.append(Seed("lingman-arm.robot", (EXAMPLES / "lingman-arm.robot").read_bytes(), weight=3))
    seeds.append(Seed("pick.events", (data / "pick.events").read_bytes(), weight=2))
    return seeds + [Seed(name, content, neighbours=chain, weight=1) for name, content in chain.items()]


def _drawings() -> list[Seed]:
    import ezdxf
    from ezdxf.render import forms

    options = {"thickness": "4 mm", "most-entities": "20000", "hull": "yes"}
    seeds = [Seed("side.dxf", (EXAMPLES / "side.dxf").read_bytes(), options=options)]
    for version in ("R12", "R2000", "R2018"):
        drawing = ezdxf.new(version, units=4)
        layout = drawing.modelspace()
        forms.cube().render_3dfaces(layout)
        forms.cube().translate(5).render_polyface(layout)
        layout.add_circle((10, 30), 3)
        layout.add_arc((80, 0), 5, 0, 180)
        layout.add_line((75, 0), (85, 0))
        block = drawing.blocks.new("B")
        block.add_circle((0, 0), 2)
        layout.add_blockref("B", (100, 0), dxfattribs={"row_count": 2, "row_spacing": 9})
        if version != "R12":
            forms.cube().translate(10).render_mesh(layout)
            layout.add_lwpolyline([(0, 20), (30, 20, 0.5), (30, 40), (0, 40)], format="xyb", close=True)
            layout.add_spline([(40, 80, 0), (50, 80, 0), (50, 90, 0), (40, 80, 0)])
        text, binary = io.StringIO(), io.BytesIO()
        drawing.write(text)
        drawing.write(binary, fmt="bin")
        seeds.append(Seed(f"{version}.dxf", text.getvalue().encode(), options=options))
        seeds.append(Seed(f"{version}-binary.dxf", binary.getvalue(), options=options, weight=1))
    return seeds


def _native() -> list[Seed]:
    examples = {
        path.name: path.read_bytes() for path in sorted(EXAMPLES.iterdir()) if path.suffix in (".rck", ".rcks", ".rckp")
    }
    recipe = b"""options: {thickness: 4 mm, hull: true}
items:
  side: [plate-1]
leave-out: [text-*]
masses: {side: 2 kg}
"""
    drawing = {"side.dxf": (EXAMPLES / "side.dxf").read_bytes()}
    seeds = [
        Seed(name, examples[name], "assembly", neighbours=examples, weight=3)
        for name in examples
        if name.endswith(".rck")
    ]
    seeds += [Seed(name, examples[name], "script", neighbours=examples) for name in ("desk-cell.rcks", "gantry.rcks")]
    seeds += [
        Seed(name, examples[name], "program", neighbours=examples) for name in ("desk-pick.rckp", "puma-pick.rckp")
    ]
    return [
        *seeds,
        Seed("link.yaml", MANIFEST, "manifest", neighbours={"cube.stl": cube()}, weight=8),
        Seed("side.dxf.recipe.yaml", recipe, "recipe", neighbours=drawing),
        Seed("pick.yaml", EVENTS, "events", neighbours=examples, weight=6),
        Seed("editor.yaml", b"theme: rck-dark\nrecent: [/a.rck, /b.rck]\nlayout: 1\n", "settings", weight=2),
        Seed("keys.yaml", b"preset: vim\nundo: ctrl+z\nredo: [a, b]\n", "settings", weight=2),
        Seed("plugins.yaml", b"disabled: [importer-dxf]\nallowed: {/x: {a.py: abc}}\n", "settings", weight=2),
        Seed("port_types/mine.yaml", PORT_TYPES, "port-types", weight=2),
        Seed("index.yaml", INDEX, "index", weight=1),
        Seed("puma-sort.arcs", b"p 300 0 300 0 0 0 2\ng\nu\nq\n", "program", weight=1),
        Seed("goals.csv", b"x,y,z,r,p,y\n300,0,200,0,90,0\n100,100,300\n", "goals", weight=2),
    ]


def _exported(work: Path) -> list[Seed]:
    """Return files that RCK writes itself: exports, a state, recordings and a journal."""
    from rck.assembly.journal import journal_path
    from rck.exporting.export import prepare_export
    from rck.hooks import Mount, discover
    from rck.hooks.actions import Announce, MoveJoint
    from rck.language.session import open_session
    from rck.simulation.events import Event
    from rck.simulation.recording import record, save_recording
    from rck.simulation.sensors import SensorSetting
    from rck.simulation.simulation import Simulation
    from rck.simulation.state_file import encode_state, save_state

    plugins = discover()
    for path in EXAMPLES.glob("*.rck"):
        shutil.copy(path, work)
    session = open_session(plugins, work / "desk-arm.rck")
    robot = session.compile().unwrap().robot
    seeds = []
    for ending in ("urdf", "xml", "sdf", "dxf", "usda", "usdc"):
        files, _ = prepare_export(robot, work / f"exported.{ending}", plugins, {})
        beside = {path.relative_to(work).as_posix(): content for path, content in files.items()}
        content = beside.pop(f"exported.{ending}")
        (work / f"exported.{ending}").write_bytes(content)
        seeds.append(
            Seed(f"exported.{ending}", content, neighbours=beside, options={"hull": "yes"} if ending == "dxf" else {})
        )
    if find_spec("pxr"):
        from pxr import UsdUtils

        UsdUtils.CreateNewUsdzPackage(str(work / "exported.usda"), str(work / "exported.usdz"))
        seeds.append(Seed("exported.usdz", (work / "exported.usdz").read_bytes(), weight=1))
    if find_spec("ezdwg"):
        seeds.append(Seed("plate.dwg", _dwg(work / "plate.dwg"), options={"thickness": "4 mm"}, weight=2))
    examples = {"desk-arm.rck": (EXAMPLES / "desk-arm.rck").read_bytes()}
    joint, other = (one.name for one in robot.free_joints[:2])
    events = (
        Event(0.0, MoveJoint(joint, 0.3, 1.0)),
        Event(0.2, Announce("half way")),
        Event(0.9, MoveJoint(other, 0.1, 1.0)),
    )
    sensor = SensorSetting("imu", Mount("inner", robot.items[0].name))
    simulation = Simulation(robot, events, plugins=plugins, sensors=[sensor])
    simulation.run(0.1)
    save_state(encode_state(simulation)[0], work / "run.state.json")
    seeds.append(Seed("run.state.json", (work / "run.state.json").read_bytes(), "state", neighbours=examples, weight=8))
    recording = record(simulation, 0.15)
    for ending in ("csv", "npz"):
        save_recording(recording, work / f"run.{ending}")
        seeds.append(Seed(f"run.{ending}", (work / f"run.{ending}").read_bytes(), "recording", neighbours=examples))
    seeds += [*_served(work), _with_assets(work)]
    session.begin_journal()
    session.do("make box crate size=10,20,30")
    session.do("move crate 1,2,3")
    journal = journal_path(work / "desk-arm.rck")
    seeds.append(Seed(journal.name, journal.read_bytes(), "journal", neighbours=examples, weight=6))
    session.end_journal()
    return seeds


def _dwg(path: Path) -> bytes:
    import ezdwg

    drawing = ezdwg.new()
    block = drawing.blocks.new("PLATE", base_point=(1.0, 1.0, 0.0))
    block.add_lwpolyline([(0, 0), (40, 0), (40, 20), (0, 20)], closed=True)
    block.add_circle((10, 10), radius=3)
    drawing.modelspace().add_blockref("PLATE", (10, 0, 0), xscale=2, yscale=2, zscale=2)
    drawing.modelspace().add_ellipse((300, 0, 0), (30, 0, 0), 0.5)
    drawing.save(str(path))
    return path.read_bytes()


def _served(work: Path) -> list[Seed]:
    """Return the files of a server: a state and a recording of clients."""
    from rck.control import served_state
    from rck.control.client_recording import ClientRecorder
    from rck.control.hub import Hub
    from rck.control.served_world import ServedWorld
    from rck.control.services import Caller
    from rck.hooks import discover
    from rck.language.session import open_session

    plugins = discover()
    robot = open_session(plugins, work / "desk-cell.rck").compile().unwrap().robot
    world = ServedWorld.of(robot, plugins)
    recorder = ClientRecorder(work / "clients.jsonl", robot.name)
    hub = Hub(world, record=recorder.record)
    pose = b'{"position": {"x": 0.5, "y": 0.5, "z": 1.0}, "orientation": {"w": 1.0}}'
    spawned = b'{"name": "ball", "shape": "sphere", "sizes": [0.02], "pose": ' + pose + b"}"
    moved = b'{"joints": {"arm_waist_axis": 0.3}, "duration": 1.0}'
    for service, arguments in (("/spawn", spawned), ("/move_joints", moved)):
        asyncio.run(hub.call(Caller("one"), service, msgspec.Raw(arguments)))
    world.step(0.1)
    recorder.close()
    served_state.save(world, work / "served.state.json")
    return [
        Seed("served.state.json", (work / "served.state.json").read_bytes(), "served"),
        Seed("clients.jsonl", (work / "clients.jsonl").read_bytes(), "clients"),
    ]


def _with_assets(work: Path) -> Seed:
    """Return an assembly whose shapes are in a file next to it."""
    import trimesh

    from rck.hooks import discover
    from rck.language.session import new_session

    trimesh.creation.icosphere(subdivisions=3).export(work / "solid.stl")
    session = new_session(discover(), work)
    session.do("import solid.stl solid")
    session.save(work / "solid.rck")
    assets = {f"solid.assets/{path.name}": path.read_bytes() for path in (work / "solid.assets").iterdir()}
    return Seed("solid.rck", (work / "solid.rck").read_bytes(), "assembly", neighbours=assets, weight=6)
