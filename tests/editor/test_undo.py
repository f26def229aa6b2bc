"""Every action of the editor can be undone exactly."""

import pytest

from rck.editor.widgets.jog_pad import JogPad
from rck.editor.widgets.joint_sliders import JointSliders
from rck.editor.workbench import Selected


def on(name, *keys, kind="instance"):
    """Select something, then press keys."""

    async def act(player):
        player.bench.select(Selected(kind, name))
        await player.press(*keys)

    return act


async def place(player):
    await player.place("strong", "n", "t", "f")


async def type_a_name(player):
    await on("elbow", "r")(player)
    await player.type("forearm\r")


async def replace(player):
    await on("elbow", "x")(player)
    await player.type("strong\r")
    await player.press("enter")


async def set_a_length(player):
    await on("upper", "3", "down", "down")(player)
    await player.type("200\r")


async def drive(player):
    await player.press("f3", "right", "right")
    player.app.screen.query_one(JointSliders).settle()
    await player.press("f2")


async def jog(player):
    await player.press("f3")
    pad = player.app.screen.query_one(JogPad)
    pad.focus()
    await player.press("r", "pageup")
    pad.settle()
    await player.press("f2")


async def remember_a_pose(player):
    await player.press("f3", "s")
    await player.type("rest\r")
    await player.press("f2")


async def save_a_view(player):
    await player.press("escape", "V", "enter")


async def paste_two(player):
    await player.press("colon")
    await player.paste("create kit/foot extra\nmove extra 300,0,0")
    await player.press("r")


ACTIONS = {
    "place": place,
    "copy": on("foot", "c", "enter"),
    "mirror": on("foot", "m", "enter"),
    "pattern": on("foot", "p", "enter"),
    "remove": on("hand", "delete", "enter"),
    "remove with what stands on it": on("shoulder", "delete", "enter"),
    "remove a tool": on("grip", "delete", kind="tool"),
    "rename": type_a_name,
    "replace": replace,
    "set": set_a_length,
    "drive": drive,
    "jog": jog,
    "pose": remember_a_pose,
    "view": save_a_view,
    "paste": paste_two,
}


@pytest.mark.parametrize("names", [tuple(ACTIONS)[:8], tuple(ACTIONS)[8:]], ids=["build", "change"])
def test_every_action_undoes_and_redoes_exactly(editor, arm, names):
    async def story(player):
        before = player.text
        for name in names:
            steps = len(player.bench.session.history.past)
            await ACTIONS[name](player)
            done = len(player.bench.session.history.past) - steps
            after = player.text
            assert done, name
            assert after != before, name
            await player.press("escape", "escape", *["ctrl+z"] * done)
            assert player.text == before, name
            await player.press(*["ctrl+y"] * done)
            assert player.text == after, name
            await player.press(*["ctrl+z"] * done)

    editor.play(story, commands=arm)
