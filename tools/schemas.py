"""Write the JSON Schemas of the native file and of part manifests: `python tools/schemas.py`.

Editors with support for YAML schemas complete and check `.rck` and manifest files with them.
"""

import json
from pathlib import Path
from typing import Any

import msgspec

from rck.assembly.document import Assembly
from rck.parts.assets import asset_schema
from rck.parts.manifest import Manifest

FOLDER = Path(__file__).parent.parent / "docs" / "schemas"
SCHEMAS = {"assembly.schema.json": Assembly, "part.schema.json": Manifest}


def schema_text(kind: type[Any]) -> str:
    """Return the schema of a record as deterministic text."""
    return json.dumps(msgspec.json.schema(kind, schema_hook=asset_schema), indent=2, sort_keys=True) + "\n"


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, kind in SCHEMAS.items():
        (FOLDER / name).write_text(schema_text(kind), encoding="utf-8")
