"""Command language: the document, the session with undo, and all commands of scripts and of the editor."""
