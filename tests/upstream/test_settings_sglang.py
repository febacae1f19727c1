"""SGLang's ways of declaring flags, era by era, in miniature."""

from __future__ import annotations

import pytest

from tests.upstream.sources import flags

BY_HAND = """
    import dataclasses, sys
    from typing import Optional
    from sglang.srt.parser import ReasoningParser

    CHOICES = ["triton", "flashinfer"]

    @dataclasses.dataclass
    class ServerArgs:
        tp_size: int = 1
        watchdog_timeout: float = 300
        algorithm: Optional[str] = None
        queue: int = sys.maxsize

        @staticmethod
        def add_cli_args(parser):
            parser.add_argument("--tensor-parallel-size", "--tp-size", type=int, default=ServerArgs.tp_size)
            parser.add_argument("--watchdog-timeout", type=float, default=ServerArgs.watchdog_timeout)
            parser.add_argument("--speculative-algorithm", type=str, choices=["EAGLE", "NEXTN"])
            parser.add_argument("--attention-backend", choices=CHOICES + ["fa3"], default=ServerArgs.algorithm)
            parser.add_argument("--reasoning-parser", choices=list(ReasoningParser.DetectorMap.keys()))
            parser.add_argument("--disable-radix-cache", action="store_true")
            parser.add_argument("--max-queued-requests", type=int, default=ServerArgs.queue)
            parser.add_argument("--old", action=DeprecatedAction)
            parser.add_argument("--gone", action="store_true", default=argparse.SUPPRESS)

    class DeprecatedAction(argparse.Action):
        def __init__(self, option_strings, dest, nargs=0, **kwargs):
            super().__init__(option_strings, dest, nargs=nargs, **kwargs)
"""
PARSER = """
    class ReasoningParser:
        DetectorMap = {"deepseek-r1": 1, "qwen3": 2}
"""


@pytest.fixture(scope="module")
def by_hand():
    return flags("sglang", sglang__srt__server_args=BY_HAND, sglang__srt__parser=PARSER)


def test_the_first_long_spelling_is_canonical(by_hand):
    flag = by_hand["--tensor-parallel-size"]
    assert (flag.aliases, flag.type, flag.default) == (("--tp-size",), "int", 1)


def test_defaults_come_from_the_dataclass(by_hand):
    assert by_hand["--watchdog-timeout"].default == 300
    assert by_hand["--max-queued-requests"].default == 9223372036854775807


def test_choices_are_followed_across_files(by_hand):
    assert by_hand["--reasoning-parser"].choices == ("deepseek-r1", "qwen3")
    assert by_hand["--attention-backend"].choices == ("fa3", "flashinfer", "triton")


def test_no_default_given_is_none_and_a_switch_is_false(by_hand):
    assert (by_hand["--speculative-algorithm"].default, by_hand["--speculative-algorithm"].default_known) == (
        None,
        True,
    )
    assert (by_hand["--disable-radix-cache"].kind, by_hand["--disable-radix-cache"].default) == ("switch", False)


def test_an_action_class_that_takes_no_value_is_a_switch(by_hand):
    assert by_hand["--old"].kind == "switch"


def test_a_suppressed_default_is_not_known(by_hand):
    assert not by_hand["--gone"].default_known


ANNOTATED = """
    import argparse
    from sglang.srt.arg_groups.arg_utils import A, Arg
    from sglang.srt.arg_groups.fields import Parallel
    from sglang.srt.arg_groups.backend import Backend

    class ServerArgs:
        model_path: A[str, Arg(help="m", aliases=["--model"])]
        trust: A[bool, "Whether."] = False
        hidden: A[bool, Arg(no_cli=True)] = False
        internal: int = 3
        backend: A[Optional[Literal["full", "none"]], Arg(choices=Backend.ALL)] = None
        buckets: A[Optional[List[float]], "b"] = None
        replicate: A[Optional[bool], Arg(action=argparse.BooleanOptionalAction)] = None
        parser: A[str, Arg(no_cli=True)] = "auto"

        @staticmethod
        def add_cli_args(parser):
            add_cli_args_from_dataclass(parser, ServerArgs)
            parser.add_argument("--parser", default=_declared_default("parser"))
            if envs.SGLANG_ORACLE.get():
                extra = ["x"]
            else:
                extra = []
            parser.add_argument("--sampling", choices=["a"] + extra)

    _INPUT_NAMESPACES = [Parallel]
    ServerArgs = msgspec.defstruct("ServerArgs", [])
"""
FIELDS = """
    class Parallel(msgspec.Struct):
        _NS_PATH = "parallel"
        tp_size: A[int, Arg(help="t", aliases=["--tensor-parallel-size"])] = 1
        cuda: A["Optional[int]", Arg(cli_name="--cuda-graph-max-bs")] = None
"""
BACKEND = """
    class Backend:
        FULL = "full"
        NONE = "none"
        ALL = (FULL, NONE)
"""


@pytest.fixture(scope="module")
def annotated():
    return flags(
        "sglang",
        sglang__srt__server_args=ANNOTATED,
        sglang__srt__arg_groups__fields=FIELDS,
        sglang__srt__arg_groups__backend=BACKEND,
    )


def test_annotated_fields_add_their_own_flags(annotated):
    assert annotated["--model-path"].aliases == ("--model",)
    assert (annotated["--trust"].kind, annotated["--trust"].default) == ("switch", False)
    assert (annotated["--buckets"].kind, annotated["--buckets"].type) == ("list", "float")
    assert annotated["--replicate"].kind == "pair"


def test_namespace_classes_are_read_though_the_class_is_rebuilt(annotated):
    assert annotated["--tp-size"].aliases == ("--tensor-parallel-size",)
    assert annotated["--cuda-graph-max-bs"].type == "int"


def test_fields_without_a_flag_add_none(annotated):
    assert not {"--hidden", "--internal"} & set(annotated)


def test_choices_may_name_what_the_class_body_set_before(annotated):
    assert annotated["--backend"].choices == ("full", "none")


def test_a_declared_default_is_looked_up(annotated):
    assert annotated["--parser"].default == "auto"


def test_choices_that_hang_on_the_environment_are_not_read(annotated):
    assert annotated["--sampling"].choices is None
