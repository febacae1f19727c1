"""The state of a diagnosis, which its page holds: what comes back the same, what is bounded, what is not believed."""

from __future__ import annotations

import base64
import json
import re
import zlib
from pathlib import Path

import pytest
from markupsafe import Markup

from advisor.errors import UsageError
from advisor.faces.web import carried, form, showing
from advisor.faces.web.pages import _preferred
from advisor.faces.web.parcels import Kept, Received
from advisor.faces.web.problems import Refused
from advisor.jobs.request import File, Request, Said
from advisor.render import web_frame
from advisor.render.web_diagnosis import OPTIONS
from advisor.render.web_frame import Frame

ZIPPED = base64.b64encode(zlib.compress(b"a.log\0" + b"x")).decode()


@pytest.fixture
def sent(tmp_path: Path):
    """A form with these fields and files, `paste` the text box's."""

    def make(files: tuple[tuple[str, bytes], ...] = (), paste: str = "", **fields: object) -> Received:
        kept = []
        for at, (name, content) in enumerate((*((("file", paste.encode()),) if paste else ()), *files)):
            (tmp_path / str(at)).write_bytes(content)
            kept.append(Kept(name, tmp_path / str(at)))
        told = {name: one if isinstance(one, tuple) else (one,) for name, one in fields.items()}
        return Received(told, tuple(kept))

    return make


def read(given: Received) -> form.Form:
    return form.read(given, OPTIONS)


def hidden(page: bytes, name: str) -> tuple[str, ...]:
    found = re.findall(rf'<input type="hidden" name="{name}" value="([^"]*)">', page.decode())
    return tuple(Markup(one).unescape() for one in found)


# files


def test_a_carried_file_comes_back_the_same() -> None:
    given = File('日志 "1".log', b"\x00\xff\x1b[2J" + b"line\r\n" * 100_000)
    field = carried.packed(given)
    assert len(field) < 5_000 and carried.unpacked((field,)) == (given,)


def test_what_is_too_large_is_not_carried() -> None:
    import random

    assert carried.packed(File("a", random.Random(1).randbytes(carried.PACKED))) == ""
    assert carried.packed(File("a", b"x" * (carried.UNPACKED + 1))) == ""


def test_a_field_that_grows_without_end_is_not_unpacked() -> None:
    packing = zlib.compressobj(9)
    bomb = b"".join(packing.compress(bytes(1 << 20)) for _ in range(300)) + packing.flush()
    assert len(bomb) < 400_000
    with pytest.raises(Refused, match="unpacks to more") as refused:
        carried.unpacked((base64.b64encode(bomb).decode(),))
    assert refused.value.status == 413


def test_what_all_fields_together_unpack_to_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(carried, "UNPACKED", 20)
    field = carried.packed(File("a", b"123456"))
    carried.unpacked((field, field))
    with pytest.raises(Refused, match="unpacks to more"):
        carried.unpacked((field, field, field))


@pytest.mark.parametrize(
    "field", ("%%%", "AAAA", ZIPPED[:-8], base64.b64encode(zlib.compress(b"no mark")).decode(), "é")
)
def test_a_damaged_field_is_refused(field: str) -> None:
    with pytest.raises(Refused, match="not what a page of this service carries"):
        carried.unpacked((field,))


def test_files_of_one_name_are_told_apart_and_those_from_before_come_first(sent) -> None:
    given = sent((("b.log", b"2"), ("b.log", b"3"), ("a.log", b"4")), had=("a.log",), carried=(ZIPPED,))
    found = read(given)
    assert [(one.name, one.content) for one in found.told.files] == [
        ("a.log", b"x"), ("b.log", b"2"), ("b-2.log", b"3"), ("a-2.log", b"4"),
    ]  # fmt: skip
    assert found.fresh == ("b.log", "b-2.log", "a-2.log")


def test_a_file_chosen_again_takes_its_own_place(sent) -> None:
    found = read(sent((("big.log", b"1"),), had=("big.log", "other.log")))
    assert not found.fresh and found.told.missing == ("other.log",)


def test_a_paste_is_a_file_with_its_own_line_ends(sent) -> None:
    found = read(sent(paste="a\r\nb", had=("pasted-1.txt",)))
    assert found.pasted == "pasted-2.txt" and found.told.files == (File("pasted-2.txt", b"a\nb"),)
    assert read(sent((("file", b"\xff\xfe"),))).told.files == (File("file", b"\xff\xfe"),)  # only called like the box
    assert read(sent(paste=" \r\n ")).told.files == ()


# answers


def test_options_are_those_of_check(sent) -> None:
    given = sent(
        engine="sglang",
        version=" 0.5.16 ",
        flags="--tp 2 \\\r\n --nnodes 2",
        env="A=1\r\n\r\nB=2",
        component="nccl=2.28.9",
        hardware="2x GB10",
        model="m",
    )
    assert read(given).told.base == Request(
        engine="sglang", version="0.5.16", flags=("--tp 2 \\\n --nnodes 2",), env=("A=1", "B=2"),
        components=("nccl=2.28.9",), hardware=("2x GB10",), model="m",
    )  # fmt: skip


def turned(sent, *steps: dict[str, str], **fields: object) -> showing.Turn:
    return showing.turn(read(sent(step=tuple(map(json.dumps, steps)), **fields)))


def test_an_answer_becomes_what_the_option_would_have_been(sent) -> None:
    at = turned(sent, {"about": "engine", "text": "vllm"}, do="answer", about="fact:symptom.hang", choice="yes").at
    assert at.request.engine == "vllm" and at.request.said == (Said("fact:symptom.hang", "yes"),)
    assert at.asked == {"engine", "fact:symptom.hang"}


def test_what_is_typed_goes_before_what_is_chosen(sent) -> None:
    assert turned(sent, do="answer", about="engine", choice="vllm", answer="sglang").at.request.engine == "sglang"


def test_an_answer_of_several_lines_is_evidence_and_is_taken_back_with_its_file(sent) -> None:
    done = turned(sent, do="answer", about="build", kind="value", answer="Name: vllm\r\nVersion: 0.28.0")
    assert done.answered == "pasted-1.txt" and done.told.files == (
        File("pasted-1.txt", b"Name: vllm\nVersion: 0.28.0"),
    )
    assert done.at.asked == {"build"} and len(done.at.request.files) == 1
    packed = carried.packed(done.told.files[0])
    back = turned(
        sent, {"about": "build", "name": "pasted-1.txt"}, carried=(packed,), had=("pasted-1.txt",), do="undo:0"
    )
    assert back.at.request == Request() and not back.at.asked and not back.told.files


def test_new_files_are_the_answer_where_nothing_is_typed(sent) -> None:
    done = turned(sent, files=(("s.txt", b"stack"),), do="answer", about="stacks", kind="evidence", question="Stacks?")
    assert [one.name for one in done.told.steps] == ["s.txt"] and done.at.asked == {"stacks"}
    beside = turned(sent, files=(("s.txt", b"stack"),), do="unsure", about="stacks", kind="evidence")
    assert [one.text for one in beside.told.steps] == ["?"] and len(beside.at.request.files) == 1


def test_an_answer_whose_file_is_missing_is_a_question_not_answered(sent) -> None:
    done = turned(sent, {"about": "log", "name": "gone.log"}, had=("gone.log",))
    assert done.at.asked == {"log"} and not done.at.request.files and done.told.missing == ("gone.log",)


@pytest.mark.parametrize("do", ("undo:7", "undo:x", "undo:-1", "drop:none", "what", "undo:"))
def test_a_button_that_is_none_changes_nothing(sent, do: str) -> None:
    assert turned(sent, {"about": "engine", "text": "vllm"}, do=do).at.request.engine == "vllm"


@pytest.mark.parametrize(
    "step", ("", "[]", "3", "null", '{"about": 3}', '{"text": "x"}', "[" * 100_000, '{"about": ["x"]}')
)
def test_a_step_that_no_page_made_is_refused(sent, step: str) -> None:
    given = sent(step=(step or "{}",))
    with pytest.raises(Refused, match="not an answer that a page"):
        read(given)


def test_steps_are_bounded_and_an_answer_that_cannot_be_one_is_said(sent) -> None:
    with pytest.raises(Refused, match="more than 200"):
        read(sent(step=('{"about": "engine"}',) * 201))
    with pytest.raises(UsageError):
        turned(sent, {"about": "component:nccl", "text": "banana"})


# the page


def test_the_page_holds_all_it_was_told(sent) -> None:
    steps = (
        {"about": "engine", "text": "vllm", "name": "", "question": "Which?"},
        {"about": "symptom", "text": "hangs <b>", "name": "", "question": "What?"},
    )
    given = sent(
        (("a.log", b"INFO vLLM"),),
        paste="hm",
        step=tuple(map(json.dumps, steps)),
        env='A="<1>"\r\nB=2',
        lang="zh",
        ended="1",
    )
    page = showing.diagnosis(given, Frame(lang="zh")).content
    told = {name: hidden(page, name) for name in ("had", "step", "carried", "lang", "ended")}
    assert told["had"] == ("pasted-1.txt", "a.log") and told["lang"] == ("zh",) and told["ended"] == ("1",)
    again = read(Received(told | {"env": ('A="<1>"\r\nB=2',)}))
    assert again.told == read(given).told
    assert 'A="<1>"' in Markup(page.decode()).unescape()
    kept = showing.diagnosis(sent((("a.log", b"x"),), paste="hm", keeps="1"), Frame()).content
    assert not hidden(kept, "carried")
    small = showing.diagnosis(sent((("a.log", b"x"),), paste="hm"), Frame(), room=10).content
    assert not hidden(small, "carried") and len(hidden(small, "had")) == 2 and b"Too large to travel" in small


def test_nothing_runs_or_loads_but_our_own(sent) -> None:
    page = showing.diagnosis(sent(paste="vllm hangs"), Frame()).content.decode()
    assert not re.search(
        r"<style|\sstyle=|\son\w+=|<script(?! src=\"/static/)|https?://(?!github|www\.w3)[^\"]*\.(?:js|css)", page
    )
    assert len(web_frame.script()) < 8_000
    assert "@import" not in web_frame.style().decode() and "url(" not in web_frame.style().decode()


def test_an_engine_that_is_none_is_said(sent) -> None:
    page = showing.diagnosis(sent(paste="it hangs", engine="bogus"), Frame()).content.decode()
    assert "Not understood" in page and "bogus" in page


def test_nothing_at_all_is_asked_about_and_can_be_saved(sent) -> None:
    assert b"Which engine is it" in showing.diagnosis(sent(), Frame()).content
    assert json.loads(showing.download(sent(), "json", "en").content)["findings"] == []


def test_no_path_becomes_an_address_elsewhere() -> None:
    assert Frame("/a b").spoken_as("zh") == "/a%20b?lang=zh"


def test_rules_are_linked_in_text_alone() -> None:
    frame = Frame(rules=("vllm/x-y",), lang="zh", chosen=True)
    link = '<a class="rule-link" href="/rules/vllm/x-y?lang=zh">vllm/x-y</a>'
    assert (
        frame.linked(Markup("<p>vllm/x-y, vllm/x-y-z and a/vllm/x-y</p>"))
        == f"<p>{link}, vllm/x-y-z and a/vllm/x-y</p>"
    )
    for left in (
        '<p title="vllm/x-y">',
        "<summary>vllm/x-y</summary>",
        '<a href="x">vllm/x-y</a>',
        "<svg><text>vllm/x-y</text></svg>",
    ):
        assert frame.linked(Markup(left)) == left


@pytest.mark.parametrize(
    ("header", "lang"),
    [("", "en"), ("zh-CN,zh;q=0.9,en;q=0.8", "zh"), ("en;q=0.5, zh;q=0.9", "zh"), ("fr, de;q=0.9", "en"), ("fr,zh-TW;q=0.3", "zh"), ("zh;q=x, en", "en")],
)  # fmt: skip
def test_the_language_that_a_browser_prefers(header: str, lang: str) -> None:
    assert _preferred(header) == lang
