"""`rck demo`: a demonstration of RCK from assembly to export, without the editor."""

from math import degrees
from pathlib import Path

import click

from rck.assembly.compiler import Compiled
from rck.cli.inputs import print_findings
from rck.exporting.export import export
from rck.geometry.transforms import invert, translation
from rck.hooks import Exporter, Goal, Plugins, discover
from rck.kinematics import solver_for
from rck.kinematics.tip import arm_tips, default_tip
from rck.language.robot_checks import check_robot
from rck.language.session import Session, new_session
from rck.model import RckError, Robot, with_positions
from rck.model.quantities import Quantities
from rck.rendering.camera import fit, named_camera
from rck.rendering.drawn_surfaces import Geometry
from rck.rendering.image_file import png_bytes
from rck.rendering.picture import FINE, draw
from rck.rendering.posed_robot import pose_robot
from rck.rendering.scene import Scene, floor_for
from rck.simulation.instruction_executor import InstructionExecutor
from rck.simulation.program_runner import ProgramRunner, read_program
from rck.simulation.recording import Recorder, save_recording
from rck.simulation.simulation import Simulation
from rck.support.files import write_atomically
from rck.support.finding import errors_of
from rck.support.units import rounded

SCRIPT = "desk-arm.rcks"


@click.command()
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), default=Path("demo"), help="Output folder.")
def demo(out: Path) -> None:
    """Assemble an arm with a gripper and a camera, check it, simulate a pick, and export it."""
    plugins = discover()
    out.mkdir(parents=True, exist_ok=True)
    session = _assemble(plugins, out)
    compiled = session.compile().unwrap()
    _check(session, compiled)
    _move(session, compiled)
    _pick(plugins, out)
    _draw(compiled, out)
    _export(compiled, plugins, out)
    click.echo(f"\nEverything is in {out}/. Next: rck show {out}/desk-arm.rck, or rck parts gripper")


def examples_folder() -> Path:
    """Return the folder of the examples, in a checkout or in an installation."""
    import rck

    package = Path(rck.__file__).parent
    for folder in (package.parent / "examples", package.parent / "rck_examples"):
        if (folder / SCRIPT).exists():
            return folder
    raise RckError("the examples are missing from this installation; reinstall rck")


def _assemble(plugins: Plugins, out: Path) -> Session:
    session = new_session(plugins, out, "desk-arm")
    script = (examples_folder() / SCRIPT).read_text(encoding="utf-8")
    click.echo(f"Assembling from {len(session.catalogue.entries)} parts:")
    for line, outcome in zip(script.splitlines(), session.run_script(script, SCRIPT), strict=True):
        if outcome.changed:
            click.echo(f"  > {line}")
    click.echo(f"saved {session.save(out / 'desk-arm.rck')}")
    return session


def _check(session: Session, compiled: Compiled) -> None:
    findings = [*session.compile().findings, *check_robot(compiled.robot, session.plugins)]
    print_findings(findings)
    robot = compiled.robot
    pieces = sum(len(item.subitems) for item in robot.items)
    click.echo(
        f"Checked: {len(robot.items)} items, {pieces} convex pieces, {len(robot.free_joints)} free joints, "
        f"{robot.mass_properties.mass:.3f} kg, {len(errors_of(findings))} errors"
    )


def _move(session: Session, compiled: Compiled) -> None:
    """Print the position of the tool in each saved pose, and solve for the last one."""
    robot = compiled.robot
    place = (0.0, 0.0, 0.0)
    read = Quantities(session.assembly.units)
    for name, pose in session.assembly.poses.items():
        positions = {joint: read.joint_position(one, robot.joint(joint).kind.turns) for joint, one in pose.items()}
        moved = with_positions(robot, positions)
        tool = default_tip(moved)
        x, y, z = (1000 * moved.world_from(tool)[:3, 3]).tolist()
        angles = ", ".join(f"{joint} {degrees(angle):.0f}°" for joint, angle in positions.items())
        click.echo(f"Pose {name} ({angles}): tool {tool} at {x:.1f} {y:.1f} {z:.1f} mm")
        place = x / 1000, y / 1000, z / 1000
    _reach(session.plugins, robot, place)


def _reach(plugins: Plugins, robot: Robot, place: tuple[float, float, float]) -> None:
    """Solve for joint positions that bring the tool to a position, in metres, with any orientation."""
    base, tip = robot.items[robot.tree.roots[0]], default_tip(robot)
    solver = solver_for(plugins, robot, base.name, tip)
    answer = solver.solve(Goal(invert(base.pose) @ translation(place), "position"), budget=1.0)
    where = " ".join(f"{1000 * one:.1f}" for one in place)
    if not answer.solved:
        click.echo(f"Reach for {where} mm: {answer.reason}")
        return
    found = zip(solver.joints, answer.solutions[0].tolist(), strict=True)
    positions = ", ".join(f"{joint} {rounded(degrees(angle), 1):g}°" for joint, angle in found)
    click.echo(f"Reach for {where} mm: {positions}")


def _pick(plugins: Plugins, out: Path) -> None:
    """Simulate picking a cube from a desk and placing it, with collision checking."""
    session = new_session(plugins, out, "desk-cell")
    session.run_script((examples_folder() / "desk-cell.rcks").read_text(encoding="utf-8"), "desk-cell.rcks")
    session.save(out / "desk-cell.rck")
    robot = session.compile().unwrap().robot
    simulation = Simulation(robot, plugins=plugins)
    # Rendering the images of the camera takes longest.
    for sensor in simulation.sensors.values():
        sensor.on = False
    recorder = Recorder(simulation)
    program = read_program(examples_folder() / "desk-pick.rckp", robot, plugins)
    run = ProgramRunner(InstructionExecutor(simulation, plugins, after_step=recorder.note), program)
    run.run()
    for executed in run.executed:
        click.echo(f"  > {executed.line.text}: {executed.reply.text}")
    for notice in simulation.notices:
        click.echo(f"  {notice}")
    save_recording(recorder.recording(), out / "desk-pick.csv")
    click.echo(f"Simulated a pick, {simulation.time:.1f} s, collision checking on; recorded in {out / 'desk-pick.csv'}")


def _draw(compiled: Compiled, out: Path) -> None:
    width, height = 960, 720
    figure = pose_robot(compiled.robot, geometry=Geometry.VISUAL)
    camera = fit(named_camera("home"), figure.spheres, width / height)
    scene = Scene(figure, floor=floor_for(figure), frames=frozenset(arm_tips(compiled.robot)))
    path = out / "desk-arm.png"
    write_atomically(path, png_bytes(draw(scene, camera, width, height, finish=FINE).rgb))
    click.echo(f"drew {path}")


def _export(compiled: Compiled, plugins: Plugins, out: Path) -> None:
    for exporter in plugins.all(Exporter):
        if exporter.takes != "robot":
            continue
        try:
            written, _ = export(compiled.robot, out / f"desk-arm{exporter.endings[0]}", plugins, name=exporter.name)
        except RckError as error:
            click.echo(f"{exporter.name}: skipped ({error})")
            continue
        click.echo(f"{exporter.name}: wrote {', '.join(path.name for path in written)}")
