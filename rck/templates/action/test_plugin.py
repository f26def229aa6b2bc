from collections.abc import Callable
from pathlib import Path

import pytest

from rck.hooks import EditorAction, EditorContext, Plugins
from rck.language.session import new_session
from rck.model import RckError
from rck.testing.contracts import Contribution
from rck.testing.editor import editor_context

pytest_plugins = ["rck.testing.fixtures"]


def test_it_keeps_the_contract_of_actions(action_contract: Callable[[str], None]) -> None:
    action_contract("my-plugin")


def test_its_commands_copy_the_selection(
    contribution: Contribution, installed_plugins: Plugins, tmp_path: Path
) -> None:
    session = new_session(installed_plugins, tmp_path)
    session.do("create structure/plate top")
    context = EditorContext(session.document, selection=("top",))
    contribution(EditorAction, "my-plugin").run(context)
    for command in context.commands:
        session.do(command)
    assert len(session.assembly.parts) == 2


def test_it_refuses_without_a_selection(contribution: Contribution) -> None:
    with pytest.raises(RckError, match="select an instance"):
        contribution(EditorAction, "my-plugin").run(editor_context())
