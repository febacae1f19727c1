"""Puts the catalogue into the wheel: rules/ and knowledge/ become advisor/_data/rules and advisor/_data/knowledge.

A static `force-include` would copy them into an editable install as well, where they would go stale.
"""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

CATALOGUE = ("rules", "knowledge")


class CatalogueHook(BuildHookInterface):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Adds both folders to a real wheel; a missing one fails the build, as a wheel without it answers nothing."""
        if version == "editable":
            return
        for folder in CATALOGUE:
            build_data["force_include"][str(Path(self.root, folder))] = f"advisor/_data/{folder}"
