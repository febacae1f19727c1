"""`advisor mcp` as an agent meets it: the SDK's own client over real pipes, and raw lines for what no client sends."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from anyio.from_thread import start_blocking_portal
from mcp import ClientSession, MCPError, StdioServerParameters, stdio_client

from advisor.faces.mcp import asked, guide
from advisor.faces.mcp.lines import mended
from advisor.jobs import names
from tests.ci_ground import FAULTY
from tests.front_door import advisor

ROOT = Path(__file__).parents[1]
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
SERVER = [sys.executable, "-m", "advisor", "mcp"]
LEAK = "any/nccl-proxy-slot-leak-arm"
LONG = "\n".join(
    f"[2026-08-02 10:44:{n % 60:02d} TP1] Decode batch. #running-req: {n}, #token: {n}" for n in range(400_000)
)


class Agent:
    """A session as a blocking caller sees it."""

    def __init__(self, portal, session, hello) -> None:
        self.portal, self.session, self.hello = portal, session, hello

    def call(self, tool, **arguments):
        return self.portal.call(self.session.call_tool, tool, arguments)

    def data(self, tool, **arguments):
        answer = self.call(tool, **arguments)
        assert not answer.is_error, answer.content[0].text
        return answer.structured_content

    def refused(self, tool, **arguments) -> str:
        """The one line that says why not."""
        answer = self.call(tool, **arguments)
        text = answer.content[0].text
        assert answer.is_error and answer.structured_content is None and "\n" not in text, text
        return text


@pytest.fixture(scope="module")
def root(tmp_path_factory) -> Path:
    """A folder that may be read, with ways out of it, beside a secret."""
    base = tmp_path_factory.mktemp("mcp")
    folder = base / "captures"
    (folder / "k8s").mkdir(parents=True)
    (base / "secret.log").write_text("VLLM_API_KEY=hunter2 vllm serve m/x")
    (folder / "report.md").write_bytes(report().read_bytes())
    (folder / "k8s" / "vllm.yaml").write_bytes(FAULTY.read_bytes())
    (folder / "out.log").symlink_to(base / "secret.log")
    (folder / "up").symlink_to(base)
    (folder / "kernel").symlink_to("/proc/self/environ")
    os.mkfifo(folder / "pipe")
    (folder / "empty").mkdir()
    return folder


def report() -> Path:
    """The founding report of the NCCL failure, as a rule's case has it."""
    return ROOT / "rules" / "any" / "nccl-proxy-slot-leak-arm" / "cases" / "fires-original-report-pasted" / "report.md"


@pytest.fixture(scope="module")
def agent(root):
    server = StdioServerParameters(command=SERVER[0], args=[*SERVER[1:], "--root", str(root)], env=ENVIRONMENT)
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(stdio_client(server)) as (read, write):
        session = ClientSession(read, write)
        with portal.wrap_async_context_manager(session):
            yield Agent(portal, session, portal.call(session.initialize))


@pytest.fixture(scope="module")
def tools(agent):
    return {one.name: one for one in agent.portal.call(agent.session.list_tools).tools}


# what is offered


def test_every_tool_says_what_it_takes_and_gives_and_that_it_changes_nothing(tools):
    assert list(tools) == ["check", "lint", "explain", "flags", "search"]
    for tool in tools.values():
        jsonschema.Draft202012Validator.check_schema(tool.input_schema)
        jsonschema.Draft202012Validator.check_schema(tool.output_schema or {})
        assert tool.input_schema["additionalProperties"] is False
        assert all(
            "description" in json.dumps(one) or "$ref" in one for one in tool.input_schema["properties"].values()
        )
        for example in tool.input_schema.get("examples", ()):
            jsonschema.validate(example, tool.input_schema)
        hints = tool.annotations
        assert (hints.read_only_hint, hints.idempotent_hint, hints.open_world_hint) == (True, True, False)


def test_the_engines_of_the_schema_are_those_that_there_are():
    assert sorted(asked.CHOICES) == sorted(names.engines())


def test_the_server_says_what_an_answer_is_worth(agent):
    assert agent.hello.instructions == guide.INSTRUCTIONS
    assert "resemblance" in guide.INSTRUCTIONS and "`suggested` one is unproven" in guide.INSTRUCTIONS
    assert max(map(len, (guide.INSTRUCTIONS, *guide.DESCRIPTIONS.values()))) < 2000


def test_the_tools_of_the_page_are_those_of_the_server(tools):
    page = (ROOT / "docs" / "mcp.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(\w+)` \| ((?:`\w+`(?:, )?)+) \|", page, re.M))
    assert {name: re.findall(r"\w+", row) for name, row in rows.items()} == {
        name: list(tool.input_schema["properties"]) for name, tool in tools.items()
    }


# check


def test_the_founding_report_gets_the_answer_of_the_command_line(agent, root, tools):
    whole = agent.data("check", files=["report.md"], detail="full")
    assert whole == advisor("check", "report.md", "--format", "json", cwd=root).report
    assert (whole["findings"][0]["rule"], whole["findings"][0]["status"]) == (LEAK, "matched")
    jsonschema.validate(whole, tools["check"].output_schema)


def test_a_brief_answer_keeps_what_to_act_on_and_says_that_it_is_brief(agent, tools):
    text = report().read_text(encoding="utf-8")
    whole = agent.data("check", texts=[{"name": "report.md", "content": text}], detail="full")
    answer = agent.call("check", texts=[{"name": "report.md", "content": text}])
    short = answer.structured_content
    jsonschema.validate(short, tools["check"].output_schema)
    for part in ("remedies", "harmful", "not_helpful", "fixes", "verification", "cause", "headline", "caveats"):
        assert short["findings"][0][part] == whole["findings"][0][part], part
    assert [(one["rule"], one["status"]) for one in short["findings"]] == [
        (one["rule"], one["status"]) for one in whole["findings"]
    ]
    assert len(json.dumps(short)) * 3 < len(json.dumps(whole))
    assert "detail: full" in short["coverage"]["notes"][-1] and "detail: full" not in str(whole["coverage"])
    assert LEAK in answer.content[0].text and len(answer.content[0].text) < 20_000


@pytest.mark.parametrize("led_by", ["exposed", "possible", "matched"])
def test_a_brief_answer_never_says_of_what_it_leaves_out_that_it_is_not_known(agent, led_by):
    demo, spec = ROOT / "docs" / "demo", '--speculative-config {"method":"eagle3"}'
    names = {"matched": ("rank0.stack.txt", "rank1.stack.txt", "scheduler.log"), "possible": ("scheduler.log",)}
    texts = [{"name": name, "content": (demo / name).read_text("utf-8")} for name in names.get(led_by, ())]
    stated = {"version": "0.5.16", "component": "nccl=2.28.9", "hardware": "2x GB10 aarch64"}
    cases: dict[str, dict[str, Any]] = {
        "exposed": {"engine": "vllm", "version": "0.28.0", "flags": f"vllm serve m/x -pp 8 {spec}"},
        "possible": {"texts": texts},
        "matched": {"texts": texts, "engine": "sglang", "flags": (demo / "launch.sh").read_text("utf-8"), **stated},
    }
    given = cases[led_by]
    answer, whole = agent.call("check", **given), agent.data("check", **given, detail="full")
    assert whole["findings"][0]["status"] == led_by and all(one["fixes"] for one in whole["findings"])
    text = answer.content[0].text
    assert not any(none in text for none in ("no fix known", "No fix is known", "Nothing is known that helps"))
    if led_by == "exposed":
        first = answer.structured_content["findings"][0]
        assert first["remedies"] == whole["findings"][0]["remedies"] and "0.30.0" in text


def test_an_answer_to_a_question_goes_where_its_option_would_put_it(agent):
    log = (ROOT / "docs" / "demo" / "scheduler.log").read_text(encoding="utf-8")
    first = agent.data("check", texts=[{"name": "scheduler.log", "content": log}])
    assert first["build"]["version"] is None and "build" in [one["about"] for one in first["questions"]]
    then = agent.data("check", texts=[{"name": "scheduler.log", "content": log}], said=["build=0.5.16"])
    assert then["build"]["version"] == "0.5.16"


def test_a_few_flags_rule_nothing_out_unless_they_are_all_there_are(agent):
    given = {"engine": "vllm", "version": "0.28.0", "flags": "--tp 2"}
    assert agent.data("check", **given)["coverage"]["launch_complete"] is False
    assert agent.data("check", **given, complete=True)["coverage"]["launch_complete"] is True


def test_our_own_lines_name_tools_and_quotes_stay_as_they_are(agent):
    log = (ROOT / "docs" / "demo" / "scheduler.log").read_text(encoding="utf-8")
    text = agent.call("check", texts=[{"name": "a.log", "content": log}], flags="--verbose").content[0].text
    assert "more: explain sglang/" in text and "advisor explain" not in text


def test_the_text_speaks_chinese_when_asked(agent):
    assert (
        "没有已收录的故障与所给材料相符"
        in agent.call("check", engine="vllm", symptom="requests hang", lang="zh").content[0].text
    )


# the others


def test_lint_points_at_the_lines_of_a_manifest(agent, root, tools):
    content = (root / "k8s" / "vllm.yaml").read_text(encoding="utf-8")
    inline = agent.data("lint", texts=[{"name": "k8s/vllm.yaml", "content": content}], detail="full")
    jsonschema.validate(inline, tools["lint"].output_schema)
    whole = advisor("lint", "k8s", "--format", "json", "--fail-on", "never", cwd=root).report
    assert inline["findings"] == whole["findings"] != []
    named = agent.data("lint", paths=["k8s"])
    assert [one["id"] for one in named["findings"]] == [one["id"] for one in whole["findings"]]
    assert named["checks"] == [] and "Shortened" in named["notes"][-1]


def test_texts_that_are_linted_together_are_judged_together(agent):
    service = "apiVersion: v1\nkind: Service\nmetadata: {name: vllm}\nspec:\n  ports: [{port: 8000}]\n"
    pod = (
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n"
        "  - {name: v, image: 'vllm/vllm-openai:v0.28.0', args: [--model, m/x]}\n"
    )
    alone = agent.data("lint", texts=[{"name": "pod.yaml", "content": pod}])
    both = agent.data("lint", texts=[{"name": "pod.yaml", "content": pod}, {"name": "svc.yaml", "content": service}])
    assert len(both["findings"]) > len(alone["findings"])  # VLLM_PORT is then set by Kubernetes


def test_a_rule_is_a_page_and_a_resource(agent):
    page = agent.call("explain", rule=LEAK).content[0].text
    assert page.startswith(f"# {LEAK}")
    read = agent.portal.call(agent.session.read_resource, f"advisor://rules/{LEAK}")
    assert read.contents[0].text == page
    listed = agent.portal.call(agent.session.list_resources).resources
    assert sorted(one.name for one in listed) == sorted(names.rules())
    with pytest.raises(MCPError, match="no rule 'vllm/none'"):
        agent.portal.call(agent.session.read_resource, "advisor://rules/vllm/none")


def test_flags_of_a_release_and_what_changed(agent, tools):
    found = agent.data("flags", engine="vllm", version="0.28.0", grep="spec-method")
    assert [one["name"] for one in found["flags"]] == ["--spec-method"]
    changed = agent.data("flags", engine="vllm", version="0.29.0", since="0.27.1", grep="spec")
    for answer in (found, changed):
        jsonschema.validate(answer, tools["flags"].output_schema)
    assert (changed["old"], changed["new"]) == ("0.27.1", "0.29.0")
    assert "narrow it with grep" in agent.refused("flags", engine="vllm", version="0.28.0")


def test_search_gives_ids_and_no_judgement(agent, tools):
    found = agent.data("search", text="decode hangs after a json schema request", most=2)
    jsonschema.validate(found, tools["search"].output_schema)
    assert len(found["resembles"]) == 2 and "status" not in found["resembles"][0]


def test_what_a_configuration_below_the_roots_suppresses_is_suppressed(root):
    from advisor.faces.mcp.tools import call

    inner = root / "k8s"
    (root / "advisor.toml").write_text('[[ignore]]\npath = "**"\nrule = "*"\nreason = "rendered elsewhere"\n')
    try:
        seen = call("lint", {"paths": [str(inner)]}, (str(root),)).data
        above = call("lint", {"paths": [str(inner)]}, (str(inner),)).data
    finally:
        (root / "advisor.toml").unlink()
    assert seen and above and all(one["suppressed"] for one in seen["findings"])
    assert not any(one["suppressed"] for one in above["findings"])


# what may be read


@pytest.mark.parametrize(
    "path",
    ["../secret.log", "k8s/../../secret.log", "{out}/secret.log", "out.log", "up/secret.log", "/proc/self/environ",
     "kernel", "/etc/passwd", "/etc/no-such-file", "{out}/captures-too"],
)  # fmt: skip
def test_nothing_outside_of_the_roots_is_read_or_told_apart(agent, root, path):
    for tool, argument in (("check", "files"), ("lint", "paths")):
        said = agent.refused(tool, **{argument: [path.format(out=root.parent)]})
        assert f"is outside of the folders that may be read (these are: {root})" in said, said


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("pipe", "is neither a file nor a folder"),
        ("none.log", "no such file"),
        ("a\0b", "is no path"),
        ("a" * 5000, "is no path"),
        ("empty", "no files in this folder"),
    ],
)
def test_what_is_no_file_is_refused(agent, path, why):
    assert why in agent.refused("check", files=[path])
    assert why in agent.refused("lint", paths=[path]) or path == "empty"


def test_of_a_folder_the_links_that_lead_out_are_left_and_said(agent):
    found = agent.data("check", files=["."])
    assert {one["name"] for one in found["coverage"]["inputs"]} == {"captures/report.md", "captures/k8s/vllm.yaml"}
    assert any("out of the folders that may be read" in one for one in found["coverage"]["notes"])
    assert "hunter2" not in json.dumps(found)


# wrong calls


@pytest.mark.parametrize(
    ("tool", "arguments", "line"),
    [
        ("check", {}, "nothing recognised"),
        ("check", {"engine": "vlm"}, "unknown engine 'vlm'"),
        ("check", {"version": 5}, "version: Input should be a valid string"),
        ("check", {"logs": "x"}, "logs: no such argument (known: engine,"),
        ("check", {"symptom": "hangs", "said": ["wanted:x/y=yes"]}, "hand over what it asks for, in texts"),
        ("check", {"symptom": "hangs", "said": ["nonsense=yes"]}, "no question is about 'nonsense'"),
        ("check", {"texts": [{"name": "a", "content": "x" * (65 << 20)}]}, "hold more than 64 MiB"),
        ("lint", {}, "nothing to lint"),
        ("lint", {"texts": [{"name": "a.yaml", "content": "hello"}]}, "nothing recognised"),
        ("explain", {}, "rule: Field required"),
        ("explain", {"rule": "nccl"}, "no rule 'nccl' (nearest: any/nccl-"),
        ("flags", {"engine": "vllm", "version": "99"}, "outside of what is known"),
        ("search", {"text": " "}, "nothing to search for"),
        ("search", {"text": "x", "most": 0}, "most: Input should be greater than or equal to 1"),
    ],
)
def test_a_wrong_call_is_one_line(agent, tool, arguments, line):
    assert line in agent.refused(tool, **arguments)


def test_a_tool_that_is_not_there_names_those_that_are(agent):
    with pytest.raises(MCPError, match="no tool 'diagnose'; there are: check, lint"):
        agent.call("diagnose")


# the process


class Raw:
    """A server spoken to line by line."""

    def __init__(self, command) -> None:
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT
        )
        assert self.process.stdin is not None and self.process.stdout is not None
        self.into, self.out = self.process.stdin, self.process.stdout
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        self.send(id=0, method="initialize", params=hello)
        assert self.next()["result"]["serverInfo"]["name"] == "advisor"
        self.send(method="notifications/initialized")

    def send(self, **message) -> None:
        self.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def write(self, line: bytes) -> None:
        self.into.write(line)
        self.into.flush()

    def call(self, number, tool, **arguments) -> None:
        self.send(id=number, method="tools/call", params={"name": tool, "arguments": arguments})

    def next(self):
        return json.loads(self.out.readline())

    def end(self, number=None) -> int:
        """End by a signal, or by the end of its input; the exit code."""
        if number is not None:
            self.process.send_signal(number)
        out, _ = self.process.communicate(timeout=20)
        assert out == b"", out
        return self.process.returncode


def test_it_hears_pings_and_cancellations_while_it_works_and_ends_with_its_input():
    server = Raw(SERVER)
    server.call(1, "check", texts=[{"name": "a.log", "content": LONG}])
    server.send(id=2, method="ping")
    assert server.next()["id"] == 2
    server.send(method="notifications/cancelled", params={"requestId": 1})
    server.write(b'garbage\n\n[]\n{"jsonrpc": "2.0"}\n\xff\xfe\n')
    server.send(id=3, method="ping")
    answers = [server.next() for _ in range(1)]
    while answers[-1].get("id") != 3:  # what is no message may be answered as such
        answers.append(server.next())
    assert all("error" in one for one in answers[:-1])
    assert server.end() == 0


def test_half_a_surrogate_pair_is_answered_and_whole_ones_stay():
    """A client cut a text in the middle of a character; the SDK dropped the line, and its caller waited for ever."""
    server = Raw(SERVER)
    arguments = rb'{"rule": "hang \ud800 \ud83d\ude00 \\ud800"}'
    call = rb'{"name": "explain", "arguments": ' + arguments + b"}"
    server.write(rb'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": ' + call + b"}\n")
    answer = server.next()
    assert answer["id"] == 1 and "\ufffd \U0001f600 " in answer["result"]["content"][0]["text"]
    assert server.end() == 0


@pytest.mark.parametrize(
    "line, wanted",
    [
        (rb'"\ud800"', rb'"\ufffd"'),
        (rb'"\uD83D\uDE00 \uDE00\uD83D"', rb'"\uD83D\uDE00 \ufffd\ufffd"'),
        (rb'"\\ud800 \\\ud800 \n\u0041"', rb'"\\ud800 \\\ufffd \n\u0041"'),
        (b"\\", b"\\"),
    ],
)
def test_a_line_without_halves_of_pairs(line, wanted):
    assert mended(line) == wanted


def test_what_takes_too_long_is_ended_and_an_interrupt_is_130():
    server = Raw([*SERVER, "--timeout", "0.5"])
    server.call(1, "check", texts=[{"name": "a.log", "content": LONG}])
    said = server.next()["result"]
    assert said["isError"] and "took longer than 0.5 s" in said["content"][0]["text"]
    server.send(id=2, method="ping")
    assert server.next()["id"] == 2
    assert server.end(signal.SIGINT) == 130


LOUD = """
import os
from advisor.faces.mcp import server
quiet = server.Service.call_tool
async def loud(self, context, params):
    print("stray")
    os.write(1, b"stray\\n")
    return await quiet(self, context, params)
server.Service.call_tool = loud
server.serve((), 60)
"""


def test_what_is_printed_does_not_reach_the_protocol():
    server = Raw([sys.executable, "-c", LOUD])
    server.call(1, "search", text="it hangs")
    assert server.next()["result"]["structuredContent"]["schema"] == "advisor-search/1"
    assert server.end() == 0


def test_without_a_root_no_file_is_read_and_a_root_must_be_there(tmp_path):
    from advisor.faces.mcp.tools import call

    said = call("check", {"files": [str(tmp_path)]}, ())
    assert said.failed and "start advisor mcp with --root DIR" in said.text
    ran = advisor("mcp", "--root", str(tmp_path / "none"))
    assert (ran.code, ran.err) == (2, f"advisor: --root {tmp_path / 'none'}: no such folder\n")


def test_without_the_sdk_it_says_what_to_install(monkeypatch, tmp_path):
    (tmp_path / "hide.py").write_text(
        "import importlib.util as u, sys\nreal = u.find_spec\n"
        "u.find_spec = lambda name, *a: None if name == 'mcp' else real(name, *a)\n"
        "from advisor.faces.cli import main\nsys.argv = ['advisor', 'mcp']\nmain()\n"
    )
    ran = subprocess.run(
        [sys.executable, str(tmp_path / "hide.py")], capture_output=True, text=True, env=ENVIRONMENT, check=False
    )
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr == (
        "advisor: advisor mcp: the Model Context Protocol's SDK is not installed "
        "(pip install 'inference-advisor[mcp]')\n"
    )
