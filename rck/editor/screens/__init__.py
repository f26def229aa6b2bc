"""The screens of the editor: Build, Move, Simulate, Import, Plugins."""
