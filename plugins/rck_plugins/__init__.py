"""The plugins that ship with RCK, one folder for each kind."""
