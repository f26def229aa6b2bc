"""Help texts and the reference page, generated from the declarations of the commands."""

from rck.grammar import CommandOption, CommandSpec, Grammar


def overview(grammar: Grammar) -> str:
    """Return one line for each command."""
    width = max(len(name) for name in grammar.commands)
    lines = [f"{name:{width}}  {command.summary}" for name, command in grammar.commands.items()]
    return "\n".join([*lines, "`help COMMAND` explains a command. Commands can be abbreviated."])


def command_help(command: CommandSpec) -> str:
    """Return the usage, options, details and examples of a command."""
    lines = [f"{command.name}: {command.summary}", f"  {command.usage}"]
    if command.aliases:
        lines.append(f"  aliases: {', '.join(command.aliases)}")
    lines += [
        f"  {argument.name.upper()}: {argument.meaning}{' (optional)' if argument.optional else ''}"
        for argument in command.arguments
    ]
    for option in command.options:
        value = f" ({option.meaning})" if option.meaning else ""
        lines.append(f"  --{option.name}: {option.summary}{value}")
    if command.details:
        lines.append(command.details)
    lines += [f"  > {example}" for example in command.examples]
    return "\n".join(lines)


def reference(grammar: Grammar) -> str:
    """Return the reference of all commands in Markdown."""
    parts = []
    for command in grammar.commands.values():
        lines = [f"## {command.name}", "", f"{command.summary[0].upper()}{command.summary[1:]}.", ""]
        lines += ["```text", command.usage, "```", ""]
        if command.aliases:
            lines += [f"Aliases: {', '.join(f'`{alias}`' for alias in command.aliases)}.", ""]
        rows = [(f"`{argument.name.upper()}`", argument.meaning) for argument in command.arguments]
        rows += [(f"`--{option.name}`", _option_text(option)) for option in command.options]
        if rows:
            lines += ["| argument | meaning |", "|---|---|", *(f"| {word} | {text} |" for word, text in rows), ""]
        if command.details:
            lines += [command.details, ""]
        if command.examples:
            lines += ["```text", *command.examples, "```", ""]
        parts.append("\n".join(lines))
    return "\n".join(parts)


def _option_text(option: CommandOption) -> str:
    shown = [", ".join(option.choices), f"default: {option.default}" if option.default else ""]
    text = "; ".join(filter(None, shown))
    return f"{option.summary} ({text})" if text else option.summary
