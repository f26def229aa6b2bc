"""The panels of the editor, one widget a file."""
