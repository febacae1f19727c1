"""Keywords of an engine's Python entry point × its release -> what the call is refused for.

    LLM("m", dtype="float17")     not among the choices that the flag of that name has
    LLM("m", no_such=3)           an argument of no release: EngineArgs takes no others

A keyword is judged as the flag of its name: vLLM's `LLM` hands what it does not take itself to `EngineArgs`, whose
fields the command line is made of. Numbers, objects and the names of classes (`pkg.Executor`) are Python's own.

**Source:** vllm-project/vllm, vllm/entrypoints/llm.py at 0012cf691b7e (`LLM.__init__`: `EngineArgs(…, **kwargs)`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from advisor.jobs.discrepancies import release_at
from advisor.match.fitting import fit
from advisor.match.misfits import Release, nearest
from advisor.match.view import View
from advisor.model.knowledge import Knowledge
from advisor.model.launch import Launch, Setting
from advisor.model.report import Discrepancy


def misgiven(view: View) -> Iterator[Discrepancy]:
    """What is wrong with the keywords of a case's launches, in the order given."""
    known = view.knowledge
    release = release_at(view)
    for launch in view.case.launches:
        if known is None or not launch.exact or launch.engine not in ("", known.engine):
            continue
        for one in launch.settings:
            if one.typed.isidentifier() and one.origin == "stated" and "." not in one.flag:
                yield from _judged(one, launch, known, release)


def _judged(given: Setting, launch: Launch, known: Knowledge, release: Release | None) -> Iterator[Discrepancy]:
    if not given.known:
        yield _unknown(given, launch, known, release)
        return
    here = known.setting(given.flag, release.version) if release is not None and release.exact else None
    if release is None or here is None or not isinstance(given.value, str) or "." in given.value:
        return
    as_flag = replace(given, typed=here.flag, raw=given.value)
    style = str(known.profile.get("flag_style") or "argparse")
    if (found := fit(as_flag, here, known.records(given.flag), style)) and found.code == "setting-value":
        says = f"{release.named(known.engine)} {found.says}"
        yield _found("setting-value", given, launch, says, sure=True)


def _unknown(given: Setting, launch: Launch, known: Knowledge, release: Release | None) -> Discrepancy:
    near = (nearest(given.flag, known) or "").removeprefix("--").replace("-", "_")
    meant = f"; did you mean {near}?" if near else ""
    says = f"{given.typed} is an argument of no {known.engine} release read{meant}"
    return _found("setting-unknown", given, launch, says, sure=release is not None and release.exact)


def _found(code: str, given: Setting, launch: Launch, says: str, *, sure: bool) -> Discrepancy:
    return Discrepancy(
        code=code,
        level="error" if sure else "warning",
        subject=given.flag,
        typed=given.typed,
        place=str(given.span or launch.artifact),
        quote=given.quote,
        says=says,
        instead="",
        inverted=False,
        sources=(),
    )
