"""Contract tests and test robots, for plugin authors and for RCK's own tests."""
