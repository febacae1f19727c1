"""LMDeploy's api_server command in miniature."""

from __future__ import annotations

from tests.upstream.sources import flags, surface

SERVE = """
    from .utils import ArgumentHelper
    class SubCliServe:
        parser = CLI.subparsers.add_parser('serve')
        subparsers = parser.add_subparsers()
        @staticmethod
        def add_parser_api_server():
            parser = SubCliServe.subparsers.add_parser('api_server')
            parser.set_defaults(run=1)
            parser.add_argument('model_path', type=str)
            parser.add_argument('--server-name', type=str, default='0.0.0.0')
            ArgumentHelper.backend(parser)
            pt_group = parser.add_argument_group('PyTorch engine arguments')
            tp_act = ArgumentHelper.tp(pt_group)
            ArgumentHelper.session_len(pt_group, default=64)
            tb_group = parser.add_argument_group('TurboMind engine arguments')
            tb_group._group_actions.append(tp_act)
            ArgumentHelper.add_spec_group(parser)
        @staticmethod
        def add_parser_proxy():
            SubCliServe.subparsers.add_parser('proxy').add_argument('--dummy-prefill', action='store_true')
"""
HELPER = """
    class ArgumentHelper:
        @staticmethod
        def tp(parser):
            return parser.add_argument('--tp', type=int, default=1)
        @staticmethod
        def backend(parser):
            return parser.add_argument('--backend', type=str, default='turbomind', choices=['turbomind', 'pytorch'])
        @staticmethod
        def session_len(parser, default: int = None):
            return parser.add_argument('--session-len', type=int, default=default)
        @staticmethod
        def add_spec_group(parser):
            spec_group = parser.add_argument_group('Speculative decoding arguments')
            spec_group.add_argument('--speculative-num-draft-tokens', type=int, default=1)
            return spec_group
"""
ENVS = """
    import os
    def env_to_bool(env_var: str, default: bool = False):
        value = os.getenv(env_var)
        if value is None:
            return default
        return value.lower() in ('true', '1')
    with set_envs():
        executor_backend = os.getenv('LMDEPLOY_EXECUTOR_BACKEND', None)
        skip_warmup = env_to_bool('LMDEPLOY_SKIP_WARMUP')
        use_gzip = env_to_bool('LMDEPLOY_PROFILE_USE_GZIP', True)
        turns = max(1, int(os.getenv('LMDEPLOY_TURNS', '3')))
"""
FILES = {"lmdeploy__cli__serve": SERVE, "lmdeploy__cli__utils": HELPER, "lmdeploy__pytorch__envs": ENVS}


def test_helpers_add_their_flags_once_for_both_groups():
    read = flags("lmdeploy", **FILES)
    assert (read["--tp"].type, read["--tp"].default) == ("int", 1)
    assert (read["--backend"].default, read["--backend"].choices) == ("turbomind", ("pytorch", "turbomind"))


def test_a_default_passed_to_the_helper_is_the_one_in_force():
    assert flags("lmdeploy", **FILES)["--session-len"].default == 64


def test_only_the_api_server_is_read():
    read = flags("lmdeploy", **FILES)
    assert "--speculative-num-draft-tokens" in read
    assert "--dummy-prefill" not in read


def test_variables_are_read_with_what_their_absence_counts_as():
    found = {each.name: each.default for each in surface("lmdeploy", **FILES).variables}
    assert found == {
        "LMDEPLOY_EXECUTOR_BACKEND": None,
        "LMDEPLOY_SKIP_WARMUP": "0",
        "LMDEPLOY_PROFILE_USE_GZIP": "1",
        "LMDEPLOY_TURNS": "3",
    }
