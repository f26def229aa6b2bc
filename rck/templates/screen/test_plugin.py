from collections.abc import Callable
from pathlib import Path

from rck.hooks import EditorContext, EditorScreen, PanelTable, Plugins
from rck.language.session import new_session
from rck.testing.contracts import Contribution

pytest_plugins = ["rck.testing.fixtures"]


def test_it_keeps_the_contract_of_screens(screen_contract: Callable[[str], None]) -> None:
    screen_contract("my-plugin")


def test_it_lists_the_instances(contribution: Contribution, installed_plugins: Plugins, tmp_path: Path) -> None:
    session = new_session(installed_plugins, tmp_path)
    session.do("create structure/plate top")
    screen = contribution(EditorScreen, "my-plugin")
    context = EditorContext(session.document)
    table = list(screen.show(context))[1]
    assert isinstance(table, PanelTable)
    assert table.rows == (("top", "structure/plate"),)
    assert table.choose is not None
    table.choose(context, 0)
    assert "top" in session.do(context.commands[0]).message
