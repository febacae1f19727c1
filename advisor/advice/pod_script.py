"""Where a pod is → a POSIX script of kubectl commands that takes from outside what `advisor collect` takes inside.

    find_engine sglang '[s]glang::scheduler|…' --port 30000
    kubectl exec -n prod llm-0 -c server -- py-spy dump --native --pid 71 > advisor-llm-0/rank1-pid71.stack.1.txt

It is printed, never run. It needs `sh` in the pod and whatever of py-spy, curl and nvidia-smi is there; what is not is
said and left out. The files bear the names by which `advisor check FOLDER` knows them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from shlex import quote

from advisor.advice.commands import ENVIRONMENT, SECRET
from advisor.model.capture import HOST

_SCRIPT = r"""#!/bin/sh
# The evidence of one pod, for `advisor check FOLDER`. Made by advisor collect --kubectl; read it, then run it with sh.
# It reads.@WRITES@ It changes no object.
# Secrets are taken out by their names, and no more: hosts, addresses, users and prompts stay in what it writes.
# advisor check hides those as well in the report that it makes of the folder: hand that on, not the folder.
set -u
umask 077
out=${1:-@FOLDER@}
wait_s=${WAIT:-@WAIT@}
mkdir -p "$out" || exit 1

in_pod() { # SCRIPT WORD…: the words are $1, $2, … in the pod, whatever is in them
    code=$1
    shift
    kubectl exec @POD@ -- sh -c "$code" sh "$@" </dev/null
}
of_pod() { kubectl "$@" @TARGET@ </dev/null; }

# save FILE COMMAND…: what it prints, into the folder; what fails is said and leaves no empty file
save() {
    file=$1
    why=
    shift
    "$@" >"$out/$file" 2>"$out/.said" || { why=$(tail -n 1 "$out/.said"); echo "- $file: ${why:-nothing}" >&2; }
    [ -s "$out/$file" ] && return
    [ -s "$out/.said" ] && [ -z "$why" ] && echo "- $file: $(tail -n 1 "$out/.said")" >&2
    rm -f "$out/$file"
}

without_secrets() {
    awk '{
        if (hide && $1 == "value:") sub(/value:.*/, "value: \"[redacted]\"")
        else if (hide && $1 == "-") sub(/- .*/, "- \"[redacted]\"")
        hide = ($0 ~ /name: .*(@SECRET@)/ || $0 ~ /- "?--[A-Za-z-]*(api-key|token|secret|password)"?$/)
        print
    }' | sed -E -e 's/(--[A-Za-z-]*(api-key|token|secret|password)[= ])[^ ]+/\1[redacted]/g' \
        -e 's/^( +[A-Z0-9_]*(@SECRET@)[A-Z0-9_]*: +)[^< ].*/\1[redacted]/' \
        -e "s/(api_key[\"']?[=:] ?[\"']?)[^\"', )]+/\1[redacted]/g" -e 's/(hf_|sk-)[A-Za-z0-9_-]{16,}/[redacted]/g'
}
# a pipe ends as its last part does: what kubectl complains of is said, and what it printed is kept
pod_yaml() { of_pod get pod -o yaml | without_secrets; }
describe() { of_pod describe pod | without_secrets; }
events() { kubectl get events @NAMESPACE@--field-selector @EVENTS@ --sort-by .lastTimestamp | without_secrets; }
logs() { kubectl logs @POD@ --timestamps --limit-bytes 16000000 "$@" </dev/null | without_secrets; }
# words, one a line, as a command line: quoted where a shell would want it, without the values of secret flags
as_command() {
    awk -v q="'" '{
        if (hide == 1 || (hide == 2 && $0 !~ /^-/)) $0 = "[redacted]"
        if ($0 ~ /^--[A-Za-z-]*api-keys$/) hide = 2
        else if ($0 ~ /^--[A-Za-z-]*(api-key|token|secret|password)$/) hide = 1
        else if (hide == 1 || $0 ~ /^-/) hide = 0
        if ($0 ~ /^--[A-Za-z-]*(api-keys?|token|secret|password)=/) sub(/=.*/, "=[redacted]")
        printf "%s ", ($0 ~ /[^A-Za-z0-9_.,:\/=+@%-]/ ? q $0 q : $0)
    } END { print "" }'
}
launch_of() {
    in_pod "tr '\\0' '\\n' </proc/$1/cmdline" | as_command
    in_pod "tr '\\0' '\\n' </proc/$1/environ" | grep -E '^(@ENVIRONMENT@)_[A-Z0-9_]+=' | grep -vE '@SECRET@'
}
dump_of() {
    in_pod "t=; command -v timeout >/dev/null && t='timeout 20'; \
        \$t py-spy dump --native --pid $1 2>/dev/null || \$t py-spy dump --pid $1"
}
get() { # PORT PATH
    in_pod "url=http://127.0.0.1:$1$2
    if command -v curl >/dev/null; then curl -sS -i -m 25 \$url 2>&1; else python3 -c '
import sys, urllib.request as u
answer = u.build_opener(u.ProxyHandler({})).open(sys.argv[1], timeout=25)
print(\"HTTP/1.1\", answer.status, answer.reason, \"\\n\\n\" + answer.read().decode())' \$url; fi"
}
counters() { # PORT; after the moment, without the headers
    date -u '+# %Y-%m-%dT%H:%M:%S+00:00'
    get "$1" /metrics | grep -E '^(#|[A-Za-z_:]+[A-Za-z0-9_:]*(\{| ))'
}

found=
ports=
# find_engine NAME PATTERN PORT_FLAG PORT: its processes, with their ranks, and the port of each server
find_engine() {
    list=$(in_pod "for d in /proc/[0-9]*; do
        line=\$(tr '\\0' ' ' <\$d/cmdline 2>/dev/null)
        case \$line in sh\\ *|bash\\ *|/bin/sh\\ *|/bin/bash\\ *|tini\\ *|/usr/bin/tini\\ *) continue ;; esac
        echo \"\$line\" | grep -Eq '$2' || continue
        up=\$(sed -n 's/^PPid:[^0-9]*//p' \$d/status)
        rank=\$(tr '\\0' '\\n' <\$d/environ 2>/dev/null | sed -n 's/^RANK=//p')
        above=\$(tr '\\0' '\\n' </proc/\$up/environ 2>/dev/null | sed -n 's/^RANK=//p')
        [ \"\$rank\" = \"\$above\" ] && rank=
        port=\$(echo \"\$line\" | sed -n 's/.*$3[= ]\\([0-9][0-9]*\\).*/\\1/p')
        echo \"\${d#/proc/} \${rank:--} \${port:--}\"
    done")
    [ -n "$list" ] || return 0
    found="$found
$list"
    given=$(echo "$list" | sed -n 's/.* \([0-9][0-9]*\)$/\1/p' | sort -u)
    ports="$ports ${given:-$4}"
}
@ENGINES@
# number, or rank and number, as the files of a process begin
name_of() { case $2 in '' | *[!0-9]*) echo "pid$1" ;; *) echo "rank$2-pid$1" ;; esac; }
each() { # FUNCTION ENDING: for every process
    echo "$found" | while read -r pid rank _; do
        case $pid in '' | *[!0-9]*) continue ;; esac
        save "$(name_of "$pid" "$rank").$2" "$1" "$pid"
    done
}
[ -n "$found" ] || echo "- no process of an engine known here in this pod" >&2

save pod.yaml pod_yaml
save pod.describe.txt describe
save events.txt events
save serve.log logs
save serve.previous.log logs --previous
each launch_of launch.txt
each dump_of stack.1.txt
for port in $ports; do
    save "port$port.metrics.1.txt" counters "$port"
    save "port$port.health.txt" get "$port" /health
done
save nvidia-smi.txt in_pod 'command -v nvidia-smi >/dev/null && nvidia-smi'
save nvidia-smi.topo.txt in_pod 'command -v nvidia-smi >/dev/null && nvidia-smi topo -m'
save npu-smi.txt in_pod 'command -v npu-smi >/dev/null && npu-smi info'
save packages.txt in_pod 'pip list --format freeze 2>/dev/null || python3 -m pip list --format freeze'
machine() { echo '@HOST@' && in_pod 'uname -srm; df -m /dev/shm; grep -E "^Mem" /proc/meminfo'; }
save machine.txt machine
nccl() {
    in_pod 'grep -ho "/[^ ]*libnccl[^ ]*" /proc/[0-9]*/maps 2>/dev/null | sort -u |
        while read -r f; do echo "$f: $(grep -aom1 "NCCL version [0-9.]*" "$f")"; done'
}
save nccl.txt nccl
maps_of() { in_pod "grep -E '/lib(nccl|rccl|hccl|cudart|cuda)[^ ]*[.]so' /proc/$1/maps"; }
each maps_of maps.txt
sleep "$wait_s"
each dump_of stack.2.txt
for port in $ports; do save "port$port.metrics.2.txt" counters "$port"; done
@RECORDER@rm -f "$out/.said"
echo "$out: $(find "$out" -type f | wc -l | tr -d ' ') files"
echo "Hosts, addresses, users and prompts stand in them as they are; a report of advisor check goes without"
echo "Next: advisor check $out"
"""

_RECORDER = r"""# the flight recorder: a byte into the pipe that a rank has open makes PyTorch write its dump
variable() { in_pod "tr '\\0' '\\n' </proc/$1/environ" | sed -n "s/^$2=//p"; }
recorder_of() {
    named=$(variable "$1" TORCH_NCCL_DEBUG_INFO_PIPE_FILE)
    pipe=
    [ -z "$named" ] || pipe=$(in_pod 'for d in "/proc/$1/fd"/*; do
        p=$(readlink "$d") && [ -p "$d" ] || continue
        case $p in "$2"*[0-9].pipe) echo "$d $p"; break ;; esac; done' "$1" "$named")
    stem=$(variable "$1" TORCH_FR_DUMP_TEMP_FILE)
    [ -n "$stem" ] || stem=$(variable "$1" TORCH_NCCL_DEBUG_INFO_TEMP_FILE)
    [ -n "$pipe" ] || { echo "no pipe of the flight recorder is open" >&2; return 1; }
    [ -n "$stem" ] || stem=/tmp/nccl_trace_rank_
    number=${pipe%.pipe}
    number=${number##*[!0-9]}
    in_pod 't=; command -v timeout >/dev/null && t="timeout 5"
    [ -p "$1" ] && $t sh -c "printf 1 >\"\$0\"" "$1"; sleep 5; [ -f "$2" ] && cat "$2"' "${pipe%% *}" "$stem$number"
}
each recorder_of recorder
"""


@dataclass(frozen=True, slots=True)
class Sought:
    """An engine to look for: its pattern for `pgrep -f`, its flag for the port, and the port that it has by default."""

    name: str
    processes: str
    port_flag: str
    port: int


def pod_script(
    pod: str, namespace: str, container: str, engines: Sequence[Sought], wait_s: float, trigger: bool
) -> str:
    """The script. The words that the operator gave are quoted; nothing else of it is theirs."""
    space = f"-n {quote(namespace)} " if namespace else ""
    looks = [f"find_engine {one.name} {quote(one.processes)} {one.port_flag} {one.port}" for one in engines]
    writes = " Only the flight recorder's part makes PyTorch write its dump (--no-trigger leaves it out)."
    values = {
        "HOST": HOST.strip(),
        "WRITES": writes if trigger else "",
        "FOLDER": quote(f"advisor-{pod.rpartition('/')[2]}"),
        "WAIT": f"{wait_s:g}",
        "POD": f"{space}{quote(pod)}" + (f" -c {quote(container)}" if container else ""),
        "TARGET": f"{space}{quote(pod)}",
        "NAMESPACE": space,
        "EVENTS": quote(f"involvedObject.name={pod.rpartition('/')[2]}"),
        "SECRET": SECRET,
        "ENVIRONMENT": ENVIRONMENT,
        "ENGINES": "\n".join(looks) + "\n",
        "RECORDER": _RECORDER if trigger else "",
    }
    text = _SCRIPT
    for name, value in values.items():
        text = text.replace(f"@{name}@", value)
    return text
