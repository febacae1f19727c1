"""The API of a real service: what the command line prints, byte for byte, and what it refuses."""

import base64
import gzip
import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from typer.testing import CliRunner

from advisor.faces.cli import application
from advisor.own_folders import LOCK
from tests.ci_ground import FAULTY
from tests.front_door import advisor
from tests.web.served import ROOT

DEMO = ROOT / "docs" / "demo"
CASES = [
    ({"engine": "vllm", "version": "0.28.0", "flags": ["vllm serve m/x -pp 8 --enforce-eager"]}, []),
    ({"engine": "xllm", "symptom": ["请求长期不返回，两个 rank 都活着"]}, []),
    ({"engine": "lmdeploy", "version": "f03bdf1c", "flags": ["--backend pytorch"], "env": ["A=1", "B=2"]}, []),
    (
        {"engine": "sglang", "version": "0.5.16", "component": ["nccl=2.28.9"], "hardware": ["2x GB10 aarch64"]},
        [("stack", "rank1.stack.txt"), ("log", "scheduler.log"), ("file", "rank0.stack.txt")],
    ),
    ({"said": ["fact:symptom.first_request=no"], "symptom": ["it hangs"], "model": "m/x"}, []),
]


def printed(*words, cwd=None, monkeypatch=None):
    """What the command prints, as bytes."""
    if cwd is not None:
        monkeypatch.chdir(cwd)
    ran = CliRunner().invoke(application(), list(words))
    assert ran.exit_code in (0, 1), ran.output
    return ran.stdout_bytes


def options(fields):
    return [
        word
        for name, value in fields.items()
        for one in (value if isinstance(value, list) else [value])
        for word in (f"--{name}", one)
    ]


def files(named):
    """The command's words for files: those of no kind stand alone."""
    return [word for kind, name in named for word in ([name] if kind == "file" else [f"--{kind}", name])]


@pytest.mark.parametrize(("fields", "named"), CASES)
def test_a_check_is_what_the_command_prints(server, monkeypatch, fields, named):
    wanted = printed("check", *options(fields), *files(named), "--format", "json", cwd=DEMO, monkeypatch=monkeypatch)
    inline = [
        {"name": name, "content": (DEMO / name).read_text(), "kind": "" if kind == "file" else kind}
        for kind, name in named
    ]
    # the command takes files of no kind first, then logs, then stacks; the service as they come
    inline.sort(key=lambda one: ["", "log", "stack"].index(one["kind"]))
    as_json = server.post("/v1/check", {**fields, "files": inline})
    assert (as_json.status, as_json.headers["content-type"]) == (200, "application/json")
    assert as_json.content == wanted
    parts = [
        (name, None, one.encode())
        for name, value in fields.items()
        for one in (value if isinstance(value, list) else [value])
    ]
    order = sorted(named, key=lambda one: ["file", "log", "stack"].index(one[0]))
    parts += [(kind, name, (DEMO / name).read_bytes()) for kind, name in order]
    assert server.upload("/v1/check", parts).content == wanted


@pytest.mark.parametrize(
    ("format", "media"), [("markdown", "text/markdown"), ("html", "text/html"), ("text", "text/plain")]
)
def test_a_report_in_another_format(server, format, media):
    case = CASES[0][0]
    asked = server.post(f"/v1/check?format={format}", case)
    assert asked.headers["content-type"].startswith(media)
    if format != "text":
        assert asked.content == printed("check", *options(case), "--format", format)
    assert ("sandbox" in asked.headers["content-security-policy"]) == (format == "html")
    by_header = server.ask(
        "POST", "/v1/check", json.dumps(case).encode(), Content_Type="application/json", Accept=f"{media}, */*"
    )
    assert by_header.content == asked.content
    in_chinese = server.post("/v1/check", {**case, "format": format, "lang": "zh"}).content
    assert in_chinese != asked.content and in_chinese == server.post(f"/v1/check?format={format}&lang=zh", case).content


def test_a_lint_is_what_the_command_prints(server, tmp_path, monkeypatch):
    script = "docker run --gpus 4 vllm/vllm-openai:v0.28.0 --model m/x --tensor-parallel-size 8\n"
    given = {"k8s/vllm.yaml": FAULTY.read_text(), "run.sh": script, "k8s/none.txt": "nothing of ours"}
    for name, text in given.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    wanted = printed("lint", *given, "--format", "json", cwd=tmp_path, monkeypatch=monkeypatch)
    found = json.loads(wanted)
    assert {one["region"]["file"] for one in found["findings"]} == {"k8s/vllm.yaml", "run.sh"}
    as_json = server.post("/v1/lint", {"files": [{"name": n, "content": t} for n, t in given.items()]})
    assert as_json.content == wanted
    assert server.upload("/v1/lint", [("file", n, t.encode()) for n, t in given.items()]).content == wanted
    sarif = server.upload("/v1/lint?format=sarif", [("file", n, t.encode()) for n, t in given.items()])
    assert sarif.headers["content-type"] == "application/sarif+json" and sarif.json["version"] == "2.1.0"


def test_a_configuration_among_the_files_is_in_force(server, tmp_path, monkeypatch):
    (tmp_path / "advisor.toml").write_text('[[ignore]]\nrule = "gpus-too-few"\nreason = "a test rig"\n')
    (tmp_path / "run.sh").write_text(
        "docker run --gpus 4 vllm/vllm-openai:v0.28.0 --model m/x --tensor-parallel-size 8\n"
    )
    parts = [("file", name, (tmp_path / name).read_bytes()) for name in ("run.sh", "advisor.toml")]
    found = server.upload("/v1/lint", parts)
    assert found.json["findings"][0]["suppressed"]["reason"] == "a test rig"
    assert found.content == printed("lint", "run.sh", "--format", "json", cwd=tmp_path, monkeypatch=monkeypatch)
    assert server.upload("/v1/lint", parts[:1]).json["findings"][0]["suppressed"] is None


def test_a_baseline_that_the_configuration_names_is_in_force(server, tmp_path):
    """It was passed over, and without a word."""
    (tmp_path / "run.sh").write_text(
        "docker run --gpus 4 vllm/vllm-openai:v0.28.0 --model m/x --tensor-parallel-size 8\n"
    )
    assert advisor("lint", "run.sh", "--write-baseline", "known.json", cwd=tmp_path).code == 0
    (tmp_path / "advisor.toml").write_text('[lint]\nbaseline = "./known.json"\n')
    parts = [("file", name, (tmp_path / name).read_bytes()) for name in ("run.sh", "advisor.toml", "known.json")]
    found = server.upload("/v1/lint", parts)
    assert found.status == 200 and {one["suppressed"]["how"] for one in found.json["findings"]} == {"baseline"}
    missed = server.upload("/v1/lint", parts[:2])
    assert missed.status == 422 and missed.json["where"] == "baseline ./known.json"
    broken = server.upload("/v1/lint", [*parts[:2], ("file", "known.json", b"{}")])
    assert broken.status == 422 and "known.json" in str(broken.json)


def test_rules_and_flags_are_what_the_commands_print(server):
    assert server.ask("GET", "/v1/rules/vllm/pp-broadcast-skew").content == printed(
        "explain", "vllm/pp-broadcast-skew", "--format", "json"
    )
    assert server.ask("GET", "/v1/flags/vllm/0.28.0?grep=spec").content == printed(
        "flags", "vllm", "0.28.0", "--grep", "spec", "--format", "json"
    )


def test_rules_are_listed_in_parts_and_searched(server):
    whole = server.ask("GET", "/v1/rules?limit=500").json
    assert whole["total"] == len(whole["rules"]) > 50
    part = server.ask("GET", "/v1/rules?limit=7&offset=3").json
    assert part["rules"] == whole["rules"][3:10] and part["total"] == whole["total"]
    mine = server.ask("GET", "/v1/rules?engine=xllm&limit=500").json["rules"]
    assert mine == [one for one in whole["rules"] if one["engine"] == "xllm"]
    near = server.ask("GET", "/v1/rules?q=pipeline+parallel+broadcast+skew&engine=vllm").json["rules"]
    assert near[0]["id"] == "vllm/pp-broadcast-skew" and near[0]["shares"]
    beyond = server.ask("GET", "/v1/rules?offset=1000").json
    assert (beyond["rules"], beyond["total"]) == ([], whole["total"])


REFUSED: list[tuple[str, str, object, int, str]] = [
    ("GET", "/v1/rules/vllm/pp-broadcast", None, 404, "vllm/pp-broadcast-skew"),
    ("GET", "/v1/flags/vlm/0.28.0", None, 404, "vllm"),
    ("GET", "/v1/flags/vllm/99", None, 404, "0.8.0"),
    ("GET", "/v1/rules?engine=vlm", None, 422, "vllm"),
    ("GET", "/v1/rules?limit=0", None, 422, "limit"),
    ("GET", "/v1/rules?q=hang&engine=none", None, 422, "none"),
    ("GET", "/v1/rules?nonsense=1", None, 422, "nonsense"),
    ("GET", "/nothing", None, 404, "openapi.json"),
    ("GET", "/v1/check", None, 405, "GET"),
    ("POST", "/v1/check?format=pdf", {"symptom": "hang"}, 422, "markdown"),
    ("POST", "/v1/check", {"enigne": "vllm"}, 422, "did you mean engine?"),
    ("POST", "/v1/check", {"engine": "vlm"}, 422, '"where": "engine"'),
    ("POST", "/v1/check", {"said": ["fact:none=1"]}, 422, '"where": "said"'),
    ("POST", "/v1/check", {"repo": "/etc"}, 422, "repo"),
    ("POST", "/v1/check", {}, 422, "nothing recognised"),
    ("POST", "/v1/check", {"engine": ["vllm", "sglang"]}, 422, "more than once"),
    ("POST", "/v1/check", {"version": 0.28}, 422, "quotes"),
    ("POST", "/v1/check", {"said": ["nothing"]}, 422, "ABOUT=ANSWER"),
    ("POST", "/v1/check", [], 422, "an object"),
    ("POST", "/v1/check", {"files": [{"name": "a", "content": "x", "content_base64": "eA=="}]}, 422, "files[0]"),
    ("POST", "/v1/check", {"files": [{"name": "a", "content_base64": "%"}]}, 422, "base64"),
    ("POST", "/v1/check", {"files": [{"name": "a\0b", "content": "x"}]}, 422, "control"),
    ("POST", "/v1/check", {"files": [{"name": "a" * 2000, "content": "x"}]}, 422, "longer than"),
    ("POST", "/v1/lint", {}, 422, "at least one file"),
    ("POST", "/v1/lint", {"files": [{"name": "a.yaml", "content": "kind: List"}]}, 422, "nothing recognised"),
    ("POST", "/v1/lint", {"files": [{"name": "../a.sh", "content": "x"}]}, 422, "relative path"),
    ("POST", "/v1/lint", {"files": [{"name": "/etc/a.sh", "content": "x"}]}, 422, "relative path"),
    ("POST", "/v1/lint", {"files": [{"name": "a" * 300, "content": "x"}]}, 422, "relative path"),
    ("POST", "/v1/lint", {"files": [{"name": "a", "content": "x"}, {"name": "a/b", "content": "x"}]}, 422, "a folder"),
    ("POST", "/v1/lint", {"files": [{"name": "a", "content": "x"}, {"name": "a", "content": "x"}]}, 422, "twice"),
]


@pytest.mark.parametrize(("method", "path", "body", "status", "says"), REFUSED)
def test_what_is_refused_says_why(server, method, path, body, status, says):
    found = server.ask(method, path) if body is None else server.post(path, body)
    assert found.status == status, found.content
    assert set(found.json) == {"what", "where", "hint"}
    assert says in json.dumps(found.json, ensure_ascii=False)


def test_a_name_with_dots_is_only_a_name(server):
    """It is quoted, and never a path."""
    found = server.upload("/v1/check", [("log", "../../../etc/passwd", (DEMO / "scheduler.log").read_bytes())])
    assert found.status == 200 and "root:" not in found.content.decode()
    assert "../../../etc/passwd" in found.content.decode()


def test_a_part_without_a_file_name_is_a_file_all_the_same(server):
    """As `curl -F 'log=<serve.log'` sends it; an empty input of a form is none."""
    log = (DEMO / "scheduler.log").read_bytes()
    found = server.upload("/v1/check", [("log", None, log), ("file", "", b"")])
    assert found.status == 200 and [one["name"] for one in found.json["coverage"]["inputs"]] == ["log"]


def test_what_is_cut_is_said_in_the_report(server):
    packed = base64.b64encode(gzip.compress(b"Scheduler watchdog timeout " + b"ab " * 20_000)).decode()
    found = server.post("/v1/check", {"engine": "sglang", "files": [{"name": "big.log.gz", "content_base64": packed}]})
    assert found.status == 200 and "longer than 20000 characters were cut" in json.dumps(found.json["coverage"])


def test_answers_of_many_at_once_are_not_mixed(server):
    def one(at):
        said = server.post("/v1/check", {"engine": "vllm", "version": f"0.{10 + at % 20}.0", "model": f"m/{at}"})
        return said.status, said.json["build"]["version"]

    with ThreadPoolExecutor(40) as pool:
        assert list(pool.map(one, range(80))) == [(200, f"0.{10 + at % 20}.0") for at in range(80)]


def test_it_counts_without_a_word_of_the_user(server):
    server.post("/v1/check", {"engine": "vllm", "version": "0.28.0", "model": "secret/model"})
    server.ask("GET", "/v1/rules/vllm/secret-slug")
    server.ask("SECRET", "/secret-path")
    text = server.ask("GET", "/metrics").content.decode()
    assert 'advisor_requests_total{method="POST",route="/v1/check",status="200"}' in text
    assert 'route="/v1/rules/{engine}/{slug}",status="404"' in text
    assert 'advisor_request_seconds_bucket{le="0.1",route="/v1/check"}' in text
    assert "advisor_received_bytes_total" in text and 'advisor_findings_total{status="' in text
    assert "\nadvisor_ready 1.0" in text and "\nadvisor_worker_restarts 0.0" in text
    assert "secret" not in text.lower()


def test_nothing_stays_on_disk(server):
    server.upload("/v1/check", [("log", "a.log", (DEMO / "scheduler.log").read_bytes())])
    server.post("/v1/lint", {"files": [{"name": "k8s/a.yaml", "content": FAULTY.read_text()}]})
    (own,) = server.folder.iterdir()
    assert [one.name for one in own.iterdir()] == [LOCK]


EVERYWHERE = ["/", "/rules", "/nothing", "/static/page.css", "/static/page.js", "/healthz", "/metrics", "/openapi.json"]


@pytest.mark.parametrize(
    "path", [*EVERYWHERE, "/?flags=--tp+2", "/v1/rules?q=hang", "/rules?q=hang", "/v1/check", "/flags/x/y"]
)
def test_every_answer_has_the_headers_that_keep_a_browser_in_bounds(server, path):
    """Answers, pages, what they load, refusals; and what holds the user's words is not kept by anyone."""
    headers = server.ask("GET", path, Accept="text/html").headers
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff" and headers["x-frame-options"] == "DENY"
    assert headers["referrer-policy"] == "same-origin" and "camera=()" in headers["permissions-policy"]
    assert headers["cross-origin-opener-policy"] == headers["cross-origin-resource-policy"] == "same-origin"
    assert not {"server", "access-control-allow-origin"} & headers.keys()
    if path.startswith("/v1/") or "?" in path:
        assert headers["cache-control"] == "no-store"
