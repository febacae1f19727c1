"""One line that begins as a command, an assignment, a flag or an exception does -> whether a person goes on in words.

    vllm serve no longer starts, it exits                        words
    TP=8, HiCache + L3 storage backend: the service hangs        words
    lmdeploy chat with a 14B AWQ model runs out of memory        words
    --enable-hierarchical-cache hangs the server                 words
    IndexError in structured output                              words
    TP=8 NCCL_DEBUG=INFO vllm serve m --tensor-parallel-size 8   a command
    tp=2, ep=4, backend='pytorch')                               code
    IndexError: list index out of range                          what a program prints

What follows decides: a word that joins or judges ("with", "hangs", 时, 卡住), and nothing that only a shell reads.
`tail_begins` finds the words behind a command's last flag. False and -1 mean that no words of a person were found.

**Source:** no tool prints this; the wording is that of issue threads of the engines, each in the tests.
"""

from __future__ import annotations

from advisor.model.shape import Shape

MAX_LINE = 4000

_VALUE = r"(?:\"[^\"\n]*\"|'[^'\n]*'|[A-Za-z0-9_./@:+%-]*[A-Za-z0-9_%](?:,\d+)*)"
_ASSIGNED = rf"(?:export +)?[A-Za-z_][A-Za-z0-9_]*={_VALUE}"
_COMMAND = (
    r"(?:\S*/)?(?:vllm|sglang|lmdeploy|xllm)(?: (?:serve|chat|bench|api_server|launch_server|lite|convert))*"
    r"|(?:\S*/)?python3?(?: -\w)? (?:-m [\w.]+|\S+\.py)|torchrun(?: \S+\.py)?"
    r"|docker (?:compose )?(?:run|up|exec)|kubectl \w+"
)
_FLAG = r"--?[A-Za-z][A-Za-z0-9_.-]*(?:=[A-Za-z0-9_./-]+)?"
_RAISED = r"(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Interrupt|Timeout)s?|Tracebacks?"
_STOP = r"[ \t]*+[,，、;；:：。&/+][ \t/+&]*|[ \t]++"

# a word that goes on as a sentence does, not as a command line
_JOINS = (
    r"(?:with(?:out)?|on|at|in|when(?:ever)?|while|during|under|via|using|after|before|since|from|of|to|as|and|or|plus|but|then|also|"
    r"only|always|sometimes|still|never|not|cannot|can't|won't|doesn't|didn't|isn't|does|did|is|are|was|were|has|have|had|"
    r"the|an?|it|we|i|our|makes?|made|lets?|keeps?|gives?|gave|leads?|causes?|caused|works?|worked|runs?|ran|starts?|started|"
    r"exits?|exited|refuses?|breaks?|broke|blocks?|blocked|waits?|waiting|stops?|stopped|returns?|returned|raises?|raised|throws?|"
    r"hangs?|hung|hanging|stuck|freez(?:es?|ing)|froze|frozen|dead-?lock(?:s|ed)?|stalls?|stalled|crash(?:es|ed|ing)?|dies|died|"
    r"fails?|failed|times|timed|aborts?|aborted|loops?|spins?|goes|went|gets?|got|no longer|out of memory|ooms?)"
    r"(?=[\s,.;:!?，。；：]|$)"
)
_CHINESE = r"[\u4e00-\u9fff]"
# what only a shell or an interpreter reads: a pipe, an expansion, a continuation, a comment, a call
_SHELL = Shape(
    r"\$[\w{(]|\\\s*$|(?:^|\s)(?:\||\|\||&&?|\d?>{1,2}|<|;)(?:\s|/|&|$)|\s#(?!\d)|;\s*(?:then|do)\b"
    r"|\w\([^)\s]{0,200}=|^[^(]*\)"
)
_FLAGS = Shape(r"(?:^|\s)--?[A-Za-z][\w-]")
_LEADS = Shape(rf"\s*(?:>\s*)?(?:(?:{_ASSIGNED})(?:{_STOP}))*(?:{_ASSIGNED}|{_COMMAND}|{_FLAG}|(?:{_RAISED})(?= ))")
_LEADS_VALUE = Shape(rf"\s*(?:>\s*)?{_FLAG} [A-Za-z0-9_./-]+")  # --tp 8 with MTP
_GOES_ON = Shape(rf"(?i:[ \t,，、;；:：。]*(?:\([^()]{{0,80}}\) ?)?{_JOINS})")
_GOES_ON_CHINESE = Shape(rf"[ \t]*(?:[,，、;；:：。]\s*)?(?:{_CHINESE}|[A-Za-z][\w.+-]*[ \t]?{_CHINESE})")
_PAUSES = Shape(r"[ \t]*(?:[,:+][ \t]|[，、；：。])")
_NAMES = Shape(
    r"[ \t]*[,，、；：。:][^=(){}\[\]'\"<>|]*\b[A-Za-z]{3}[^=(){}\[\]'\"<>|]*$"
)  # TP=4, HiCache storage backend
_AFTER_SEMICOLON = Shape(  # PP=2; json_schema requests crash
    r";[ \t]+(?!(?:echo|printf|exec|sudo|exit|cd|source|export|if|for|while)\b)[^;='\"$|<>\\]*$"
)
# `vllm serve no longer starts, …`: a sentence about the command
_OF_COMMAND = Shape(
    r"\s*(?:vllm|sglang|lmdeploy|xllm)(?: \w+){0,3}? (?:no longer|does|did|is|was|never|cannot|can't|won't|keeps?|"
    r"hangs?|hung|crash[a-z]*|fail[a-z]*|starts?|stops?|stopped|dies|died|gives|exits?|refuses|works|启动|卡|报|起不来|崩)(?![A-Za-z-])"
    r"(?!.* --?[A-Za-z])"
)
_SAYS = Shape(rf"{_CHINESE}|(?i:(?<![\w.'\"-]){_JOINS})")
_CHINESE_ANY = Shape(_CHINESE)
_ONLY_ASSIGNED = Shape(rf"[\s,，、]*(?:{_ASSIGNED}(?:{_STOP}|$|\)))+\s*$")
_OPTION = Shape(r"(?<!\S)--?[A-Za-z][\w.-]*(?:=\S+)?(?=\s)")


def is_sentence(line: str) -> bool:
    """Whether a line that begins as a command, an assignment, a flag or an exception does goes on in words."""
    if len(line) > MAX_LINE:
        return False
    if _OF_COMMAND.match(line):
        return True
    return any((found := lead.match(line)) and _goes_on(line, found.end()) for lead in (_LEADS, _LEADS_VALUE))


def _goes_on(line: str, end: int) -> bool:
    rest = line[end:]
    if rest.startswith(";") and _AFTER_SEMICOLON.match(rest):
        rest = "," + rest[1:]
    if not rest.strip() or line[end - 1] == "/":
        return False
    if _GOES_ON.match(rest) and rest[0] in " \t,，、;；:：。":
        return _SHELL.search(rest) is None
    if _FLAGS.search(rest) or _SHELL.search(rest):
        return False
    if _GOES_ON_CHINESE.match(rest):
        return True
    if _PAUSES.match(rest) is None or _ONLY_ASSIGNED.match(rest):
        return False
    return _SAYS.search(rest) is not None or _NAMES.match(rest) is not None


def tail_begins(line: str) -> int:
    """Where words begin behind the last flag of a command, its value included; -1 where there are none."""
    if len(line) > MAX_LINE:
        return -1
    ends = [found.end() for found in _OPTION.finditer(line)]
    if not ends:
        return -1
    tail = line[ends[-1] :]
    alone = "=" in line[: ends[-1]].rpartition(" ")[2] or _CHINESE_ANY.search(tail)  # else one word is the flag's value
    if _SHELL.search(tail) or "'" in tail or '"' in tail or len(tail.split()) < (1 if alone else 2):
        return -1
    return ends[-1] if _SAYS.search(tail) else -1
