"""A request → where its engine runs, for the commands that an operator is asked to run there."""

from __future__ import annotations

from advisor.advice.commands import Place
from advisor.catalog.engines import engines, knowledge
from advisor.jobs.request import Request
from advisor.match.view import View
from advisor.model.deployment import Workload

RUNNERS = {"kubernetes": "kubernetes", "compose": "compose", "shell": "docker"}


def place_of(request: Request, view: View) -> Place:
    """The first place among the files given where this engine is started; the host itself where none says."""
    engine = view.base.engine
    known = view.knowledge
    profile = known.profile if known else {}
    flag = str(profile.get("port_flag") or "")
    given = view.ask("setting", flag).facts if flag else ()
    port = next((fact.value for fact in given if isinstance(fact.value, int)), None)
    one = _workload(request, engine)
    return Place(
        runner=RUNNERS.get(one.format, "") if one else "",
        kind=one.kind if one else "",
        name=one.name if one else "",
        namespace=one.namespace if one else "",
        container=one.container if one and one.format == "kubernetes" else "",
        processes=str(profile.get("processes") or ""),
        port=port,
        package=view.case.build.engine,
        **({"dump": str(profile["stack_dump"])} if "stack_dump" in profile else {}),
    )


def _workload(request: Request, engine: str) -> Workload | None:
    """A started engine in a container; a script that starts it on the host says nothing of a container."""
    if not any(
        b"image" in file.content or b"docker" in file.content or b"podman" in file.content for file in request.files
    ):
        return None
    from advisor.launches.files.recognise import read_file

    known = {name: knowledge(name) for name in engines()}
    for file in request.files:
        for one in read_file(file.name, file.content, known).workloads:
            in_container = one.format in ("kubernetes", "compose") or (one.format == "shell" and one.name)
            named = not any(word.startswith("-") for word in (one.name, one.namespace, one.container))  # or an option
            if in_container and named and one.launch.engine in ("", engine):
                return one
    return None
