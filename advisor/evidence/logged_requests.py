"""A log -> the places in it that repeat what clients asked: prompts and answers are no words of the engine.

Sample:

    INFO 08-02 10:44:31 [logger.py:42] Received request cmpl-1: prompt: 'Explain: …', params: SamplingParams(…)
    Receive: obj=GenerateReqInput(rid='…', text="why …", input_ids=None, …)
    {"messages": [{"role": "user", "content": "…"}]}

Only the bodies are found, not the lines. Empty: no request is logged.

**Source:** vLLM 01ff1262941a vllm/entrypoints/logger.py; SGLang python/sglang/srt/utils/request_logger.py; LMDeploy
lmdeploy/serve/async_engine.py; the OpenAI chat and completion bodies (read 2026-11-29).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from advisor.model.shape import Shape

_STRING = r"(?:'(?:[^'\\\n]|\\.){0,100000}(?:'|$)|\"(?:[^\"\\\n]|\\.){0,100000}(?:\"|$))"
# prompt: '…', "prompt": "…", prompt='…'
_PROMPT = Shape(r"\b(?:prompt|prompts|input_text|user_prompt)[\"']?\s{0,3}[:=]\s{0,3}\[?(" + _STRING + ")", re.M)
# text="…" of a GenerateReqInput, "content": "…" of a message, 'text': '…' of an answer
_BODY = Shape(r"\b(?:text|content|inputs?|reasoning_content)[\"']?\s{0,3}[:=]\s{0,3}\[?(" + _STRING + ")", re.M)
# SGLang cuts a long text without escaping its quotes: text="…" ... "…", input_ids=None
_RAW = Shape(r"\btext=(.{0,20000}?)(?=, (?:input_ids|input_embeds|image_data)=|$)", re.M)
_REQUEST = Shape(
    r"GenerateReqInput|EmbeddingReqInput|Receive: obj|Finish: obj|Received request|CompletionRequest|"
    r"[\"']messages[\"']\s{0,3}:|[\"']role[\"']\s{0,3}:|prompt_token_ids|SamplingParams|gen_config"
)
_PLAIN = Shape(r"^.{0,120}?\b(?:user )?prompts?: (?=\S)(?!['\"\[{])(?!\d)([^\n]{1,20000})", re.M)
_LOGGED = Shape(r"^\W{0,3}(?:\d{4}-\d\d-\d\d|[IWEF]\d{4} |INFO|DEBUG|WARNING|\(\w+ pid=)")
# one of these stands wherever a body is; for the linear-time engine
TRIGGERS = (
    r"(?:prompts?|input_text)[\"']?\s{0,3}[:=]\s{0,3}\[?['\"]",
    r"prompts?: [^\s'\"\[{0-9]",
    *_REQUEST.pattern.split("|"),
)


def bodies(text: str) -> Iterator[tuple[int, int]]:
    """The places of what clients wrote, and of the answers, in lines that log a request."""
    if "prompt" in text:
        for found in _PROMPT.finditer(text):
            yield found.span(1)
        for found in _PLAIN.finditer(text):
            if _LOGGED.match(found.group()):
                yield found.span(1)
    if "text" in text or "content" in text or "input" in text:
        yield from _in_requests(text)


def _in_requests(text: str) -> Iterator[tuple[int, int]]:
    """`text=` and `content:` are common words: only a line that is a request's, or one right after, is read."""
    seen = -1
    for mark in _REQUEST.finditer(text):
        if mark.start() < seen:
            continue
        start = text.rfind("\n", 0, mark.start()) + 1
        seen = text.find("\n", mark.end()) + 1 or len(text)
        for form in (_RAW, _BODY) if "ReqInput(" in text[start:seen] else (_BODY,):
            for found in form.finditer(text, start, seen):
                yield found.span(1)
