"""Terminal editor: a Textual application in which every user action is a command."""
