"""Parts catalogue: manifests, parameters, ports, and search."""
