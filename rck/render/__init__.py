"""Pictures of robots: cameras, scenes, pixels, terminal cells and files."""
