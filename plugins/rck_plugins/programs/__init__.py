"""Robot program languages."""
