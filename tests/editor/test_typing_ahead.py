"""Keys that arrive at once, as over a slow connection, work as if typed one by one."""

from textual import events


async def burst(player, *keys):
    """All keys before any of them is handled."""
    for key in keys:
        character = {"colon": ":", "slash": "/", "space": " "}.get(key, key if len(key) == 1 else None)
        player.app.post_message(events.Key(key, character))
    await player.rest()


def test_a_whole_arm_typed_ahead(editor):
    async def story(player):
        await burst(player, "escape", "slash", *"foot", "enter", "slash", *"servo", "enter", "t", "enter")
        await player.rest()
        assert list(player.bench.assembly.parts) == ["foot", "servo"]
        assert player.bench.assembly.mates[0].turn == 90
        await burst(
            player, "colon", *"drive", "space", *"servo", "slash", *"axis", "space", *"30", "enter", "escape", "2"
        )
        assert player.bench.assembly.joints["servo/axis"].position == 30
        assert player.app.screen.focused.id == "assembly"

    editor.play(story)
