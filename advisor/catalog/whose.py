"""A rule of a user's own, as plain data → the same, saying whose it is wherever it is shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

_CAVEAT = "A rule of your own folder: what it says and the commands in it are its author's, not the advisor's."
_CHINESE = "这是您自己文件夹中的规则：其中的说法和命令出自其作者，并非本工具。"


def marked(raw: dict[str, Any], base: Path) -> dict[str, Any]:
    """A rule's plain data, saying whose it is wherever it is shown."""
    name, zh = base.name[:60], raw.get("zh") or {}
    said = {**zh, "caveats": [_CHINESE, *(zh.get("caveats") or ())]}
    if "summary" in zh:
        said["summary"] = f"{zh['summary']}（您自己的规则：{name}）"
    summary, caveats = f"{raw['summary']} (your own rule: {name})", [_CAVEAT, *(raw.get("caveats") or ())]
    return {**raw, "summary": summary, "caveats": caveats, "zh": said}
