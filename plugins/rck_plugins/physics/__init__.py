"""Physics engines."""
