"""The parts catalogue: manifests, parameters, ports, and finding the right part."""
