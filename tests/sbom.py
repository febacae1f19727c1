"""`python -m tests.sbom`: write `locks/inference-advisor.cdx.json`, what an installation consists of, as CycloneDX 1.6.

It is made of the locks alone: each component with its version, the hashes of its files at the index and what asks for
it; required where the command needs it, optional where only an extra does. No clock and no random number goes in, so
that the same locks make the same file, which travels in the wheel (`*.dist-info/sboms/`, PEP 770).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

from cyclonedx.model import ExternalReference, ExternalReferenceType, HashAlgorithm, HashType, XsUri
from cyclonedx.model.bom import Bom, BomMetaData
from cyclonedx.model.component import Component, ComponentScope, ComponentType
from cyclonedx.model.dependency import Dependency
from cyclonedx.model.license import LicenseExpression
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL

from advisor import __version__
from tests.locks import LOCKS, Locked, read

FILE = LOCKS / "inference-advisor.cdx.json"
NAME = "inference-advisor"
ROOT = f"{NAME} (pyproject.toml)"
SHIPPED = ("runtime", "serve", "mcp")
"""The locks of what a user installs; the first is what every user does."""


def components() -> dict[str, tuple[Locked, ComponentScope]]:
    """What is installed beside the advisor, by its reference, and whether always."""
    found: dict[str, tuple[Locked, ComponentScope]] = {}
    for lock in SHIPPED:
        own = ComponentScope.REQUIRED if lock == SHIPPED[0] else ComponentScope.OPTIONAL
        for one in _reached(read(lock)):
            before, scope = found.get(_ref(one), (one, own))
            asked = tuple(dict.fromkeys((*before.by, *one.by)))  # more ask for it where there are more
            found[_ref(one)] = replace(one, by=asked), scope
    return dict(sorted(found.items()))


def _reached(lines: Iterable[Locked]) -> list[Locked]:
    """Those that the project asks for, or what it asks for does; the build backend is none."""
    there, names = list(lines), {ROOT}
    while more := {one.name for one in there if names & {_asker(by) for by in one.by}} - names:
        names |= more
    return [one for one in there if one.name in names]


def _asker(by: str) -> str:
    return by if by == ROOT else by.partition("[")[0]


def _ref(one: Locked) -> str:
    return f"pkg:pypi/{one.name}@{one.version}"


def bom() -> Bom:
    """The bill of materials."""
    own = Component(
        type=ComponentType.APPLICATION,
        name=NAME,
        version=__version__,
        bom_ref=f"pkg:pypi/{NAME}@{__version__}",
        purl=PackageURL("pypi", None, NAME, __version__),
        licenses=[LicenseExpression("Apache-2.0")],
    )
    told = components()
    made = {ref: _component(ref, one, scope) for ref, (one, scope) in told.items()}
    asks: dict[str, list[Component]] = {}
    for ref, (one, _) in told.items():
        for by in one.by:
            asks.setdefault(_asker(by), []).append(made[ref])
    links = [_dependency(own, asks.get(ROOT, []))]
    links += [_dependency(made[ref], asks.get(one.name, [])) for ref, (one, _) in told.items()]
    serial = uuid5(NAMESPACE_URL, " ".join((own.bom_ref.value or "", *told)))
    return Bom(components=made.values(), dependencies=links, serial_number=serial, metadata=_undated(own))


def _undated(own: Component) -> BomMetaData:
    metadata = BomMetaData(component=own)
    metadata.timestamp = None  # type: ignore[assignment] # left out of what is written: the same locks, the same bytes
    return metadata


def _component(ref: str, one: Locked, scope: ComponentScope) -> Component:
    files = [HashType(alg=HashAlgorithm.SHA_256, content=each.partition(":")[2]) for each in one.hashes]
    at = XsUri(f"https://pypi.org/project/{one.name}/{one.version}/#files")
    where = ExternalReference(type=ExternalReferenceType.DISTRIBUTION, url=at, hashes=files)
    return Component(
        name=one.name,
        version=one.version,
        bom_ref=ref,
        scope=scope,
        purl=PackageURL("pypi", None, one.name, one.version),
        external_references=[where],
    )


def _dependency(of: Component, on: Iterable[Component]) -> Dependency:
    return Dependency(of.bom_ref, [Dependency(one.bom_ref) for one in on])


def text() -> str:
    """The file's text. Raises ValueError where CycloneDX's own schema does not take it."""
    made = JsonV1Dot6(bom()).output_as_string(indent=1) + "\n"
    if problem := JsonStrictValidator(SchemaVersion.V1_6).validate_str(made):
        raise ValueError(str(problem)[:2000])
    return made


def main(file: Path = FILE) -> None:
    """Writes the file and says what is in it."""
    file.write_text(text())
    scopes = [scope for _, scope in components().values()]
    required = scopes.count(ComponentScope.REQUIRED)
    print(
        f"sbom: {file.name}: {required} components required, {len(scopes) - required} of extras; CycloneDX 1.6, valid"
    )


if __name__ == "__main__":
    main()
