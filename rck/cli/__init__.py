"""Command line: one module per subcommand of `rck`, imported when it is called."""
