"""What a release calls deprecated, in each of the ways engines have said so, in miniature."""

from __future__ import annotations

import pytest

from advisor.upstream.arguments import Flag
from advisor.upstream.deprecations import named_instead, says_deprecated
from advisor.upstream.environment import Variable
from advisor.upstream.settings import Surface, environment_history, settings_history
from tests.upstream.sources import flags, surface
from tests.upstream.test_settings_sglang import BY_HAND, FIELDS
from tests.upstream.test_settings_vllm import CLI, SERVE


def said(found: dict[str, Flag]) -> dict[str, str | None]:
    """The deprecated flags, each with what it names instead."""
    return {name: flag.instead for name, flag in found.items() if flag.deprecated}


# vLLM

BY_HELP = """
    class EngineArgs:
        @staticmethod
        def add_cli_args(parser):
            parser.add_argument("--use-v2-block-manager", action="store_true",
                                help="[DEPRECATED] block manager v1 has been removed. "
                                     "Setting this flag has no effect.")
            parser.add_argument("--show-hidden-metrics-for-version", type=str,
                                help="Enable deprecated Prometheus metrics that have been hidden.")
            return parser
    def get_kwargs(cls):
        return {}
"""
BY_FIELD = '''
    class ParallelConfig:
        device: str = "auto"
        """Device type.
        This parameter is deprecated and will be removed in a future release."""
        override_pooler_config: dict | None = None
        """[DEPRECATED] Use `pooler_config` instead. This field will be removed in v0.12.0."""
        pooler_config: dict | None = None
        """Controls the pooler."""
        ir_op_priority: str | None = None
        """Priority of operations.

        Deprecated: it is being removed, and this option will be removed in v0.34.0."""
        calculate_kv_scales: bool = False
        cp_size: int = 1
        """dcp_size has been replaced by cp_size, and will be deprecated when it is supported."""
'''
BY_WARNING = """
    from vllm.config import ParallelConfig

    _OLD = (
        "--mamba-cache-mode is deprecated and will be removed in v0.33.0. "
        "It has no effect."
    )

    class DeprecatedLogConfigFileAction(argparse.Action):
        pass

    def get_kwargs(cls):
        return {}

    class EngineArgs:
        @staticmethod
        def add_cli_args(parser):
            kwargs = get_kwargs(ParallelConfig)
            parser.add_argument("--device", **kwargs["device"])
            parser.add_argument("--override-pooler-config", **kwargs["override_pooler_config"])
            parser.add_argument("--pooler-config", **kwargs["pooler_config"])
            parser.add_argument("--ir-op-priority", **kwargs["ir_op_priority"])
            parser.add_argument("--calculate-kv-scales", **kwargs["calculate_kv_scales"])
            parser.add_argument("--cp-size", **kwargs["cp_size"])
            parser.add_argument("--task", type=str, deprecated=True)
            parser.add_argument("--mamba-cache-mode", type=str)
            parser.add_argument("--enable-log-requests", action="store_true")
            parser.add_argument("--disable-log-requests", action="store_true", help="Disable logging requests.")
            parser.add_argument("--log-config-file", action=DeprecatedLogConfigFileAction,
                                help="Use --logging-config.pylogging_config_file instead.")
            parser.add_argument("--logging-config", type=str)
            parser.add_argument("--compilation-config", type=str)
            return parser

        def __post_init__(self):
            warnings.warn("The -O.* dotted syntax for --compilation-config is deprecated.")
            logger.warning("`disable_log_requests` is deprecated and has been replaced with "
                           "`enable_log_requests`. Please use `enable_log_requests` instead.")
"""
CACHE = """
    def warn():
        logger.warning("The `--calculate-kv-scales` option is deprecated and will be removed in v0.19.")
        logger.warning("`enable_log_requests` is deprecated: a field of another class")
"""


def test_a_help_text_that_opens_so_says_it():
    found = flags(
        "vllm",
        vllm__entrypoints__cli__serve=SERVE,
        vllm__entrypoints__openai__cli_args=CLI,
        vllm__engine__arg_utils=BY_HELP,
        vllm__config="",
    )
    assert said(found) == {"--use-v2-block-manager": None}


def test_fields_actions_and_warnings_say_it():
    found = flags(
        "vllm",
        vllm__entrypoints__cli__serve=SERVE,
        vllm__entrypoints__openai__cli_args=CLI,
        vllm__engine__arg_utils=BY_WARNING,
        vllm__config=BY_FIELD,
        vllm__config__cache=CACHE,
    )
    assert said(found) == {
        "--device": None,
        "--override-pooler-config": "--pooler-config",
        "--ir-op-priority": None,
        "--calculate-kv-scales": None,
        "--task": None,
        "--mamba-cache-mode": None,
        "--disable-log-requests": "--enable-log-requests",
        "--log-config-file": "--logging-config.pylogging_config_file",
    }


VLLM_ENVS = """
    import os

    def deprecated_env(env_name, removal_version, replacement, getter):
        return getter

    def _old():
        logger.warning("VLLM_TRITON_ATTN_USE_TD is deprecated and will be removed in v0.25. "
                       "Use VLLM_TRITON_USE_TD instead.")

    environment_variables = {
        "VLLM_USE_FBGEMM": deprecated_env(
            "VLLM_USE_FBGEMM", "v0.23", "Use --plain fbgemm.", lambda: os.getenv("VLLM_USE_FBGEMM", "0")
        ),
        "VLLM_PORT": lambda: os.getenv("VLLM_PORT"),
        "VLLM_ATTENTION_BACKEND": lambda: os.getenv("VLLM_ATTENTION_BACKEND"),
    }
"""
ATTENTION = """
    class AttentionConfig:
        def _set_from_env_if_set(self, field_name, env_var_name):
            logger.warning("Using %s environment variable is deprecated. Please use "
                           "--attention-config.%s command line argument instead.", env_var_name, field_name)

        def __post_init__(self):
            self._set_from_env_if_set("backend", "VLLM_ATTENTION_BACKEND")
"""
PARALLEL = """
    def read():
        if envs.is_set("VLLM_ALL2ALL_BACKEND"):
            logger.warning("VLLM_ALL2ALL_BACKEND environment variable is deprecated and "
                           "will be removed in v0.15.0. Please use the --all2all-backend argument instead.")
        return get_from_deprecated_env_if_set("VLLM_MM_HASHER_ALGORITHM", "v0.27", "mm_hasher_algorithm")
"""


def test_vllm_s_variables_name_the_flag_they_became():
    engine = """
        class EngineArgs:
            @staticmethod
            def add_cli_args(parser):
                for name in ("--attention-config", "--all2all-backend", "--mm-hasher-algorithm", "--plain"):
                    parser.add_argument(name)
                return parser
        def get_kwargs(cls):
            return {}
    """
    read = surface(
        "vllm",
        vllm__entrypoints__cli__serve=SERVE,
        vllm__entrypoints__openai__cli_args=CLI,
        vllm__engine__arg_utils=engine,
        vllm__config="",
        vllm__envs=VLLM_ENVS,
        vllm__config__attention=ATTENTION,
        vllm__config__parallel=PARALLEL,
    )
    assert read.deprecated == {
        "VLLM_ATTENTION_BACKEND": "--attention-config.backend",
        "VLLM_ALL2ALL_BACKEND": "--all2all-backend",
        "VLLM_MM_HASHER_ALGORITHM": "--mm-hasher-algorithm",
        "VLLM_USE_FBGEMM": "--plain",
        "VLLM_TRITON_ATTN_USE_TD": None,  # this release has no VLLM_TRITON_USE_TD
    }


# SGLang

BY_ACTION = """
    class ServerArgs:
        @staticmethod
        def add_cli_args(parser):
            parser.add_argument("--ep-size", type=int, default=1)
            parser.add_argument("--attention-backend", type=str)
            parser.add_argument("--dsa-prefill-backend", type=str)
            parser.add_argument("--enable-overlap-schedule", action=DeprecatedAction,
                                help="'--enable-overlap-schedule' is deprecated. It is enabled by default now.")
            parser.add_argument("--enable-flashinfer-mla", action=DeprecatedAction,
                                help="--enable-flashinfer-mla is deprecated. "
                                     "Please use '--attention-backend flashinfer' instead.")
            parser.add_argument("--enable-ep-moe", action="store_true",
                                help="NOTE: --enable-ep-moe is deprecated. Please set `--ep-size` to the same value "
                                     "as `--tp-size` instead.")
            parser.add_argument("--nsa-prefill-backend", action=DeprecatedAliasStoreAction,
                                new_flag="--dsa-prefill-backend", type=str)
            parser.add_argument("--disable-cuda-graph", action=DeprecatedStoreTrueAction,
                                new_flag="--cuda-graph-backend-{decode,prefill}=disabled",
                                help="Deprecated. Use --cuda-graph-backend-{decode,prefill}=disabled instead.")
            parser.add_argument("--gone", action=DeprecatedAction,
                                error_message="--gone is no longer supported. Use --ep-size with a number.")
            parser.add_argument("--enable-piecewise", action=DeprecatedAction,
                                help="Deprecated: it is on by default. Use --ep-size to skip conditions.")
            parser.add_argument("--soon", action="store_true", help="This argument will be deprecated soon!")
            parser.add_argument("--enable-prefill-delayer", action="store_true",
                                help="NOTE: This replaces the deprecated environment variable X.")
            parser.add_argument("--max-bs", type=int)

        def check(self):
            logger.warning("--max-bs is deprecated and will be removed. Use --elsewhere instead.")
            logger.warning("--%s=compressed is deprecated; use 'dsv4' instead.")

    class DeprecatedAction(argparse.Action):
        def __init__(self, option_strings, dest, nargs=0, **kwargs):
            super().__init__(option_strings, dest, nargs=nargs, **kwargs)
    class DeprecatedAliasStoreAction(argparse.Action):
        pass
    class DeprecatedStoreTrueAction(DeprecatedAction):
        pass
"""


def test_sglang_s_actions_say_it_and_what_to_write():
    assert said(flags("sglang", sglang__srt__server_args=BY_ACTION)) == {
        "--enable-overlap-schedule": None,
        "--enable-flashinfer-mla": "--attention-backend",
        "--enable-ep-moe": "--ep-size",
        "--nsa-prefill-backend": "--dsa-prefill-backend",
        "--disable-cuda-graph": None,  # two flags are named
        "--gone": "--ep-size",
        "--enable-piecewise": None,  # what is named there is no replacement
        "--max-bs": None,  # no flag of this release is called --elsewhere
    }


def test_a_name_with_dots_may_be_a_flag_s_own():
    server = """
        class ServerArgs:
            @staticmethod
            def add_cli_args(parser):
                parser.add_argument("--config.a", deprecated=True, help="Use --config.b.a instead")
                parser.add_argument("--config.b.a")
    """
    assert said(flags("sglang", sglang__srt__server_args=server)) == {"--config.a": "--config.b.a"}


def test_notes_of_annotated_fields_say_it():
    declared = """
        from sglang.srt.arg_groups.arg_utils import A, Arg
        from sglang.srt.arg_groups.fields import Parallel

        class ServerArgs:
            smg_grpc_mode: A[bool, "Use it. Replaces the deprecated --grpc-mode."] = False
            grpc_mode: A[bool, "(Deprecated, use --smg-grpc-mode) Legacy selector."] = False
            rejoin: A[bool, Arg(help="[Deprecated] Alias for --tp-size recover.")] = False

            @staticmethod
            def add_cli_args(parser):
                add_cli_args_from_dataclass(parser, ServerArgs)
        _INPUT_NAMESPACES = [Parallel]
    """
    files = {"sglang__srt__server_args": declared, "sglang__srt__arg_groups__fields": FIELDS}
    assert said(flags("sglang", **files)) == {"--grpc-mode": "--smg-grpc-mode", "--rejoin": "--tp-size"}


FUNCTIONS = """
    class Envs:
        SGLANG_NEW = EnvBoolWithAlias(True, deprecated_name="SGLANG_OLD")
        SGLANG_REQ_WAITING_TIMEOUT = EnvFloat(-1)

    def _print_deprecated_env({order}):
        pass

    def _convert_SGL_to_SGLANG():
        _print_deprecated_env({names})
        _deprecated_ms_to_s = {{"SGLANG_QUEUED_TIMEOUT_MS": "SGLANG_REQ_WAITING_TIMEOUT"}}

    def _warn_deprecated_env_to_cli_flag(env_name: str, suggestion: str):
        pass

    _warn_deprecated_env_to_cli_flag("SGLANG_GEMM", "Please use '--attention-backend=cutlass' instead.")
"""


@pytest.mark.parametrize(
    ("order", "names"),
    [
        ("new_name: str, old_name: str", '"SGLANG_LOG_GC", "SGLANG_GC_LOG"'),
        ("old_name: str, new_name: str | None = None", '"SGLANG_GC_LOG", "SGLANG_LOG_GC"'),
    ],
)
def test_sglang_s_functions_name_old_and_new_in_either_order(order, names):
    environ = FUNCTIONS.format(order=order, names=names)
    read = surface("sglang", sglang__srt__server_args=BY_HAND, sglang__srt__environ=environ)
    assert read.deprecated == {
        "SGLANG_OLD": "SGLANG_NEW",
        "SGLANG_GC_LOG": None,  # SGLANG_LOG_GC is no variable of this release
        "SGLANG_QUEUED_TIMEOUT_MS": "SGLANG_REQ_WAITING_TIMEOUT",
        "SGLANG_GEMM": "--attention-backend",
    }


def test_sglang_s_registry_forwards_notes_or_only_warns():
    environ = """
        class Envs:
            SGLANG_LOG_GC = EnvBool(False)

        _DEPRECATED_ENVS: dict[str, _DeprecatedEnv] = {
            "SGLANG_GC_LOG": _DeprecatedEnv(replacement="SGLANG_LOG_GC"),
            "SGLANG_FUSION": _DeprecatedEnv(note="Pass --attention-backend cutedsl instead."),
            "SGLANG_ANCHOR": _DeprecatedEnv(note="It is always on; set SGLANG_LOG_GC=0 to disable it."),
            "SGLANG_TRACE": _DeprecatedEnv(),
        }
    """
    read = surface("sglang", sglang__srt__server_args=BY_HAND, sglang__srt__environ=environ)
    assert read.deprecated == {
        "SGLANG_GC_LOG": "SGLANG_LOG_GC",
        "SGLANG_FUSION": "--attention-backend",
        "SGLANG_ANCHOR": None,
        "SGLANG_TRACE": None,
    }


# from release to release


def test_a_flag_that_becomes_deprecated_begins_a_record():
    surfaces = [Surface("1", [Flag("--a")]), Surface("2", [Flag("--a", deprecated=True, instead="--b"), Flag("--b")])]
    first, second = settings_history(surfaces)["--a"]
    assert (first["since"], first["until"]) == ("1", "2")
    assert not {"deprecated", "instead"} & set(first)
    assert (second["since"], second["deprecated"], second["instead"]) == ("2", True, "--b")
    assert "deprecated" not in settings_history(surfaces)["--b"][0]


def test_a_variable_that_only_a_warning_knows_is_still_known():
    surfaces = [
        Surface("1", variables=[Variable("OLD", "0")]),
        Surface("2", variables=[Variable("NEW", "0")], deprecated={"OLD": "NEW"}),
        Surface("3", variables=[Variable("NEW", "0")]),
    ]
    first, second = environment_history(surfaces)["OLD"]
    assert (first["until"], first.get("deprecated")) == ("2", None)
    assert (second["until"], second["deprecated"], second["instead"]) == ("3", True, "NEW")


@pytest.mark.parametrize(
    "text",
    [
        "Deprecated alias for --y.",
        "(Deprecated) Enabling it.",
        "Note: --x is deprecated now.",
        "The `--x` option has been deprecated.",
    ],
)
def test_texts_that_say_so_of_the_flag(text):
    assert says_deprecated(text, ["--x"])


@pytest.mark.parametrize(
    "text",
    [
        'Backend to use. The "native" option is deprecated and serves as an alias for "cuda-ipc"',
        "Whether to allow deprecated quantization methods.",
        "--y is deprecated.",
        "It will be deprecated soon! Please use '--y' instead.",
    ],
)
def test_texts_that_speak_of_something_else(text):
    assert not says_deprecated(text, ["--x"])


def test_the_name_after_instead_of_is_not_what_to_use():
    assert (
        named_instead("Deprecated. Use --attn-dp-size <n> instead of --dp-size <n> --x.", ["--x"]) == "--attn-dp-size"
    )
