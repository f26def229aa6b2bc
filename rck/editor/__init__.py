"""The terminal editor: a Textual application in which everything that a user does is a command."""
