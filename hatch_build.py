"""Puts the catalogue into the wheel: rules/ and knowledge/ become advisor/_data/rules and advisor/_data/knowledge, and
beside them stand the compiled forms, so that no installation ever parses YAML to answer.

A static `force-include` would copy them into an editable install as well, where they would go stale.
"""

import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

CATALOGUE = ("rules", "knowledge")


class CatalogueHook(BuildHookInterface):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Adds folders and compiled forms to a real wheel; a fault in a rule fails the build."""
        if version == "editable":
            return
        for folder in CATALOGUE:
            build_data["force_include"][str(Path(self.root, folder))] = f"advisor/_data/{folder}"
        for file in self.compiled():
            build_data["force_include"][str(file)] = f"advisor/_data/{file.name}"

    def compiled(self) -> list[Path]:
        """The compiled catalogue and engine profiles, in a folder of their own until the wheel is written."""
        sys.path.insert(0, self.root)
        from advisor.catalog import compiling, engines, histories, kept, layout, replacements

        self.folder = tempfile.TemporaryDirectory()
        catalogue = compiling.compile_rules(Path(self.root, "rules"))
        if problems := layout.header(catalogue)["problems"]:
            raise SystemExit("\n".join(problems))
        files = [Path(self.folder.name, layout.SHIPPED), Path(self.folder.name, "engines.json")]
        kept.write(files[0], catalogue)
        kept.write(files[1], engines.compile_profiles(Path(self.root, "knowledge")))
        for settings in sorted(Path(self.root, "knowledge").glob("*/settings.json")):
            files.append(Path(self.folder.name, histories.shipped_name(settings.parent.name)))
            kept.write(files[-1], histories.compile_settings(settings))
        files.append(Path(self.folder.name, replacements.SHIPPED))
        kept.write(files[-1], replacements.compile_replacements(Path(self.root, "knowledge")))
        return files

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """The compiled forms are in the wheel now."""
        if hasattr(self, "folder"):
            self.folder.cleanup()
