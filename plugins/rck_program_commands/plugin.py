"""What this package adds to RCK."""

from rck.hooks import Program, ProgramLanguage, hookimpl
from rck.model import Robot


def _compile(text: str, robot: Robot) -> Program:
    from rck_program_commands.reader import read

    return read(text, robot)


@hookimpl
def rck_program_languages() -> list[ProgramLanguage]:
    """The language of plain commands."""
    return [ProgramLanguage("commands", "move_end_effector ROBOT ..., close_gripper ROBOT, ...", (".rckp",), _compile)]
