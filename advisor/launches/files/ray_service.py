"""RayService -> the engines its Serve applications start: YAML within YAML.

    serveConfigV2: |                                        -> a workload per application, or per entry of its
      applications:                                            `llm_configs`: the pinned version, the variables,
      - runtime_env: {pip: ["vllm==0.5.4"], env_vars: {…}}     and engine_kwargs as settings
        args: {llm_configs: [{engine_kwargs: {…}}]}

Ray's LLM server is vLLM, and refuses an `engine_kwargs` that is no argument of it; an application of the user's own
code is a launch whose settings are not here.

**Source:** kuberay ray-operator/config/samples/vllm/ray-service.vllm.yaml at 09a89552e7f0; Ray 2.50, ray.serve.llm
(LLMConfig: model_loading_config, engine_kwargs); ray-project/ray#64466 ("Unknown engine argument", 2026-07-01). Read
2026-11-29.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from advisor.launches.files import mapped, pod, quantities, scalars
from advisor.launches.files.assembly import launches
from advisor.launches.files.marks import Node
from advisor.launches.files.origins import inside
from advisor.launches.files.pins import requirement
from advisor.launches.files.pod import Around
from advisor.launches.files.sources import image_source
from advisor.launches.files.typed import File, Typed
from advisor.model.deployment import Resources, VersionSource, Workload
from advisor.model.fact import Note


def workloads(serve: Node, node: Node, file: File, around: Around) -> Iterator[Workload]:
    """The engines of `serveConfigV2`, a text or a map."""
    roots = [one.root for one in inside(serve, file.seen)] if serve.kind == "text" else [serve]
    for root in roots:
        apps = root.get("applications") if root is not None else None
        for app in apps.items if apps is not None else ():
            yield from _application(app, node, file, around)


def _application(app: Node, node: Node, file: File, around: Around) -> Iterator[Workload]:
    runtime = app.get("runtime_env")
    given = scalars.variables(runtime.get("env_vars") if runtime else None, file)
    configs = app.get("args", "llm_configs")
    pieces = [one for one in configs.items if one.kind == "map"] if configs is not None else []
    installed = dict(_installed(runtime, file))
    engine = next((name for name in file.engines if name in installed), "")
    if not engine and (pieces or "vllm" in app.said("import_path").lower()):
        engine = "vllm"
    if not engine:
        return
    for piece in pieces or [app]:
        words = scalars.Argv()
        for key, value in (piece.get("engine_kwargs") or Node("map", 0, 0)).mapping().values():
            mapped.add(words, key, value)
        loading = piece.get("model_loading_config")
        named = (loading.mapping().get("model_source") or loading.mapping().get("model_id")) if loading else None
        own = given + scalars.variables(piece.get("runtime_env", "env_vars") if piece is not app else None, file)
        typed = Typed(
            words.words or [], app.start, app.end, "mapping value", words.forms, own,
            whole=False, follows=True, mapped=bool(pieces),
        )  # fmt: skip
        made = launches(typed, file, engine=engine)
        for one in made:
            if named and named[1].kind == "text":
                one = replace(one, launch=replace(one.launch, model=named[1].text))
            count = next((n for n in _counts(app, piece)), None)
            notes = (
                Note(
                    "hint", "Ray Serve starts the engine: what its code sets is not here", file.span(app.start, app.end)
                ),
            )
            yield one.workload(
                file,
                file.place(app.start, app.end, "mapping value"),
                kind=around.kind,
                name=around.name,
                namespace=around.namespace,
                container=app.said("name"),
                versions=(*([installed[engine]] if engine in installed else ()), *_images(node, file)),
                resources=_resources(node, file, around),
                replicas=quantities.quantity(count, file),
                annotations=around.annotations,
                notes=notes,
            )


def _installed(runtime: Node | None, file: File) -> Iterator[tuple[str, VersionSource]]:
    """The engines that the runtime environment installs, each with what pins it."""
    for path in (("pip",), ("pip", "packages"), ("uv",), ("uv", "packages")):
        listed = runtime.get(*path) if runtime is not None else None
        for one in listed.items if listed is not None else ():
            if one.kind == "text" and (pin := requirement(one.text, one.start, file.knowledge)):
                yield pin.engine, VersionSource(pin.kind, pin.text, file.place(one.start, one.end, "text"))


def _images(node: Node, file: File) -> tuple[VersionSource, ...]:
    """The image of the workers, where it is an engine's."""
    groups = node.get("spec", "rayClusterConfig", "workerGroupSpecs")
    for group in groups.items if groups is not None else ():
        held = group.get("template", "spec", "containers")
        for one in held.items if held is not None else ():
            image = one.get("image")
            if image is not None and file.engine_of(image.text):
                return image_source(image.text, file.place(image.start, image.end, "mapping value"))
    return ()


def _counts(app: Node, piece: Node) -> Iterator[Node]:
    for path in (("deployment_config", "num_replicas"), ("deployment_config", "autoscaling_config", "min_replicas")):
        if (found := piece.get(*path)) is not None:
            yield found
    deployments = app.get("deployments")
    for one in deployments.items if deployments is not None else ():
        if (found := one.get("num_replicas")) is not None:
            yield found


def _resources(node: Node, file: File, around: Around) -> Resources:
    """Those of the first worker container that has GPUs."""
    groups = node.get("spec", "rayClusterConfig", "workerGroupSpecs")
    for group in groups.items if groups is not None else ():
        spec = group.get("template", "spec")
        held = spec.get("containers") if spec is not None else None
        for one in held.items if held is not None else ():
            found = pod.resources(one, file, replace(around, pod=spec))
            if found.gpus is not None:
                return found
    return Resources()
