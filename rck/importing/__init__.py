"""What importers share: refusals, tokens, XML with its lines, files in files, meshes, convex pieces, and links."""
