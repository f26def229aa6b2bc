"""An arm that moves is built and saved: by keys only, and by mouse only."""

from rck.assembly.native_file import read_assembly
from rck.editor.widgets.catalogue_panel import PartTree
from rck.editor.widgets.joint_sliders import JointSliders
from rck.editor.widgets.key_bar import KeyBar
from rck.editor.widgets.title_bar import TitleBar


def test_desk_arm_is_built_by_keys_with_shipped_parts(real_editor):
    async def story(player):
        await player.type("round base\r")
        for words in ("xm540-w270", "bar link", "xm430-w350", "bar link", "so-arm gripper"):
            await player.type(f"/{words}\r")
            assert player.bench.placing is not None
            await player.type("\r")
        await player.press("f3", "right", "right", "right", "down", "left", "down")
        await player.press("ctrl+s", "enter")

    app = real_editor.play(story)
    saved = read_assembly(real_editor.folder / "robot.rck")
    assert saved == app.workbench.assembly
    assert {name: one.part for name, one in saved.parts.items()} == {
        "round-base": "structure/round-base",
        "xm540-w270": "robotis/xm540-w270",
        "bar-link": "structure/bar-link",
        "xm430-w350": "robotis/xm430-w350",
        "bar-link-2": "structure/bar-link",
        "so-arm-gripper": "robonine/so-arm-gripper",
    }
    assert {name: one.position for name, one in saved.joints.items()} == {
        "xm540-w270/axis": 3,
        "xm430-w350/axis": -1,
    }
    robot = app.workbench.built.value.robot
    assert len(robot.free_joints) == 3
    assert len(robot.tree.roots) == 1


async def click_key(player, described):
    """Click a key in the key bar."""
    bar = player.app.screen.query_one(KeyBar)
    text = bar.render().plain
    await player.click(bar, (text.index(described), 0))


async def click_part(player, *path):
    """Open the categories one after the other, and click the part."""
    for label in path:
        tree = player.app.screen.query_one(PartTree)
        lines = {str(tree.get_node_at_line(y).label).split("  ")[0]: y for y in range(tree.last_line + 1)}
        line = next(y for name, y in lines.items() if name == label or name.rpartition(" ")[0] == label)
        node = tree.get_node_at_line(line)
        if not node.is_expanded or label == path[-1]:
            await player.click(tree, (4, line - tree.scroll_offset.y), times=2 if label == path[-1] else 1)


async def click_title(player, word):
    bar = player.app.screen.query_one(TitleBar)
    await player.click(bar, (bar.render().plain.index(word), 0))


def test_arm_is_built_by_mouse(editor):
    async def story(player):
        await click_part(player, "bases", "Foot")
        for path in (("actuators", "servo", "Servo 4 N m"), ("links", "Link"), ("grippers", "Hand [two fingers]")):
            await click_part(player, *path)
            await click_key(player, "Place")
        assert list(player.bench.assembly.parts) == ["foot", "servo", "link", "hand"]
        assert {mate.at for mate in player.bench.assembly.mates} == {"foot.top", "servo.horn", "link.b"}
        await click_title(player, "Move")
        sliders = player.app.screen.query_one(JointSliders)
        await player.pilot.mouse_down(sliders, offset=(30, 1))
        await player.pilot.hover(sliders, offset=(38, 1))
        await player.pilot.mouse_up(sliders, offset=(38, 1))
        await player.rest()
        assert player.bench.assembly.joints["servo/axis"].position != 0
        await click_title(player, "untitled")
        await click_key(player, "Run")
        assert read_assembly(editor.folder / "robot.rck") == player.bench.assembly

    editor.play(story, size=(120, 40))
