"""Shared code of importers: error findings, tokens, XML with line numbers, referenced files, meshes, and links."""
