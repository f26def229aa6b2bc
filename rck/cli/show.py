"""`rck show`: print the tree, masses and joints of a robot."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from rck.assembly.placements import PlacedPort
from rck.cli.inputs import print_findings, read_assembled, read_robot
from rck.cli.options import FILE, IMPORTER_SET, JSON
from rck.cli.pose_options import position_text
from rck.hooks import discover
from rck.model import Actuation, Item, Joint, JointKind, Robot
from rck.model.closure import closure_of
from rck.support.units import counted


@click.command()
@FILE
@IMPORTER_SET
@click.option("--ports", is_flag=True, help="Also list the ports of an assembly, where parts can be attached.")
@JSON
def show(file: Path, settings: tuple[str, ...], ports: bool, as_json: bool) -> None:
    """Print a robot's tree, masses and joints."""
    plugins = discover(file=file)
    ends: tuple[PlacedPort, ...] = ()
    if ports:
        _, compiled, findings = read_assembled(file, plugins)
        robot, ends = compiled.robot, tuple(compiled.ports.values())
    else:
        robot, findings = read_robot(file, plugins, settings)
    if as_json:
        click.echo(json.dumps({**robot_data(robot), **({"ports": port_data(ends, robot)} if ports else {})}, indent=2))
        return
    for line in (*robot_lines(robot), *port_lines(ends, robot)):
        click.echo(line)
    print_findings(findings)


def robot_lines(robot: Robot) -> Iterator[str]:
    """Format the tree: items under the joints that move them."""
    tree = robot.tree
    moving = len(robot.free_joints)
    subitems = sum(len(item.subitems) for item in robot.items)
    mass = robot.mass_properties
    counts = [(len(robot.items), "item"), (subitems, "subitem"), (len(robot.joints), "joint")]
    said = ", ".join(counted(number, noun) for number, noun in counts)
    yield f"{robot.name}: {said}, {moving} free, {mass.mass:.4g} kg"
    x, y, z = mass.centre
    if robot.closing_loops:
        yield mobility_line(robot)
    yield f"centre of mass {1000 * x:.1f} {1000 * y:.1f} {1000 * z:.1f} mm"
    waiting = [(root, "") for root in reversed(tree.roots)]
    while waiting:
        number, indent = waiting.pop()
        yield indent + item_line(robot.items[number])
        for joint_number in tree.children[number]:
            joint = robot.joints[joint_number]
            yield f"{indent}  {joint_line(joint)}{role_in_loops(robot, joint)}"
        below = [(item, indent + "    ") for j in tree.children[number] for item in tree.moves[j]]
        waiting.extend(reversed(below))
    for frame in robot.frames:
        yield f"frame {frame.name} on {frame.item}"


def mobility_line(robot: Robot) -> str:
    """Format the degrees of freedom of a robot with loops."""
    mobility = robot.mobility
    actuated = sum(robot.actuation_of(joint) is Actuation.ACTUATED for joint in robot.free_joints)
    held = len(mobility.sprung)
    total = len(robot.free_joints) + held
    springs = f", {held} held by springs" if held else ""
    closure = closure_of(robot)
    assert closure is not None
    return (
        f"{counted(len(robot.closing_loops), 'loop')}: {counted(total, 'degree')} of freedom, "
        f"{actuated} actuated{springs}; "
        f"{mobility.rank} of {counted(mobility.equations, 'equation')} independent, "
        f"residual {1000 * closure.residual:.2g} mm"
    )


def role_in_loops(robot: Robot, joint: Joint) -> str:
    """Return what moves a joint in a loop, for the end of its line."""
    if joint.name in robot.mobility.dependent:
        return "  moved by its loop"
    return "  held by a spring" if joint.name in robot.mobility.sprung else ""


def mobility_data(robot: Robot) -> dict[str, object]:
    """Return the loops and degrees of freedom for `--json`, in metres and radians."""
    closure = closure_of(robot)
    mobility = robot.mobility
    gaps = {} if closure is None else {gap.loop: gap for gap in closure.gaps(closure.seed)}
    return {
        "degrees_of_freedom": len(robot.free_joints) + len(mobility.sprung),
        "free_joints": [joint.name for joint in robot.free_joints],
        "dependent_joints": [joint.name for joint in robot.joints if joint.name in mobility.dependent],
        "held_by_springs": [joint.name for joint in robot.joints if joint.name in mobility.sprung],
        "equations": mobility.equations,
        "rank": mobility.rank,
        "loops": [
            {
                "name": loop.name,
                "kind": loop.kind.value,
                "items": list(loop.items),
                "gap": gaps[loop.name].distance,
                "angle": gaps[loop.name].angle,
            }
            for loop in robot.closing_loops
        ],
    }


def item_line(item: Item) -> str:
    """Format an item: name, shapes, mass."""
    mobile = ", mobile" if item.mobile else ""
    return f"• {item.name}  {counted(len(item.subitems), 'subitem')}, {item.mass:.4g} kg{mobile}"


def joint_line(joint: Joint) -> str:
    """Format a joint: type, moved items, limits."""
    mark = {JointKind.FIXED: "=", JointKind.PRISMATIC: "↕"}.get(joint.kind, "↻")
    text = f"{mark} {joint.name}  {joint.kind.value} → {', '.join(joint.moves)}"
    if joint.limits is not None:
        text += f"  {position_text(joint, joint.limits.lower)} … {position_text(joint, joint.limits.upper)}"
    if joint.kind.moves:
        text += f"  at {position_text(joint, joint.position)}"
    if joint.mimic is not None:
        text += f"  follows {joint.mimic.joint}"
    return text


def port_lines(ports: Sequence[PlacedPort], robot: Robot) -> Iterator[str]:
    """Format each port: end, type, position, and whether it is free."""
    width = max((len(port.end) for port in ports), default=0)
    for port in ports:
        x, y, z = (1000 * port.world_pose(robot)[:3, 3]).round(1) + 0.0
        kind = " ".join(filter(None, (port.type, port.gender)))
        taken = "" if port.mate is None else "  taken"
        yield f"◇ {port.end:{width}}  at {x:.1f} {y:.1f} {z:.1f} mm  {kind}{taken}".rstrip()


def port_data(ports: Sequence[PlacedPort], robot: Robot) -> list[dict[str, object]]:
    """Return the ports for `--json`, with their poses in the world, in metres."""
    return [
        {
            "end": port.end,
            "item": port.item,
            "kind": port.type,
            "gender": port.gender,
            "free": port.mate is None,
            "pose": port.world_pose(robot).tolist(),
        }
        for port in ports
    ]


def robot_data(robot: Robot) -> dict[str, object]:
    """Return the robot for `--json`, in metres, kilograms and radians."""
    return {
        "name": robot.name,
        "mass": robot.mass_properties.mass,
        "centre": robot.mass_properties.centre.tolist(),
        **(mobility_data(robot) if robot.closing_loops else {}),
        "items": [
            {
                "name": item.name,
                "subitems": len(item.subitems),
                "mass": item.mass,
                "mobile": item.mobile,
                "pose": item.pose.tolist(),
            }
            for item in robot.items
        ],
        "joints": [
            {
                "name": joint.name,
                "kind": joint.kind.value,
                "base": joint.base,
                "moves": list(joint.moves),
                "start": list(joint.start),
                "end": list(joint.end),
                "limits": None if joint.limits is None else [joint.limits.lower, joint.limits.upper],
                "position": joint.position,
                "speed": joint.speed,
                "effort": joint.effort,
            }
            for joint in robot.joints
        ],
    }
