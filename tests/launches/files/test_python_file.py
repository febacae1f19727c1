"""Python source: the engines' own classes, subprocesses, frameworks' configurations."""

from __future__ import annotations

import pytest

from tests.launches.files.texts import (
    arguments,
    deployed,
    notes,
    settings,
    spans,
    started,
    typed,
    variables,
    versions,
    words,
)


def test_keywords_a_spread_and_a_constant_each_stand_where_they_are_typed() -> None:
    found = started(
        "run.py",
        'import os\nfrom vllm import LLM\nos.environ["VLLM_USE_V1"] = "0"\nTP = int(os.environ.get("TP", "4"))\n'
        'COMMON = {"gpu_memory_utilization": 0.9, "enforce_eager": True}\n'
        'print("é")\nllm = LLM(model="m/é", tensor_parallel_size=TP, speculative_config={"method": "dspark"}, **COMMON)\n',
    )
    assert (found.launch.engine, found.launch.model, found.launch.complete) == ("vllm", "m/é", True)
    assert settings(found) == {
        "--tensor-parallel-size": 4, "--speculative-config": '{"method": "dspark"}', "--speculative-config.method": "dspark",
        "--gpu-memory-utilization": 0.9, "--enforce-eager": True,
    }  # fmt: skip
    assert spans(found)["--tensor-parallel-size"] == "tensor_parallel_size=TP"
    assert spans(found)["--enforce-eager"] == '"enforce_eager": True'
    assert [one.place.form for one in found.arguments] == ["keyword"] * 3 + ["mapping value"] * 2
    assert variables(found) == {"VLLM_USE_V1": ("0", 'os.environ["VLLM_USE_V1"] = "0"', '"0"')}


def test_what_the_file_does_not_say_is_not_known() -> None:
    found = started(
        "serve.py",
        "import sglang as sgl\n\ndef main(args, **more):\n    return sgl.Engine(model_path='m/x', tp_size=args.tp, disable_cuda_graph=True)\n",
    )
    assert settings(found) == {"--model-path": "m/x", "--tp-size": "${args.tp}", "--disable-cuda-graph": True}
    assert [one.text for one in found.arguments if not one.known] == ["tp_size=${args.tp}"]
    assert found.launch.complete and found.name == "main"
    open_ = started("s.py", "from vllm import LLM\ndef f(**more):\n    LLM('m/x', max_model_len=1, **more)\n")
    assert not open_.launch.complete and open_.launch.model == "m/x"


@pytest.mark.parametrize(
    ("code", "engine"),
    [
        ("from vllm import AsyncEngineArgs as A\nA(model='m', tensor_parallel_size=2)", "vllm"),
        ("from vllm.engine.arg_utils import EngineArgs\nx = EngineArgs(model='m', tensor_parallel_size=2)", "vllm"),
        ("import vllm\nvllm.LLM('m', tensor_parallel_size=2)", "vllm"),
        ("from sglang.srt.server_args import ServerArgs\nServerArgs(model_path='m', tp_size=2)", "sglang"),
        ("import lmdeploy\nlmdeploy.pipeline('m', backend_config=lmdeploy.TurbomindEngineConfig(tp=2))", "lmdeploy"),
        ("from ray.serve.llm import LLMConfig\nLLMConfig(model_loading_config=dict(model_id='m'), engine_kwargs=dict(tensor_parallel_size=2))", "vllm"),
    ],
)  # fmt: skip
def test_every_entry_point(code: str, engine: str) -> None:
    found = started("e.py", f"# vllm\n{code}\n")
    assert (found.launch.engine, found.launch.model) == (engine, "m")
    wanted = {"vllm": "--tensor-parallel-size", "sglang": "--tp-size", "lmdeploy": "--tp"}[engine]
    assert settings(found)[wanted] == 2


def test_lmdeploy_configurations_and_what_they_imply() -> None:
    found = started(
        "p.py",
        "from lmdeploy import pipeline, PytorchEngineConfig\nfrom lmdeploy.messages import SpeculativeConfig\n"
        "spec = SpeculativeConfig(method='qwen3_5_mtp', num_speculative_tokens=2)\n"
        "pipe = pipeline('m/x', backend_config=PytorchEngineConfig(tp=2, session_len=8192), speculative_config=spec)\n",
    )
    assert settings(found) == {
        "--backend": "pytorch", "--tp": 2, "--dp": 1, "--ep": 1, "--session-len": 8192,
        "--speculative-algorithm": "qwen3_5_mtp", "--speculative-num-draft-tokens": 2,
    }  # fmt: skip
    assert {one.flag: one.origin for one in found.launch.settings}["--dp"] == "default"
    assert spans(found)["--tp"] == "tp=2" and spans(found)["--speculative-algorithm"] == "method='qwen3_5_mtp'"


def test_a_subprocess_with_a_list_that_grows() -> None:
    found = started(
        "app.py",
        "import modal, subprocess\n"
        'image = modal.Image.debian_slim().uv_pip_install("vllm==0.9.1", "x").env({"VLLM_USE_V1": "1"})\n'
        'MODEL = "m/x"\nFAST = True\nN_GPU = 2\n\n@app.function(image=image, gpu=f"H100:{N_GPU}")\ndef serve():\n'
        '    cmd = ["vllm", "serve", MODEL, "--port", str(8000)]\n'
        '    cmd += ["--enforce-eager" if FAST else "--no-enforce-eager"]\n'
        '    cmd.extend(["--tensor-parallel-size", str(N_GPU)])\n    subprocess.Popen(" ".join(cmd), shell=True)\n',
    )
    assert words(found)[:5] == ["vllm", "serve", "m/x", "--port", "8000"] and found.launch.complete
    assert arguments(found)["m/x"] == "MODEL" and arguments(found)["8000"] == "str(8000)"
    assert settings(found) == {"--port": 8000, "--enforce-eager": True, "--tensor-parallel-size": 2}
    assert versions(found) == [("pip", "vllm==0.9.1", '"vllm==0.9.1"')]
    assert variables(found) == {"VLLM_USE_V1": ("1", '"VLLM_USE_V1": "1"', '"1"')}
    assert found.resources.gpus is not None and found.resources.gpus.value == 2 and found.accelerators == ("H100",)


def test_a_branch_on_something_unknown_may_add_words() -> None:
    found = started(
        "s.py",
        "import subprocess\ndef f(fast):\n    cmd = ['vllm', 'serve', 'm/x', '--port', '1']\n    if fast:\n"
        "        cmd.append('--enforce-eager')\n    subprocess.run(cmd)\n",
    )
    assert not found.launch.complete and settings(found) == {"--port": 1}
    held = started("s.py", "from vllm import LLM\nimport sys\nif len(sys.argv) > 1:\n    LLM('m/x', max_model_len=1)\n")
    assert notes(held) == ["started only where `len(sys.argv) > 1` holds"]


def test_strings_for_a_shell_are_read_in_their_place() -> None:
    plain, formatted, escaped = deployed(
        "s.py",
        'import os, subprocess\nMODEL = "m/y"\nos.system("NCCL_DEBUG=INFO vllm serve m/x --port 1")\n'
        'subprocess.run(f"""\nvllm serve {MODEL} \\\n  --tensor-parallel-size {args.tp} --port {PORT}\n""", shell=True)\n'
        'subprocess.run("vllm serve m/z \\"--port\\" 3", shell=True)\n',
    ).workloads
    assert spans(plain) == {"--port": "--port 1"} and variables(plain)["NCCL_DEBUG"] == (
        "INFO",
        "NCCL_DEBUG=INFO",
        "INFO",
    )
    assert formatted.launch.model == "m/y" and arguments(formatted)["m/y"] == "{MODEL}"
    assert settings(formatted) == {"--tensor-parallel-size": "${args.tp}", "--port": "${PORT}"}
    assert spans(formatted)["--tensor-parallel-size"] == "--tensor-parallel-size {args.tp}"
    assert settings(escaped) == {"--port": 3} and spans(escaped) == {} and escaped.arguments[0].place.form == "text"


def test_a_child_gets_the_variables_given_to_it() -> None:
    found = started(
        "s.py",
        'import os, subprocess\nos.environ["A"] = "1"\nenv = os.environ.copy()\nenv["B"] = "2"\n'
        'subprocess.run(["docker", "run", "--shm-size=2g", "-e", "C=3", "vllm/vllm-openai:v0.28.0", "--model", "m"], env=env)\n'
        'subprocess.Popen(["echo"])\n',
    )
    assert variables(found) == {"C": ("3", '"C=3"', "3")}
    assert list(variables(found)) == ["C"] and found.launch.image == "vllm/vllm-openai:v0.28.0"
    direct = started(
        "s.py",
        'import os, subprocess\nos.environ["A"] = "1"\nsubprocess.run(["vllm", "serve", "m/x", "--port", "1"], env={**os.environ, "B": "2"})\n',
    )
    assert {name: one[0] for name, one in variables(direct).items()} == {"A": "1", "B": "2"}


def test_frameworks_name_their_engine_in_their_own_keys() -> None:
    xtuner = started(
        "rl.py",
        "r = RolloutConfig(tensor_parallel_size=2, expert_parallel_size=8, extra_rollout_config=dict(lmdeploy_backend='pytorch'))\n",
    )
    assert settings(xtuner) == {"--tp": 2, "--dp": 8, "--ep": 8, "--backend": "pytorch"} and not xtuner.launch.complete
    assert (
        spans(xtuner)["--dp"] == "expert_parallel_size=8" and spans(xtuner)["--backend"] == "lmdeploy_backend='pytorch'"
    )
    elsewhere = deployed("rl.py", "r = RolloutConfig(tensor_parallel_size=2)\n")
    assert not elsewhere.workloads and [one.kind for one in elsewhere.unread] == ["hint"]
    verl = started(
        "rl.py",
        'c = {"rollout": {"name": "vllm", "tensor_model_parallel_size": 2, "engine_kwargs": {"vllm": {"enforce_eager": True}}}}\n',
    )
    assert settings(verl) == {"--tensor-parallel-size": 2, "--enforce-eager": True}


def test_inline_metadata_and_child_installs_are_version_sources() -> None:
    found = started(
        "s.py",
        '# /// script\n# dependencies = [\n#   "vllm==0.28.0",\n# ]\n# ///\nfrom vllm import LLM\nLLM("m/x", max_model_len=1)\n',
    )
    assert versions(found) == [("pip", "vllm==0.28.0", '"vllm==0.28.0"')]


def test_source_that_does_not_parse_is_one_note_with_its_line() -> None:
    found = deployed("s.py", "from vllm import LLM\nLLM(model='m'\n")
    assert not found.workloads and [(one.kind, one.span and one.span.line) for one in found.unread] == [
        ("unreadable", 2)
    ]


def test_a_byte_order_mark_and_windows_line_ends_move_nothing() -> None:
    text = '\ufefffrom vllm import LLM\r\nx = "é"; LLM("m/x", max_model_len=1)\r\n'
    found = started("s.py", text)
    assert typed(found, found.arguments[-1].place) == "max_model_len=1"
    first = started("s.py", '\ufeffimport vllm; vllm.LLM("m/x", max_model_len=1)\n')
    assert typed(first, first.arguments[-1].place) == "max_model_len=1"


@pytest.mark.parametrize(
    "text",
    [
        "class Engine: ...\nEngine(model_path='vllm', tp_size=4)\n", '"""vllm serve m --port 1"""\n',
        "import vllm\nprint(vllm.__version__)\n", "import subprocess\nsubprocess.run(['pip', 'install', 'vllm==0.28.0'])\n",
        "from vllm import SamplingParams\nSamplingParams(temperature=0)\n",
    ],
)  # fmt: skip
def test_quiet(text: str) -> None:
    found = deployed("s.py", text)
    assert (found.recognised, found.workloads) == ("", ())


def test_an_object_as_a_keyword_is_not_known() -> None:
    found = started("s.py", "from vllm import LLM\nLLM('m/x', speculative_config=make(1), max_model_len=[make(2)])\n")
    assert [one.known for one in found.arguments] == [True, False, False]


def test_many_branches_cost_little_more_than_their_length() -> None:
    import time

    def spent(count: int) -> float:
        head = "from vllm import LLM\n" + "".join(f"a{at} = {at}\n" for at in range(count))
        text = (
            head + "".join(f"if a{at} == x:\n    a{at} = y\n" for at in range(count)) + "LLM('m/x', max_model_len=1)\n"
        )
        begun = time.perf_counter()
        assert len(deployed("s.py", text).workloads) == 1
        return time.perf_counter() - begun

    spent(10)
    assert spent(800) < 30 * spent(100) + 0.2
