"""Writes docs/plugins/templates.md from what `rck plugins new` copies: `python tools/plugin_templates.py`."""

from pathlib import Path

from rck.cli.new_plugin import KINDS

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "plugins" / "templates.md"
TEMPLATES = ROOT / "rck" / "templates"

OPENING = """# A small plugin of each kind

Each section is a whole plugin that works. `rck plugins new NAME --kind KIND` writes it as a package of its own, with
NAME in place of `my-plugin`, a `pyproject.toml`, and tests that try it against the contract of its kind. Then `pip
install -e .` in its folder makes it known, and `rck plugins info NAME` prints what it adds.

"""

HOOKS = {
    "check": "rck_checks",
    "collision": "rck_collision_backends",
    "command": "rck_commands",
    "exporter": "rck_exporters",
    "gripper": "rck_grippers",
    "importer": "rck_importers",
    "language": "rck_program_languages",
    "panel": "rck_editor_panels",
    "parts": "rck_part_libraries",
    "physics": "rck_physics",
    "sensor": "rck_sensors",
    "solver": "rck_solvers",
    "subcommand": "rck_cli_commands",
    "viewer": "rck_viewers",
}
ABOUT = {
    "check": """\
`run` gets a robot and yields findings, each with a code, a place, a message and what to do. `rck check FILE` prints
them; in the editor they are among the findings of the Build screen.
""",
    "collision": """\
`make` gets the robot and the pairs of items that may touch, and returns a scene. A scene is asked for a joint
vector and answers with the pairs that touch. `pairs_to_test` gives the pairs that are worth a test, and the
spheres round the polyhedra tell most of them apart. `rck collide FILE --backend my-plugin` uses it.
""",
    "command": """\
`run` gets the assembly and the words after the command, and returns another assembly, or a pair of that and what
there is to say about it. It refuses with `RckError`. The word then works in scripts, in the editor's command line
and in its palette, and it is undone as any other.
""",
    "exporter": """\
`write` gets the robot and returns the bytes of every file by its path; RCK writes them. `rck export FILE
out.masses` uses it, because the ending is its own. [Writing an exporter](exporter.md) builds a larger one.
""",
    "gripper": """\
`holds` says whether a gripper at that mount can hold an item: an empty text, or the reason why not. Options that
have the name of a figure, such as `payload`, take their value from the part. A part whose manifest says `devices:
{hand: {gripper: my, port: tip}}` grips in this way.
""",
    "importer": """\
`probe` judges a file by its first bytes, `read` makes a robot of it. A wrong line is an error finding with the
code 505 and the place `FILE:LINE`. `rck import shelf.boxes` uses it, and so does every command that takes a file.
[A larger one](README.md#rck_importers) has joints and ports.
""",
    "language": """\
`compile` makes instructions of a text, each with its line; what it cannot read is an error that names the line.
`rck simulate FILE wave.turns` uses it, because the ending is its own.
""",
    "panel": """\
`make` makes a Textual widget. Its method `show_robot` is called after every change. The panel is on the Build
screen, where `5` goes to it.
""",
    "parts": """\
A library is a folder of [manifests](../parts.md); the code only says where it is. The parts are in `rck parts` and
in the catalogue of the editor.
""",
    "physics": """\
`make` gets the robot and the values of the options, and returns a world. The simulator lets it steer the joints
and reads positions, speeds, efforts, poses and what presses on what. `rck simulate FILE EVENTS --physics my-plugin
--with damping=3` uses it.
""",
    "sensor": """\
`make` puts one sensor at a mount; its `read` gets the surroundings and returns an array for each channel. A part
whose manifest says `devices: {eye: {sensor: my-plugin, port: lens}}` has it.
""",
    "solver": """\
`make` returns a solver for one chain, or `None` if it cannot serve that chain. `solve` keeps the limits and the
budget, and raises nothing: where there is no solution, the answer has a reason. `rck ik FILE --to 150,0,300
--solver my-plugin` uses it.
""",
    "subcommand": """\
A command of [click](https://click.palletsprojects.com): `rck my-plugin FILE` runs it. What it needs beyond the hook it
imports inside, since the hook is asked on many other runs.
""",
    "viewer": """\
`show` gets the robot and the values of the options, and returns when the user is done. `rck view FILE --with
my-plugin --option digits=2` uses it.
""",
}
"""Of each kind what there is to say."""


def page() -> str:
    """The whole page."""
    lines = [f"- [{kind}](#{kind}): {what}" for kind, what in KINDS.items()]
    return OPENING + "\n".join([*lines, "", *(line for kind in KINDS for line in section(kind))])


def section(kind: str) -> list[str]:
    """What there is to say about a kind, its code, and the files beside that."""
    hook = HOOKS[kind]
    code = (TEMPLATES / kind / "plugin.py").read_text(encoding="utf-8")
    lines = [f"## {kind}", "", ABOUT[kind], f"The hook: [`{hook}`](README.md#{hook}).", ""]
    lines += ["```sh", f"rck plugins new my-{kind} --kind {kind}", "```", "", "```python", code.rstrip("\n"), "```", ""]
    for manifest in sorted((TEMPLATES / kind).rglob("*.yaml")):
        text = manifest.read_text(encoding="utf-8").rstrip("\n")
        lines += [f"`{manifest.relative_to(TEMPLATES / kind).as_posix()}`:", "", "```yaml", text, "```", ""]
    return lines


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
