"""The matrix of contacts: what is decided about each pair, changed by keys, undone like anything else."""

from textual.widgets import Static

from rck.editor.matrix_dialog import MatrixDialog, MatrixGrid


def told(player):
    return str(player.app.screen.query_one("#matrix-pair", Static).content)


def test_pairs_are_switched_sampled_and_forgotten_by_keys(editor, arm_file):
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
        assert told(player) == f"{' and '.join(free.items)} are tested: nothing was decided"
        await player.press("space")
        assert not grid.rule.tested
        assert told(player).endswith("you let them touch")
        await player.press("m")
        assert grid.rule.reason == "user"
        assert {rule.reason.value for rule in grid.rules.values()} & {"never", "always", "default"}
        await player.press("space")
        assert told(player).endswith("you want them tested")
        await player.press("delete")
        assert grid.rule.reason == "sometimes"
        await player.press("escape")
        assert not isinstance(player.app.screen, MatrixDialog)
        await player.press("ctrl+z", "ctrl+z", "ctrl+z", "ctrl+z")
        assert player.bench.assembly.contacts == []

    editor.play(story, file=arm_file)


def test_an_assembly_without_pairs_has_an_empty_matrix(editor):
    async def story(player):
        await player.press("f3", "m")
        assert told(player) == "there are no two items with shapes"
        await player.press("space", "delete", "down", "escape")
        assert player.bench.assembly.contacts == []

    editor.play(story)
