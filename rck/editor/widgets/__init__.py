"""The widgets of the editor: panels, views, bars and cards."""
