from collections.abc import Callable
from pathlib import Path

from click.testing import CliRunner

from rck.hooks import CliCommand, Plugins
from rck.language.session import new_session
from rck.testing.contracts import Contribution

pytest_plugins = ["rck.testing.fixtures"]


def test_it_keeps_the_contract_of_subcommands(cli_command_contract: Callable[[str], None]) -> None:
    cli_command_contract("my-plugin")


def test_the_heaviest_comes_first(contribution: Contribution, installed_plugins: Plugins, tmp_path: Path) -> None:
    session = new_session(installed_plugins, tmp_path)
    session.do("create structure/plate small length=50 width=50")
    session.do("create structure/plate large length=100 width=100")
    session.do("save plates.rck")
    command = contribution(CliCommand, "my-plugin").command
    listed = CliRunner().invoke(command, [str(tmp_path / "plates.rck")])
    assert listed.exit_code == 0, listed.output
    assert [line.split()[1].partition("/")[0] for line in listed.output.splitlines()] == ["large", "small"]
