"""Files that replace others: a reader finds the old one or the new one, each whole."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from uuid import uuid4


def replace(path: Path, content: str | bytes) -> None:
    """Beside it first, then in its place: whoever is stopped meanwhile leaves what was there. The folder is made if
    there is none; a link stays a link; permissions stay."""
    path = path.resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{uuid4().hex}.draft")  # a name of its own: two may write at once
    try:
        with draft.open("xb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())  # else a crash of the system can leave the new name on an empty file
        if path.exists():
            shutil.copymode(path, draft)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
