"""The built-in commands, in one module for each topic; the order of this list is that of the help."""

from rck.grammar import CommandSpec
from rck.language.commands import (
    collision_commands,
    copy_commands,
    create_commands,
    explode_command,
    file_commands,
    finding_commands,
    frame_commands,
    history_commands,
    joint_commands,
    mate_commands,
    remove_commands,
    set_commands,
    show_commands,
    transform_commands,
)

COMMANDS: tuple[CommandSpec, ...] = (
    *create_commands.COMMANDS,
    *copy_commands.COMMANDS,
    *explode_command.COMMANDS,
    *frame_commands.COMMANDS,
    *mate_commands.COMMANDS,
    *transform_commands.COMMANDS,
    *set_commands.COMMANDS,
    *joint_commands.COMMANDS,
    *collision_commands.COMMANDS,
    *finding_commands.COMMANDS,
    *remove_commands.COMMANDS,
    *history_commands.COMMANDS,
    *file_commands.COMMANDS,
    *show_commands.COMMANDS,
)
