"""vllm-ascend: keys of ``--additional-config`` in each of the ways its sources have taken them, and its variables."""

from __future__ import annotations

import pytest

from advisor.errors import UpstreamError
from advisor.upstream.arguments import Flag
from advisor.upstream.settings import Surface, read
from tests.upstream.sources import Sources

PREFIX = "--additional-config."
PLATFORM = """
    from vllm_ascend.utils import METHOD
    class NPUPlatform(Platform):
        @classmethod
        def pre_register_and_update(cls, parser=None):
            if parser is not None:
                quant_action = parser._option_string_actions.get("--quantization")
                if quant_action and METHOD not in quant_action.choices:
                    quant_action.choices.append(METHOD)
                dtype_action = parser._option_string_actions.get("--kv-cache-dtype")
                for dtype in get_args(CacheConfig):
                    dtype_action.choices.append(dtype)
"""
BASE = {"platform": PLATFORM, "utils": "METHOD = 'ascend'", "__init__": ""}


def surface(**files: str) -> Surface:
    """What is read of the package's files, those of BASE and these."""
    return read("vllm-ascend", "1.0.0", Sources({f"vllm_ascend/{n}.py": text for n, text in {**BASE, **files}.items()}))


def flags(**files: str) -> dict[str, Flag]:
    return {flag.name: flag for flag in surface(**files).flags}


def keys(**files: str):
    """What each key is: kind, type, default ("?" when unknown)."""
    found = flags(**files)
    return {
        name.removeprefix(PREFIX): (flag.kind, flag.type, flag.default if flag.default_known else "?")
        for name, flag in found.items()
        if name.startswith(PREFIX)
    }


SCATTERED = {  # until 0.8.5rc1
    "platform": """
        class NPUPlatform:
            @classmethod
            def check_and_update_config(cls, vllm_config):
                if vllm_config.additional_config is not None:
                    graph = vllm_config.additional_config.get("enable_graph_mode", False)
                    vllm_config.additional_config["written_only"] = False
                additional_config = vllm_config.additional_config
                if additional_config and additional_config.get("scheduler", None) is not None:
                    given = additional_config.get("scheduler")
                    from vllm_ascend.core import SchedulerConfig
                    vllm_config.scheduler_config = SchedulerConfig.initialize(vllm_config.scheduler_config, given)
    """,
    "core": """
        class SchedulerConfig:
            @classmethod
            def initialize(cls, theirs, ours):
                made = {}
                for k, v in ours.items():
                    made[k] = v
                return cls(**made)
    """,
    "worker": """
        class Worker:
            def init(self):
                additional_config = self.vllm_config.additional_config
                if additional_config is not None and "expert_size" in additional_config:
                    size = int(additional_config["expert_size"])
    """,
}


def test_keys_are_found_wherever_the_object_is_read():
    assert keys(**SCATTERED) == {
        "enable_graph_mode": ("value", "bool", False),
        "scheduler": ("json", None, None),
        "scheduler.*": ("value", None, "?"),  # every key is handed on to vLLM's own scheduler settings
        "expert_size": ("value", None, "?"),  # what holds without it is said elsewhere
    }


READ_IN_CONSTRUCTORS = """
    class AscendConfig:
        def __init__(self, vllm_config):
            additional_config = vllm_config.additional_config if vllm_config.additional_config is not None else {}
            graph_config = additional_config.get("graph_config", {})
            self.graph_config = GraphConfig(graph_config, vllm_config, additional_config)
            self.size = int(additional_config.get("expert_size", 0))
            self.path = additional_config.get("map_path", None)
            self.shared = additional_config.get("shared", False) and vllm_config.parallel_config.enable
            self.compilation = CompilationConfig(**additional_config.get("compilation", {}))
            eplb = additional_config.get("eplb", None)
            if eplb is not None:
                self.refresh_eplb(eplb)

        def refresh_eplb(self, config):
            self.interval = config.get("interval", 4000)

    class GraphConfig:
        ratio: dict = {"attn": 1.0}
        def __init__(self, graph_config, vllm_config, additional_config):
            self.enabled = graph_config.get("enabled", False)
            self.sizes = graph_config.get("sizes", [])
            self.ratio = graph_config.get("ratio", self.ratio)
            self.timing: bool = graph_config.get("timing", self.enabled)
            if "kv_dtype" in additional_config:
                pass

    class CompilationConfig:
        def __init__(self, fuse_norm: bool = True, **kwargs):
            self.fuse_muls = kwargs.get("fuse_muls", True)
"""


def test_objects_are_followed_into_constructors_and_methods():
    assert keys(ascend_config=READ_IN_CONSTRUCTORS) == {
        "graph_config": ("json", None, {}),
        "graph_config.enabled": ("value", "bool", False),
        "graph_config.sizes": ("list", None, []),
        "graph_config.ratio": ("json", None, {"attn": 1.0}),
        "graph_config.timing": ("value", "bool", "?"),
        "kv_dtype": ("value", None, "?"),
        "expert_size": ("value", "int", 0),
        "map_path": ("value", None, None),
        "shared": ("value", "bool", False),
        "compilation": ("json", None, {}),
        "compilation.fuse_norm": ("value", "bool", True),
        "compilation.fuse_muls": ("value", "bool", True),
        "eplb": ("json", None, None),
        "eplb.interval": ("value", "int", 4000),
    }


def test_the_config_object_has_the_last_word_on_a_default():
    elsewhere = """
        def fuse(config):
            if config.additional_config.get("compilation", {}).get("fuse_norm", False):
                return config.additional_config.get("only_here", 3)
    """
    found = keys(ascend_config=READ_IN_CONSTRUCTORS, passes=elsewhere)
    assert found["compilation.fuse_norm"] == ("value", "bool", True)
    assert found["only_here"] == ("value", "int", 3)


MOVED = """
    import os
    class AscendConfig:
        def __init__(self, vllm_config):
            additional_config = vllm_config.additional_config or {}
            from vllm_ascend import envs as ascend_envs
            self.eplb_config = EplbConfig(additional_config.get("eplb_config", {}))
            self.nz = self._get_config_value(additional_config, "nz_mode", "VLLM_ASCEND_NZ", ascend_envs.VLLM_ASCEND_NZ)
            self.scheduler_config = SchedulerConfig(additional_config, balance=ascend_envs.VLLM_ASCEND_BALANCE)

        @staticmethod
        def _get_config_value(additional_config, config_key, env_key, env_value):
            if config_key in additional_config:
                return additional_config[config_key]
            return env_value

    class EplbConfig:
        _defaults = {"dynamic": False, "policy": 2}
        def __init__(self, user_config=None):
            self.config = self._defaults.copy()
            for key, value in user_config.items():
                self.config[key] = value

    class ChunkConfig:
        def __init__(self, config=None):
            self.enabled: bool = config.get("enabled", False)
            self.min_chunk: int = int(config.get("min_chunk", 4096))

    class SchedulerConfig:
        def __init__(self, additional_config, balance):
            scheduler_config = additional_config.get("scheduler_config")
            if scheduler_config is None:
                scheduler_config = {}
            self.balance = self._get_config_value(scheduler_config, additional_config, "balance", balance, "X")
            self.chunk = ChunkConfig(self._get_config_value(scheduler_config, additional_config, "chunk_config", {}))

        @staticmethod
        def _get_config_value(scheduler_config, additional_config, config_key, default, env_key=None):
            if config_key in scheduler_config:
                return scheduler_config[config_key]
            if config_key in additional_config:
                logger.warning_once("additional_config.%s is deprecated", config_key)
                return additional_config[config_key]
            return default
"""
ENVS = """
    import os
    env_variables: dict = {
        "VLLM_ASCEND_NZ": lambda: int(os.getenv("VLLM_ASCEND_NZ", 1)),
        "VLLM_ASCEND_BALANCE": lambda: bool(int(os.getenv("VLLM_ASCEND_BALANCE", "0"))),
        "SOC_VERSION": lambda: os.getenv("SOC_VERSION", None),
    }
"""
MOVING = {"ascend_config": MOVED, "envs": ENVS}


def test_a_key_that_falls_back_to_a_variable_says_which():
    found = flags(**MOVING)[PREFIX + "nz_mode"]
    assert (found.type, found.env, found.default_known) == ("int", "VLLM_ASCEND_NZ", False)


def test_what_a_class_has_defaults_for_are_its_keys_and_no_others():
    found = {name: read for name, read in keys(**MOVING).items() if name.startswith("eplb_config")}
    assert found == {
        "eplb_config": ("json", None, {}),
        "eplb_config.dynamic": ("value", "bool", False),
        "eplb_config.policy": ("value", "int", 2),
    }


def test_a_moved_key_is_known_in_both_places_and_deprecated_in_the_old():
    found = flags(**MOVING)
    old, new = found[PREFIX + "chunk_config.min_chunk"], found[PREFIX + "scheduler_config.chunk_config.min_chunk"]
    assert (old.type, old.default) == (new.type, new.default) == ("int", 4096)
    assert (old.deprecated, new.deprecated) == (True, False)
    assert found[PREFIX + "balance"].deprecated and not found[PREFIX + "scheduler_config.balance"].deprecated
    assert found[PREFIX + "balance"].env == "VLLM_ASCEND_BALANCE"
    assert not found[PREFIX + "nz_mode"].deprecated


CHECKED = """
    import dataclasses
    from typing import Any, ClassVar, Literal
    from vllm_ascend.config_utils import config

    @config
    class EplbConfig:
        policy: int = 2
        path: str | None = None
        params: dict[str, Any] = dataclasses.field(default_factory=dict)
        METHODS: ClassVar[tuple[str, ...]] = ("a",)

    @config
    class AscendConfig:
        model_config = ConfigDict(extra="forbid")
        binding: bool = True
        alg: Literal["", "fullmesh"] = ""
        shapes: list[Any] = dataclasses.field(default_factory=list)
        log_path: str = dataclasses.field(default_factory=lambda: os.path.expanduser("~"))
        eplb_config: EplbConfig = dataclasses.field(default_factory=EplbConfig)
        scheduler_config: SchedulerConfig = dataclasses.field(default_factory=lambda: SchedulerConfig())
        offload_config: Any = dataclasses.field(kw_only=True)
        pd_ratio: int = 1
        topk: int = dataclasses.field(default=0, init=False)
        _layers: set[int] = dataclasses.field(default_factory=set, init=False)

        def derive(self, vc):
            return (vc.additional_config or {}).get("read_apart", 5)

    @config
    class ChunkConfig:
        min_chunk: int = 4096

    @config
    class SchedulerConfig:
        recompute: bool = False
        chunk_config: ChunkConfig = dataclasses.field(default_factory=ChunkConfig)

        @classmethod
        def from_additional_config(cls, additional_config):
            scheduler_config = additional_config.get("scheduler_config")
            def _resolve(config_key, default):
                if config_key in scheduler_config:
                    return scheduler_config[config_key]
                if config_key in additional_config:
                    logger.warning_once("additional_config.%s is deprecated", config_key)
                    return additional_config[config_key]
                return default
            resolved = {"recompute": _resolve("recompute", False), "chunk_config": _resolve("chunk_config", {})}
            return cls(**resolved)

    @config
    class OffloadConfig:
        enabled: bool = False
        @classmethod
        def from_additional_config(cls, vllm_config, user_config):
            return cls(**user_config)

    def init_ascend_config(vllm_config):
        additional_config = vllm_config.additional_config if vllm_config.additional_config is not None else {}
        refresh = validate(additional_config.get("refresh", False), "additional_config.refresh")
        sched = SchedulerConfig.from_additional_config(additional_config)
        offload = OffloadConfig.from_additional_config(vllm_config, additional_config.get("offload_config", {}))
        _NON_USER_INPUT_KEYS = {"refresh", "scheduler_config", "offload_config", "pd_ratio", "recompute"}
        kwargs = {k: v for k, v in additional_config.items() if k not in _NON_USER_INPUT_KEYS}
        return AscendConfig(scheduler_config=sched, offload_config=offload, **kwargs)
"""


def test_the_fields_of_a_checked_config_are_the_keys():
    assert keys(ascend_config=CHECKED) == {
        "binding": ("value", "bool", True),
        "alg": ("value", "str", ""),
        "shapes": ("list", None, []),
        "log_path": ("value", "str", "?"),
        "eplb_config": ("json", None, {}),
        "eplb_config.policy": ("value", "int", 2),
        "eplb_config.path": ("value", "str", None),
        "eplb_config.params": ("json", None, {}),
        "eplb_config.params.*": ("value", None, "?"),
        "scheduler_config": ("json", None, {}),
        "scheduler_config.recompute": ("value", "bool", False),
        "scheduler_config.chunk_config": ("json", None, {}),
        "scheduler_config.chunk_config.min_chunk": ("value", "int", 4096),
        "recompute": ("value", "bool", False),
        "chunk_config": ("json", None, {}),
        "chunk_config.min_chunk": ("value", "int", 4096),
        "offload_config": ("json", None, {}),
        "offload_config.enabled": ("value", "bool", False),
        "refresh": ("value", "bool", False),
        "read_apart": ("value", "int", 5),
    }


def test_a_checked_literal_gives_choices_and_an_old_place_is_deprecated():
    found = flags(ascend_config=CHECKED)
    assert found[PREFIX + "alg"].choices == ("", "fullmesh")
    assert [name for name, flag in found.items() if flag.deprecated] == [
        PREFIX + "chunk_config",
        PREFIX + "chunk_config.min_chunk",
        PREFIX + "recompute",
    ]


def test_choices_added_to_vllms_own_flags_are_those_the_plugin_names():
    found = flags()
    assert {name: (flag.choices, flag.default_known) for name, flag in found.items()} == {
        "--quantization": (("ascend",), False)
    }


def test_variables_have_the_text_that_acts_as_their_absence():
    found = {each.name: each.default for each in surface(**MOVING).variables}
    assert found == {"VLLM_ASCEND_NZ": "1", "VLLM_ASCEND_BALANCE": "0", "SOC_VERSION": None}


def test_a_release_before_there_were_any_has_none():
    found = surface(platform="class NPUPlatform: ...")
    assert (found.flags, found.variables) == ([], [])


def test_sources_of_something_else_are_refused():
    with pytest.raises(UpstreamError, match=r"vllm_ascend/platform\.py"):
        read("vllm-ascend", "1.0.0", Sources({"vllm/platform.py": ""}))
