"""The allowed-collision matrix: the rule of each pair is changed by keys and can be undone."""

from textual.widgets import Static

from rck.editor.dialogs.collision_matrix import MatrixDialog, MatrixGrid


def told(player):
    return str(player.app.screen.query_one("#matrix-pair", Static).content)


def test_pairs_are_toggled_sampled_and_cleared_by_keys(editor, arm_file):
    async def story(player):
        await player.press("f3", "m")
        assert isinstance(player.app.screen, MatrixDialog)
        grid = player.app.screen.query_one(MatrixGrid)
        pairs = len(grid.names) * (len(grid.names) - 1) // 2
        assert len(grid.rules) == pairs > 2
        await player.press(*["down"] * len(grid.names))
        assert (grid.row, grid.column) == (len(grid.names) - 1, 0)
        free = grid.rule
        assert free.tested
        assert told(player) == f"{' and '.join(free.items)}: tested (tested by default)"
        await player.press("space")
        assert not grid.rule.tested
        assert told(player).endswith("contact allowed (allowed by you)")
        await player.press("m")
        assert grid.rule.reason == "user"
        assert {rule.reason.value for rule in grid.rules.values()} & {"never", "always", "default"}
        await player.press("space")
        assert told(player).endswith("tested (tested on your request)")
        await player.press("delete")
        assert grid.rule.reason == "sometimes"
        await player.press("escape")
        assert not isinstance(player.app.screen, MatrixDialog)
        await player.press("ctrl+z", "ctrl+z", "ctrl+z", "ctrl+z")
        assert player.bench.assembly.contacts == []

    editor.play(story, file=arm_file)


def test_assembly_without_pairs_has_an_empty_matrix(editor):
    async def story(player):
        await player.press("f3", "m")
        assert told(player) == "no pairs: fewer than two items have shapes"
        await player.press("space", "delete", "down", "escape")
        assert player.bench.assembly.contacts == []

    editor.play(story)
