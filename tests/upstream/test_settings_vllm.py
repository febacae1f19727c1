"""vLLM's ways of declaring flags, era by era, in miniature."""

from __future__ import annotations

import pytest

from advisor.errors import UpstreamError
from tests.upstream.sources import Sources, flags, surface

SERVE = """
    from vllm.entrypoints.openai.cli_args import make_arg_parser
    from vllm.utils import FlexibleArgumentParser

    class ServeSubcommand:
        def subparser_init(self, subparsers):
            serve_parser = subparsers.add_parser("serve")
            return make_arg_parser(serve_parser)
"""
CLI = """
    import json
    from dataclasses import field
    from vllm.config import config
    from vllm.engine.arg_utils import EngineArgs, get_kwargs

    @config
    class BaseFrontendArgs:
        root_path: str | None = None
        @classmethod
        def _customize(cls, kwargs):
            return kwargs
        @classmethod
        def add_cli_args(cls, parser):
            kwargs = cls._customize(get_kwargs(cls))
            for key, value in kwargs.items():
                parser.add_argument(f"--{key.replace('_', '-')}", **value)
            return parser

    @config
    class FrontendArgs(BaseFrontendArgs):
        port: int = 8000
        allowed_origins: list[str] = field(default_factory=lambda: ["*"])
        middleware: list[str] = field(default_factory=lambda: [])
        @classmethod
        def _customize(cls, kwargs):
            kwargs = super()._customize(kwargs)
            kwargs["allowed_origins"]["type"] = json.loads
            del kwargs["allowed_origins"]["nargs"]
            kwargs["middleware"]["action"] = "append"
            del kwargs["middleware"]["nargs"]
            return kwargs

    def make_arg_parser(parser):
        parser.add_argument("model_tag", nargs="?")
        parser.add_argument("--headless", action="store_true", default=False)
        parser = FrontendArgs.add_cli_args(parser)
        return EngineArgs.add_cli_args(parser)
"""
CONFIG = """
    from typing import Any, Literal, Optional, Union
    from dataclasses import field
    from pydantic import Field
    from vllm.extra import *

    Method = Literal["ngram", "eagle"]

    @config
    class SpeculativeConfig:
        method: str = "ngram"

    @config
    class ParallelConfig:
        pipeline_parallel_size: int = 1
        distributed_executor_backend: Optional[Union[Backend, type]] = None
        enforce_eager: bool = False
        max_seqs: int = Field(default=128, ge=1)
        seeds: list[int] = field(default_factory=list)
        overrides: Union[dict[str, Any], str] = field(default_factory=dict)
        kv: dict[str, int] = field(default_factory=dict)
        hf_token: Optional[Union[bool, str]] = None
        where: str = os.getcwd()
        method: Optional[Method] = None
        speculative_config: Optional[SpeculativeConfig] = None
        spec_made: SpeculativeConfig = field(default_factory=SpeculativeConfig)
        mask: ClassVar[int] = 3
"""
ENGINE = """
    import json
    import sys
    import argparse
    from vllm.config import ParallelConfig

    def get_kwargs(cls):
        return {}  # known to the reader by its name

    class EngineArgs:
        plain: int = 5
        @staticmethod
        def add_cli_args(parser):
            kwargs = get_kwargs(ParallelConfig)
            group = parser.add_argument_group("parallel")
            if not ("serve" in sys.argv[1:] and "--help" in sys.argv[1:]):
                group.add_argument("--model", default="tiny")
            group.add_argument("--pipeline-parallel-size", "-pp", **kwargs["pipeline_parallel_size"])
            group.add_argument("--distributed-executor-backend", **kwargs["distributed_executor_backend"])
            group.add_argument("--enforce-eager", **kwargs["enforce_eager"])
            group.add_argument("--max-seqs", **{**kwargs["max_seqs"], "default": None})
            group.add_argument("--max-seqs-declared", **kwargs["max_seqs"])
            group.add_argument("--seeds", **kwargs["seeds"])
            group.add_argument("--overrides", **kwargs["overrides"])
            group.add_argument("--kv", **kwargs["kv"])
            group.add_argument("--hf-token", **kwargs["hf_token"])
            group.add_argument("--where", **kwargs["where"])
            group.add_argument("--method", **kwargs["method"])
            kwargs["speculative_config"]["type"] = optional_type(json.loads)
            group.add_argument("--speculative-config", **kwargs["speculative_config"])
            group.add_argument("--spec-made", **kwargs["spec_made"])
            group.add_argument("--enable-lora", action=argparse.BooleanOptionalAction)
            group.add_argument("--plain", type=int, default=EngineArgs.plain)
            return parser
"""
FILES = {
    "vllm__entrypoints__cli__serve": SERVE,
    "vllm__entrypoints__openai__cli_args": CLI,
    "vllm__engine__arg_utils": ENGINE,
    "vllm__config": CONFIG,
    "vllm__extra": 'Backend = Literal["ray", "mp"]',
}


CHECKED = """
    from typing import Literal, Union
    from pydantic.dataclasses import dataclass
    from pydantic import field_validator

    Eagle = Literal["eagle", "eagle3"]
    Method = Literal["ngram", Eagle]

    def config(cls):
        return dataclass(cls)

    @config
    class SpeculativeConfig:
        method: Method | None = None
        model: str | None = None
        either: Literal["a"] | str = "a"
        backend: Literal["auto", "triton"] = "auto"

        @field_validator("backend", mode="before")
        def _lower(cls, value):
            return value.lower()

    @config
    class ParallelConfig:
        speculative_config: SpeculativeConfig | None = None
        hf_token: bool | str | None = None
"""
CHECKED_ENGINE = """
    import json
    from vllm.config import ParallelConfig

    def get_kwargs(cls):
        return {}

    class EngineArgs:
        @staticmethod
        def add_cli_args(parser):
            kwargs = get_kwargs(ParallelConfig)
            kwargs["speculative_config"]["type"] = optional_type(json.loads)
            parser.add_argument("--speculative-config", **kwargs["speculative_config"])
            parser.add_argument("--hf-token", **kwargs["hf_token"])
            parser.add_argument("--max-seqs", type=int, default=3)
            return parser
"""


@pytest.mark.parametrize(
    ("dataclass", "keys"),
    [
        ("pydantic.dataclasses", {"method": ("eagle", "eagle3", "ngram")}),
        ("dataclasses", {}),  # the standard library's checks nothing
    ],
)
def test_the_keys_of_a_checked_object_have_the_values_that_pydantic_takes(dataclass, keys):
    files = {**FILES, "vllm__engine__arg_utils": CHECKED_ENGINE}
    files["vllm__config"] = CHECKED.replace("pydantic.dataclasses", dataclass)
    found = flags("vllm", **files)
    assert found["--speculative-config"].keys == keys
    assert (found["--hf-token"].optional, found["--max-seqs"].optional) == (True, False)


@pytest.fixture(scope="module")
def read():
    return flags("vllm", **FILES)


def test_a_field_gives_its_flag_type_and_default(read):
    flag = read["--pipeline-parallel-size"]
    assert (flag.kind, flag.type, flag.default, flag.aliases) == ("value", "int", 1, ("-pp",))


def test_a_bool_field_is_a_pair(read):
    assert (read["--enforce-eager"].kind, read["--enforce-eager"].default) == ("pair", False)


def test_a_pair_without_a_default_defaults_to_none_not_false(read):
    assert (read["--enable-lora"].kind, read["--enable-lora"].default) == ("pair", None)
    assert read["--enable-lora"].default_known


def test_an_optional_literal_is_flattened_to_its_choices(read):
    assert read["--method"].choices == ("eagle", "ngram")
    assert read["--method"].type == "str"


def test_a_literal_is_found_through_a_star_import(read):
    assert read["--distributed-executor-backend"].choices == ("mp", "ray")


def test_the_parser_s_default_beats_the_field_s(read):
    assert read["--max-seqs"].default is None
    assert read["--max-seqs-declared"].default == 128


def test_dict_fields_take_json(read):
    assert (read["--kv"].kind, read["--kv"].type, read["--kv"].default) == ("json", None, {})


def test_a_dict_or_str_field_takes_json_or_text(read):
    assert (read["--overrides"].kind, read["--overrides"].type) == ("json", "str")


def test_config_class_fields_take_json(read):
    assert read["--speculative-config"].kind == "json"
    assert (read["--spec-made"].kind, read["--spec-made"].default) == ("json", {})


def test_a_list_field_is_a_list(read):
    assert (read["--seeds"].kind, read["--seeds"].type, read["--seeds"].default) == ("list", "int", [])


def test_bool_or_text_takes_a_value(read):
    assert (read["--hf-token"].kind, read["--hf-token"].type) == ("value", "str")


def test_a_default_of_the_machine_is_not_known(read):
    assert not read["--where"].default_known
    assert "1.0.0: default of --where" in surface("vllm", **FILES).not_read


def test_the_plain_era_reads_class_defaults(read):
    assert read["--plain"].default == 5


def test_an_argument_under_an_undecided_condition_is_kept(read):
    assert read["--model"].default == "tiny"


def test_frontend_fields_are_changed_by_each_class_in_turn(read):
    assert (read["--allowed-origins"].kind, read["--allowed-origins"].default) == ("json", ["*"])
    assert (read["--middleware"].kind, read["--middleware"].default) == ("list", [])
    assert read["--root-path"].default is None
    assert read["--port"].default == 8000


def test_positionals_are_no_flags(read):
    assert not any("model_tag" in name for name in read)


def test_disable_spellings_are_negations_where_the_parser_adds_them():
    action = """
        class EnableDisableAction(BooleanOptionalAction):
            _inverse_prefixes = {"--enable-": "--disable-", "--disable-": "--enable-"}
    """
    read = flags("vllm", **FILES, vllm__utils__argparse_utils=action)
    assert read["--enable-lora"].negations == ("--disable-lora",)
    assert read["--enforce-eager"].negations == ()


def test_the_first_get_kwargs_left_switches_and_choices_to_the_caller():
    config = """
        @config
        class ParallelConfig:
            workers: Optional[int] = None
            custom: bool = False
            size: int = 1
    """
    engine = """
        from vllm.config import ParallelConfig
        class EngineArgs:
            @staticmethod
            def add_cli_args(parser):
                def get_kwargs(cls):
                    return {}
                kwargs = get_kwargs(ParallelConfig)
                parser.add_argument("--workers", **kwargs["workers"])
                parser.add_argument("--custom", action="store_true", **kwargs["custom"])
                parser.add_argument("--size", **kwargs["size"])
                return parser
    """
    cli = """
        from vllm.engine.arg_utils import EngineArgs
        def make_arg_parser(parser):
            return EngineArgs.add_cli_args(parser)
    """
    files = {**FILES, "vllm__config": config, "vllm__engine__arg_utils": engine}
    read = flags("vllm", **{**files, "vllm__entrypoints__openai__cli_args": cli})
    assert (read["--workers"].type, read["--custom"].kind, read["--size"].type) == ("str", "switch", "int")


def test_no_serve_command_is_said_not_guessed():
    with pytest.raises(UpstreamError, match="ServeSubcommand"):
        surface("vllm", vllm__envs="")


def test_branches_that_disagree_leave_the_default_unknown():
    engine = """
        class EngineArgs:
            @staticmethod
            def add_cli_args(parser):
                if current_platform.is_tpu():
                    parser.add_argument("--block-size", type=int, default=128)
                    size = 1
                else:
                    parser.add_argument("--block-size", type=int, default=16)
                    size = 2
                parser.add_argument("--size", type=int, default=size)
                return parser
    """
    read = flags("vllm", **{**FILES, "vllm__engine__arg_utils": engine})
    assert (read["--block-size"].default_known, read["--block-size"].type) == (False, "int")
    assert not read["--size"].default_known


def test_type_checking_imports_do_not_hide_the_run_time_alias():
    config = """
        from typing import TYPE_CHECKING, Any
        if TYPE_CHECKING:
            from vllm.methods import Methods
        else:
            Methods = Any
        @config
        class ParallelConfig:
            quantization: Methods = None
    """
    engine = """
        from vllm.config import ParallelConfig
        class EngineArgs:
            @staticmethod
            def add_cli_args(parser):
                parser.add_argument("--quantization", **get_kwargs(ParallelConfig)["quantization"])
                return parser
    """
    files = {**FILES, "vllm__config": config, "vllm__engine__arg_utils": engine}
    read = flags("vllm", **files, vllm__methods='Methods = Literal["awq"]')
    assert (read["--quantization"].choices, read["--quantization"].type) == (None, "str")


def test_a_file_that_does_not_parse_is_left_out():
    assert Sources({"vllm/envs.py": "def ("}).read("vllm/envs.py") == "def ("
    assert surface("vllm", **FILES, vllm__envs="def (").variables == []
