"""Write docs/plugins/templates.md from the templates of `rck plugins new`: `python tools/plugin_templates.py`."""

from pathlib import Path

from rck.cli.new_plugin import KINDS

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "plugins" / "templates.md"
TEMPLATES = ROOT / "rck" / "templates"

OPENING = """# Plugin templates

Start your plugin from one of these templates:

```sh
rck plugins new my-format --kind exporter
```

Each section shows a complete plugin. The command writes it as a package, with a `pyproject.toml` and contract tests,
and replaces `my-plugin` by your name. Install the package with `pip install -e .` in its folder. Then
`rck plugins info NAME` prints what it adds.

"""

HOOKS = {
    "action": "rck_editor_actions",
    "check": "rck_checks",
    "collision": "rck_collision_backends",
    "command": "rck_commands",
    "exporter": "rck_exporters",
    "finding-code": "rck_finding_codes",
    "gripper": "rck_grippers",
    "importer": "rck_importers",
    "keymap": "rck_keymaps",
    "language": "rck_program_languages",
    "overlay": "rck_overlays",
    "panel": "rck_editor_panels",
    "parts": "rck_part_libraries",
    "physics": "rck_physics",
    "screen": "rck_editor_screens",
    "sensor": "rck_sensors",
    "settings": "rck_settings",
    "solver": "rck_solvers",
    "start": "rck_start_templates",
    "subcommand": "rck_cli_commands",
    "theme": "rck_themes",
    "viewer": "rck_viewers",
}
ABOUT = {
    "action": """\
`run` receives the context. Commands that it passes to `context.do` run after it has returned, all or none. The key
bar and `F1` show its key, and `keys.yaml` changes it by the id `action-my-plugin`.
""",
    "check": """\
`run` receives a robot and yields findings, each with a code, a location, a message and a remedy. `rck check FILE`
prints them; the editor lists them on the Build screen.
""",
    "collision": """\
`make` receives the robot and the pairs of items whose contacts are ignored, and returns a scene. `touching` returns
the pairs of items in contact for a joint vector. `pairs_to_test` returns the pairs to test; bounding spheres rule out
most of them. `rck collide FILE --backend my-plugin` uses it.
""",
    "command": """\
`run` receives the document and the arguments, and returns a changed document and a message. Raise `RckError` to refuse
an argument. The command works in scripts, in the editor's command line and in its palette. Users can undo it.
""",
    "exporter": """\
`write` receives the robot and returns the bytes of every file by its path; RCK writes them. `rck export FILE
out.masses` uses it because of the ending. [Writing an exporter](exporter.md) builds a larger one.
""",
    "finding-code": """\
A code is a prefix of your plugin and three digits. `rck check --fix` runs the `commands` of a finding, and the editor
runs the first one. Give only commands that are safe without a question.
""",
    "gripper": """\
`holds` returns an empty text if a gripper at that mount can hold an item, else the reason. Options with the name of a
figure, such as `payload`, take their value from the part. A part whose manifest has `devices: {hand: {gripper: my,
port: tip}}` uses it.
""",
    "importer": """\
`probe` recognises a file by its first bytes, and `read` returns part definitions. An invalid line is an error with the
code 505 and the location `FILE:LINE`. `rck import shelf.boxes` uses it, and so does every command that takes a file.
[A larger importer](README.md#rck_importers) has joints and ports.
""",
    "keymap": """\
Keys by the id of their binding. `preset: my-plugin` in `keys.yaml` selects the keymap.
""",
    "language": """\
`compile` turns a text into instructions with line numbers; an invalid line is an error with its number.
`rck simulate FILE wave.turns` uses it because of the ending.
""",
    "lifecycle": """\
RCK calls the hooks during its work. Each takes any of its arguments, by name; returns findings, or None; and raises
`RckError` to refuse. [All lifecycle hooks](lifecycle.md#the-hooks-of-the-lifecycle).
""",
    "overlay": """\
`draw` receives the context and returns points, lines, meshes, texts, colours of items and a legend. The command
palette shows and hides the overlay.
""",
    "panel": """\
`show` receives the context and returns texts, tables, bars, buttons and fields. The editor calls it after every
change, outside the thread of the interface. `5` moves the focus to the panel.
""",
    "parts": """\
A part library is a folder of [manifests](../parts.md); the code only returns its path. `rck parts` and the catalogue
of the editor list the parts.
""",
    "physics": """\
`make` receives the robot and the option values, and returns a world. The simulator steers its joints and reads
positions, speeds, efforts, poses and contact forces. `rck simulate FILE EVENTS --physics my-plugin
--with damping=3` uses it.
""",
    "screen": """\
`show` receives the context and returns the content, as that of a panel. The title bar and the command palette show
the screen.
""",
    "sensor": """\
`make` creates a sensor at a mount; its `read` receives the world and returns an array per channel. A part whose
manifest has `devices: {eye: {sensor: my-plugin, port: lens}}` has it.
""",
    "settings": """\
`read_settings` returns the present values. Users change them with `rck plugins set my-plugin`, or on the Plugins
screen of the editor.
""",
    "solver": """\
`make` returns a solver for one chain, or `None` if it does not support the chain. `solve` respects the limits and the
budget and raises no exceptions: an answer without a solution has a reason. `rck ik FILE --to 150,0,300
--solver my-plugin` uses it.
""",
    "start": """\
`script` has the commands that build the assembly. `ctrl+n` in the editor offers it.
""",
    "subcommand": """\
A command of [click](https://click.palletsprojects.com): `rck my-plugin FILE` runs it. It imports
other modules inside the function, because the hook is called in many other runs.
""",
    "theme": """\
Colours by role. *Theme* in the command palette selects it.
""",
    "viewer": """\
`show` receives the robot and the option values, and returns when the user closes it. `rck view FILE --with
my-plugin --option digits=2` uses it.
""",
}
"""Description of each kind."""


def page() -> str:
    """Return the page."""
    lines = [f"- [{kind}](#{kind}): {what}" for kind, what in KINDS.items()]
    return OPENING + "\n".join([*lines, "", *(line for kind in KINDS for line in section(kind))])


def section(kind: str) -> list[str]:
    """Return the section of a kind: description, code and other files."""
    code = (TEMPLATES / kind / "plugin.py").read_text(encoding="utf-8")
    lines = [f"## {kind}", "", ABOUT[kind]]
    if hook := HOOKS.get(kind):
        lines += [f"The hook: [`{hook}`](README.md#{hook}).", ""]
    lines += ["```sh", f"rck plugins new my-{kind} --kind {kind}", "```", "", "```python", code.rstrip("\n"), "```", ""]
    for manifest in sorted((TEMPLATES / kind).rglob("*.yaml")):
        text = manifest.read_text(encoding="utf-8").rstrip("\n")
        lines += [f"`{manifest.relative_to(TEMPLATES / kind).as_posix()}`:", "", "```yaml", text, "```", ""]
    return lines


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
