"""The command language: one grammar for the console, for scripts and for the editor's command line."""
