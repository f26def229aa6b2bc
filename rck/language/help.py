"""Help from the one place where commands are described: their specifications."""

from rck.language.grammar import CommandSpec, Grammar


def overview(grammar: Grammar) -> str:
    """All commands, a line each."""
    width = max(len(name) for name in grammar.commands)
    lines = [f"{name:{width}}  {one.summary}" for name, one in grammar.commands.items()]
    return "\n".join([*lines, "`help COMMAND` explains one; the beginning of a command's name is enough."])


def command_help(command: CommandSpec) -> str:
    """One command: usage, options, details, examples."""
    lines = [f"{command.name}: {command.summary}", f"  {command.usage}"]
    if command.aliases:
        lines.append(f"  also: {', '.join(command.aliases)}")
    for argument in command.arguments:
        meaning = " or ".join(argument.choices) if argument.choices else argument.kind.value
        lines.append(f"  {argument.name.upper()}: {meaning}{' (optional)' if argument.optional else ''}")
    for option in command.options:
        value = "" if option.kind is None else f" ({'|'.join(option.choices) or option.kind.value})"
        lines.append(f"  --{option.name}: {option.summary}{value}")
    if command.details:
        lines.append(command.details)
    lines += [f"  > {example}" for example in command.examples]
    return "\n".join(lines)


def reference(grammar: Grammar) -> str:
    """All commands as a page of documentation."""
    parts = []
    for command in grammar.commands.values():
        lines = [f"## {command.name}", "", f"{command.summary[0].upper()}{command.summary[1:]}.", ""]
        lines += ["```text", command.usage, "```", ""]
        if command.aliases:
            lines += [f"Also: {', '.join(f'`{alias}`' for alias in command.aliases)}.", ""]
        rows = [(f"`{one.name.upper()}`", " or ".join(one.choices) or one.kind.value) for one in command.arguments]
        rows += [(f"`--{one.name}`", _option_text(one.summary, one.choices)) for one in command.options]
        if rows:
            lines += ["| word | meaning |", "|---|---|", *(f"| {word} | {text} |" for word, text in rows), ""]
        if command.details:
            lines += [command.details, ""]
        if command.examples:
            lines += ["```text", *command.examples, "```", ""]
        parts.append("\n".join(lines))
    return "\n".join(parts)


def _option_text(summary: str, choices: tuple[str, ...]) -> str:
    return summary if not choices else f"{summary} ({', '.join(choices)})"
