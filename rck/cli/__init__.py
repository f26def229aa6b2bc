"""The `rck` command: one module per subcommand, imported when it is called."""
