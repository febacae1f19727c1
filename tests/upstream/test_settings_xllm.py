"""xLLM's gflags."""

from __future__ import annotations

from tests.upstream.sources import flags, surface

FLAGS = r"""
    constexpr int64_t kDefaultBytes = 4 * 1024;
    // DEFINE_bool(commented_out, true, "no");
    DEFINE_bool(enable_shm,
                false,
                "Whether to use shm, (really).");
    DEFINE_int32(nnodes, 1, "Number of nodes.");
    DEFINE_int64(block_bytes, kDefaultBytes, "b");
    DEFINE_uint32(limit, std::numeric_limits<int32_t>::max(), "l");
    DEFINE_double(ratio, 1, "r");
    DEFINE_string(backend, "hc" "cl", "a, b");
    DEFINE_string(device_ip, "", "");
    DEFINE_string(made, absl::StrCat("a", "b"), "");
    #if defined(USE_NPU)
    DEFINE_bool(enable_beam, true, "b");
    #else
    DEFINE_bool(enable_beam, false, "b");
    #endif
    DEFINE_validator(nnodes, &check);
"""


def test_macros_give_flags_with_types_and_defaults():
    read = {name: (flag.kind, flag.type, flag.default) for name, flag in flags("xllm", xllm__flags=FLAGS).items()}
    assert read["--enable_shm"] == ("pair", "bool", False)
    assert read["--nnodes"] == ("value", "int", 1)
    assert read["--block_bytes"] == ("value", "int", 4096)
    assert read["--limit"] == ("value", "int", 2147483647)
    assert read["--backend"] == ("value", "str", "hccl")
    assert read["--device_ip"] == ("value", "str", "")
    assert str(read["--ratio"][2]) == "1.0"


def test_a_bool_is_turned_off_the_gflags_way():
    assert flags("xllm", xllm__flags=FLAGS)["--enable_shm"].negations == ("--noenable_shm",)


def test_comments_and_tests_define_no_flags():
    read = flags("xllm", xllm__flags=FLAGS, xllm__c_api__test__flags='DEFINE_bool(in_a_test, true, "");')
    assert not {"--commented_out", "--in_a_test"} & set(read)


def test_what_is_computed_or_differs_by_platform_has_no_known_default():
    read = flags("xllm", xllm__flags=FLAGS)
    assert not read["--made"].default_known
    assert not read["--enable_beam"].default_known
    assert "1.0.0: default of --enable_beam" in surface("xllm", xllm__flags=FLAGS).not_read
