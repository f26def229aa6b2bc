"""Assets: binary files that a document refers to by the hash of their content.

They are in the folder `NAME.assets` next to the document. An asset that was just made keeps its content in memory until
the document is saved.
"""

import hashlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rck.support.finding import RckError

_NAME = re.compile(r"[0-9a-f]{32}\.(geometry|png|jpg)")
_LARGEST = 1 << 30
"""Maximum size in bytes."""


class Asset:
    """A binary file of a document. Assets with equal content are equal."""

    __slots__ = ("_content", "_folder", "name")

    def __init__(self, name: str, content: bytes | None = None, folder: Path | None = None) -> None:
        self.name = name
        """The file name: the hash of the content, with an extension for its type."""
        self._content = content
        self._folder = folder

    @classmethod
    def of(cls, content: bytes, extension: str) -> "Asset":
        """Return the asset with that content; `extension` is `geometry`, `png` or `jpg`."""
        return cls(f"{_digest(content)}.{extension}", content)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Asset) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"Asset({self.name!r})"

    @property
    def path(self) -> Path | None:
        """The file that it was read from; None if it was not saved yet."""
        return None if self._folder is None else self._folder / self.name

    def content(self) -> bytes:
        """Return the content; raise :class:`RckError` if the file is missing or damaged."""
        if self._content is not None:
            return self._content
        assert self._folder is not None
        path = self._folder / self.name
        try:
            if path.stat().st_size > _LARGEST:
                raise RckError(f"{path} is larger than {_LARGEST >> 30} GiB")
            content = path.read_bytes()
        except FileNotFoundError:
            message = f"the file {path} is missing: copy the folder {self._folder.name} together with the assembly"
            raise RckError(message) from None
        except OSError as error:
            raise RckError(f"{path}: {error.strerror}") from None
        if not self.name.startswith(_digest(content)):
            raise RckError(f"the file {path} is damaged: its content has changed; restore it, or import again")
        return content


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:32]


def is_asset_name(name: str) -> bool:
    """Return True if a file of that name is an asset, which nothing but a document refers to."""
    return _NAME.fullmatch(name) is not None


def asset_names_in(text: bytes) -> set[str]:
    """Return the names of assets that occur in a text."""
    return {match.group().decode() for match in re.finditer(_NAME.pattern.encode(), text)}


def decode_assets(folder: Path | None) -> Callable[[type, Any], Asset]:
    """Return a hook for msgspec that decodes the names of assets in a folder."""

    def decode(kind: type, value: Any) -> Asset:
        if kind is not Asset:
            raise NotImplementedError(kind)
        if not isinstance(value, str) or not _NAME.fullmatch(value):
            raise ValueError(f"{value!r} is not the name of an asset")
        return Asset(value, folder=folder)

    return decode


def asset_schema(kind: type) -> dict[str, Any]:
    """Return the JSON schema of an asset, as a hook for msgspec."""
    if kind is not Asset:
        raise NotImplementedError(kind)
    return {"type": "string", "pattern": f"^{_NAME.pattern}$"}
