"""What importers share: XML that knows its lines, files named inside files, meshes, convex pieces, and links."""
