"""What has changed since a revision, for a lint of the change alone."""

from __future__ import annotations

from advisor.upstream.changes import changed_lines

__all__ = ["changed_lines"]
