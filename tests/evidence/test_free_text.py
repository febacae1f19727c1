"""What operators write, in English and Chinese, and which symptoms it states; more of it quiet than not."""

import time
from pathlib import Path

import pytest

from advisor.evidence.free_text import FACTS, read_symptoms
from advisor.evidence.signs import SIGNS


def stated(text: str) -> set[str]:
    """The symptoms that a text states, without their prefix."""
    found = read_symptoms(text, artifact="paste")
    return {fact.name.removeprefix("symptom.") for fact in found if fact.name.startswith("symptom.")}


STATED = [
    # hangs
    ("Requests are accepted but never return.", "hang"),
    ("The scheduler froze and generation makes no progress", "hang"),
    ("rank 3 is stuck in all_reduce", "hang"),
    ("completions hang for ever, /health fine", "hang processes_alive"),
    ("With a flood of requests the API goes mute", "hang under_load"),
    ("Each request with a JSON schema hangs our two-stage pipeline", "hang"),
    ("It hangs unless I disable overlap scheduling", "hang"),
    ("A single long prompt waits for ever", "hang long_prefill"),
    ("跑着跑着就卡死了，没有任何报错", "hang no_error after_a_while"),
    ("请求长期不返回，两个 rank 都活着", "hang processes_alive"),
    ("张量并行设为 8 之后接口一直没有响应", "hang"),
    ("服务hang住了，日志里没有报错", "hang no_error"),
    ("等了五分钟请求也不返回，两边的进程都还活着", "hang processes_alive"),
    # ranks
    ("Rank 0 is inside a graph update while rank 1 already waits in an HCCL collective.", "ranks_split"),
    ("One rank is stuck in NCCL, its peer sits idle", "hang ranks_split rank_idle"),
    ("three GPUs spin, the fourth one is idle, counters frozen", "hang rank_busy rank_idle"),
    ("TP3 hangs in an all-reduce while ranks 0 to 2 wait for a broadcast", "hang ranks_split"),
    ("two ranks spin in the allocator, six wait in recv_requests", "rank_busy ranks_split"),
    ("两个 TP rank 进入不一致的等待顺序", "ranks_split"),
    ("GPU 7 占用率 0%，GPU 0–6 占用率 100% 空转", "rank_idle rank_busy"),
    ("All cards at 100 % utilisation and hardly any power", "rank_busy"),
    # circumstances
    (
        "Four single-GPU servers lose their throughput heartbeat in the same second after 6 hours. No error",
        "hang heartbeat_stopped after_a_while no_error",
    ),
    ("heartbeat stopped, no traceback", "heartbeat_stopped no_error"),
    ("No decode batches in the log", "heartbeat_stopped"),
    ("心跳日志停了，进程还在", "heartbeat_stopped processes_alive"),
    ("热身请求都成功，第一个正式请求就卡住", "hang first_request"),
    ("The warm-up passes and the server is ready; the first real request is aborted.", "first_request"),
    ("运行几分钟到几十分钟后发生死锁", "hang after_a_while"),
    ("After some hours in production the service stops responding", "hang after_a_while"),
    ("采样时会输出乱码，greedy 就没问题", "wrong_output sampling_only"),
    ("It only happens with random sampling", "sampling_only"),
    ("投机接受率越来越低", "acceptance_falls"),
    ("the acceptance rate keeps falling", "acceptance_falls"),
    ("SIGTERM is ignored, it takes a while", "sigterm_ignored"),
    ("SIGTERM 无法正常退出", "sigterm_ignored"),
    ("As soon as long prefills arrive DeepEP times out", "timeout long_prefill"),
    ("It deadlocks after wake-up from sleep mode", "hang sleep_wakeup"),
    ("Under high concurrency the decode side hangs", "hang under_load"),
    ("64 并发压测时 D 节点崩溃退出", "crash under_load"),
    # crashes, starting, answers, memory, time
    ("Under load the prefill process dies of a KeyError", "crash under_load"),
    ("gloo aborts the process", "crash"),
    ("跑了两个小时后，解码节点断言失败退出", "crash after_a_while"),
    ("一启动就报错崩了", "startup_failure crash"),
    ("With graph mode the server never finishes starting", "startup_hang"),
    ("Startup hangs for ever and prints no error", "hang startup_hang no_error"),
    ("the server does not start, a kernel library cannot be loaded", "startup_failure"),
    ("a small model fails in graph capture with memory to spare", "startup_failure graph_capture"),
    ("重复发送同一个长 prompt，再次的输出就是乱码", "wrong_output long_prefill repeated_prompts"),
    ("Answers served from the cache are wrong", "wrong_output"),
    ("it shows very uneven token latency", "slow"),
    ("显存慢慢上涨，运行几天后 OOM", "oom after_a_while"),
    ("Two H20 nodes run out of memory now and then", "oom"),
    ("the watchdog fires and the process is brought down by SIGQUIT", "watchdog crash"),
    ("Loading from LMCache ends in an RPC timeout.", "timeout"),
    ("随后报 sample_tokens 超时", "timeout"),
    # words for no progress
    ("The engine locks up", "hang"),
    ("goes dead, no log at all", "hang no_error"),
    ("Requests stop returning, throughput is 0", "hang"),
    ("It neither crashes nor returns", "hang"),
    ("No return forever; gdb of the two processes attached", "hang"),
    ("The server doesn't reply", "hang"),
    ("generation grinds to a halt", "hang"),
    ("one request is 'Running' forever", "hang"),
    ("进程锁死，请求永远等不到结果", "hang"),
    ("生成 token 计数不再增长", "hang"),
    ("既不崩溃也不返回", "hang"),
    ("stuck before it says startup complete", "hang startup_hang"),
    ("启动到 warmup 就停住了", "hang startup_hang"),
    # when
    ("It served ok ~2h with real traffic, then dead", "hang after_a_while"),
    ("Works for 20-40 minutes, then one rank is stuck", "hang after_a_while"),
    ("works for a while, then locks up", "hang after_a_while"),
    ("every few hours the engine goes dead", "hang after_a_while"),
    ("after about twenty minutes decode freezes", "hang after_a_while"),
    ("it hung overnight", "hang after_a_while"),
    ("Takes 3 days to hang", "hang after_a_while"),
    ("after thousands of requests it freezes", "hang after_a_while"),
    ("~7 min into load it hangs", "hang after_a_while"),
    ("跑一会儿就卡死", "hang after_a_while"),
    ("三四个小时后卡死", "hang after_a_while"),
    ("一段时间后没有响应", "hang after_a_while"),
    ("每隔几小时就卡住一次", "hang after_a_while"),
    ("半个多小时必卡", "hang after_a_while"),
    ("first curl hangs forever", "hang first_request"),
    ("hangs at the very first sampled token", "hang first_request"),
    ("as soon as I send a request it hangs", "hang first_request"),
    ("stuck right after warmup_kernels", "hang first_request"),
    ("第一条就卡住", "hang first_request"),
    ("一发请求就卡死", "hang first_request"),
    ("服务满载时卡住", "hang under_load"),
    ("流量一大就死锁", "hang under_load"),
    ("前 7 卡满载，第 8 卡空闲", "rank_idle rank_busy"),
    ("last rank sits at zero util, others at hundred", "rank_idle rank_busy"),
    # answers, acceptance, time
    ("output degenerates", "wrong_output"),
    ("the answers make no sense", "wrong_output"),
    ("回答错乱", "wrong_output"),
    ("acceptance went from 3.2 to 1.1", "acceptance_falls"),
    ("acceptance rate 0.8 -> 0.2", "acceptance_falls"),
    ("throughput line gone", "heartbeat_stopped"),
    ("DeepEP 超时", "timeout"),
    ("tokens stop coming", "hang"),
    ("GPU 利用率 100% 但没输出", "hang rank_busy"),
    ("It froze after being up for a couple of days", "hang after_a_while"),
    ("It runs for 30-60 minutes before it deadlocks", "hang after_a_while"),
    ("压了十分钟左右开始卡死", "hang after_a_while"),
    ("刚起来发一条就卡住", "hang first_request"),
    ("模型开始胡说八道", "wrong_output"),
    # killed
    ("the worker was killed by the kernel", "crash killed"),
    ("pod restarts with exit code 137", "killed"),
    ("the engine gets OOM-killed", "oom killed"),
    ("EngineCore 进程被系统 kill 了，退出码 137", "killed"),
    ("worker 被内核杀掉", "killed"),
    # capturing graphs
    ("crashes while capturing CUDA graphs", "crash graph_capture startup_failure"),
    ("out of memory during CUDA graph capture", "oom graph_capture startup_failure"),
    ("捕获图时崩溃", "crash graph_capture"),
    ("图捕获阶段报错", "graph_capture"),
    # not a number, no end
    ("Logits turn to NaN after a few steps", "nan"),
    ("logits 里出现 NaN", "nan"),
    ("the answer goes on until max_tokens", "runs_to_limit"),
    ("Answers never stop, only whitespace until max_tokens", "runs_to_limit"),
    ("every answer ends with finish_reason=length", "runs_to_limit"),
    ("回答停不下来", "runs_to_limit"),
    ("一直输出空格，直到 token 上限", "runs_to_limit"),
    ("after the closing brace nothing but trailing spaces comes", "runs_to_limit"),
    ("一直输出到最大长度才停", "runs_to_limit"),
    # what clients do
    ("clients disconnect mid-stream", "client_aborts"),
    ("It hangs when users cancel requests", "hang client_aborts"),
    ("aborting requests triggers the crash", "crash client_aborts"),
    ("客户端断开后服务卡死", "hang client_aborts"),
    ("频繁取消请求就崩溃", "crash client_aborts"),
    ("the same prompt twice gives garbage", "wrong_output repeated_prompts"),
    ("from the second turn on answers are garbled", "wrong_output repeated_prompts"),
    ("after a prefix cache hit the output is wrong", "wrong_output repeated_prompts"),
    ("多轮对话第二轮输出乱码", "wrong_output repeated_prompts"),
    ("命中前缀缓存之后乱码", "wrong_output repeated_prompts"),
    # asking for a fix of what is met here
    ("Fix hang in the PP handler which we hit under load", "hang under_load"),
    ("Need a fix for the hang when concurrency is high", "hang under_load"),
    ("# Fix the hang that we hit on our cluster\n\nThe server crashes", "hang crash"),
    ("修复一下吧，我们一直遇到卡死", "hang"),
]

STATED += [
    # starting never ends, or ends badly
    ("Start-up never finishes", "startup_hang"),
    ("The launch never finishes", "startup_hang"),
    ("Startup does not finish", "hang startup_hang"),
    ("startup deadlock", "hang startup_hang"),
    ("hangs while starting, before the weights load", "hang startup_hang"),
    ("it hung while the weights were loading", "hang startup_hang"),
    ("never finishes: it hangs before loading", "hang startup_hang"),
    ("The server never becomes ready", "startup_hang"),
    ("fails to start with some Gloo error", "startup_failure"),
    ("it won't start with TP=4", "startup_failure"),
    ("the engine crashes right after start", "startup_failure crash"),
    ("启动时偶尔卡住", "hang startup_hang"),
    ("启动过程中经常挂住", "hang startup_hang"),
    ("启动期间有时报 Gloo 错误然后失败", "startup_failure"),
    (
        "启动时一个 scheduler 被 OOM killer 杀掉，主进程一直等待",
        "startup_failure startup_hang hang killed oom",
    ),
    # no answer
    ("The server no longer answers", "hang"),
    ("After a day it no longer responds", "hang after_a_while"),
    ("it stops answering", "hang"),
    ("it stops responding", "hang"),
    ("跑几个小时后没有任何输出和报错", "hang no_error after_a_while"),
    ("requests pile up and nothing comes back", "hang"),
    ("both schedulers are dead-locked", "hang"),
    ("服务停止响应", "hang"),
    ("再也没有任何反应", "hang"),
    # answers of others, and odd ones
    ("another user gets a garbled answer", "wrong_output"),
    ("a garbled answer that is fine when asked again", "wrong_output"),
    ("answers turn into exclamation marks", "wrong_output"),
    ("输出全是感叹号", "wrong_output"),
    ("returns someone else's text", "wrong_output"),
    ("a request gets another user's answer", "wrong_output"),
    ("返回了其他用户的回答", "wrong_output"),
    ("回答串台了", "wrong_output"),
    # what a program does when it fails, and what is so since a change
    ("If a rank dies during initialisation the launcher blocks forever in recv", "hang"),
    ("If one worker crashes all the others wait forever", "hang"),
    ("If a worker is killed the main process waits forever, and no error is logged", "hang no_error"),
    ("如果一个 rank 挂掉，主进程会一直卡住", "hang"),
    ("升级到 0.2.0 以后 3090 上跑 7B 模型爆显存，之前 0.1.0 没问题", "oom"),
    ("After upgrading to 0.30.0 it hangs at startup, 0.28.0 was fine", "hang startup_hang"),
    ("After the upgrade it hangs and nothing works", "hang"),
    # silence
    ("it hangs, no traceback", "hang no_error"),
    ("卡住，没有 traceback", "hang no_error"),
    ("没有任何 traceback", "no_error"),
    # sleep, graphs, sizes
    ("the engine is put to sleep and then crashes", "crash sleep_wakeup"),
    ("after the trainer calls sleep() it hangs", "hang sleep_wakeup"),
    ("it crashes right after CUDA graph capture finishes", "crash"),
    ("graph capture finished, then it hangs", "hang"),
    ("it crashes during CUDA graph capture", "startup_failure crash graph_capture"),
]


@pytest.mark.parametrize(("text", "names"), STATED)
def test_states(text, names):
    assert stated(text) == set(names.split())


QUIET = [
    # negated
    "no traceback here is not the point, and no OOM",
    "It does not crash.",
    "It ran for a day without hanging or crashing",
    "没有崩溃，也不是 OOM",
    "重启后不再卡住",
    "no crash, OOM or core dump",
    "We have never seen a hang on this cluster",
    "no hang over >5 h",
    "The heartbeat never stalled",
    "未观察到性能退化",
    "两个 rank 无目标错误",
    # cured, or fixed
    "The hang is gone since we updated",
    "Disabling speculative decoding removes the hang",
    "Fix hang in the PP handler when DSpark is on",
    "bugfix: prevent deadlock between polling thread and graph replay",
    "This PR addresses DeepEP timeout/hang issues when MTP is enabled.",
    "修复随机采样下的跨 rank 分叉",
    "避免了死锁",
    # hypothetical, or advice
    "If you set this flag the server would hang.",
    "Lowering it too far could cause an OOM",
    "TODO: this will hang with two nodes",
    "hope this will not lead to hanging",
    "Known hang-prone spots in the engine",
    "确认 NCCL 是否启用 60 秒 watchdog 超时以便捕获死锁现场",
    # other sections of an issue
    "## What we ruled out\n\n- Client aborts: 35 requests cancelled, the server hangs in none",
    "## Expected behavior\n\nRequests time out cleanly and the server never freezes; if stuck, it dies.",
    "Expected behavior: it crashes with a clear error",
    "预期行为\n\n服务崩溃并自动重启",
    "## Control experiment\n\nWith vLLM it hangs as well after 5 hours",
    "验证方法\n\n持续运行至少 66 分钟，确认不卡死，若挂起则 GPU 7 占用率 0%",
    "解决步骤\n\n死锁发生后对进程执行 kill -9，挂起的 rank 会退出",
    "## Code pointers / hypotheses\n\nThe draft loop deadlocks when rank 0 is idle",
    # names, settings, machine text
    "HANG_REPRODUCED",
    "several changes to the change log",
    "--watchdog-timeout 120 is set",
    "request timeouts are disabled, both at default -1",
    "The vision tower is frozen during training",
    "two cards (两卡) with 显卡 in one box",
    "[rank0]: RuntimeError: the process hangs",
    "2026-11-29 10:00:00 ERROR engine stuck, watchdog fired",
    "```\nserver hangs\n```",
    "The first schema request is always right",
    "logged every 10 s, idle or busy",
    "14 µs latency, no stalls",
    "All GPUs idle over night",
    "twice as fast with P2P disabled",
    "The first token latency is excellent",
    "garbage collection runs every minute",
    "We use greedy decoding",
    "GPU temperature is 65C",
    "the low-latency mode of DeepEP",
    "Short prompts only",
    # ran well, or another's
    "Without speculation the same load ran a whole day cleanly.",
    "pp=1 runs for hours without a problem",
    "The service runs for hours and never fails",
    "ran overnight without a hang",
    "it ran for 3 days and is still healthy",
    "关了 MTP 跑一晚上没事",
    "不开投机解码就跑得好好的",
    "every few hours we rotate the logs",
    "0 hangs in 21.6 h",
    "The stream stops at the stop token",
    "Output stops, finish_reason is length",
    "每隔几小时打印一次统计",
    "每天 8 卡训练一次",
    "The job takes 3 hours to finish",
    "each epoch takes two days to complete",
    "It eventually finishes",
    "Run it for a while and tell me",
    "after 5 minutes of loading weights the server is up",
    "First curl works, second too",
    "The first tokens: what does this mean?",
    "首 token 延迟 200 ms",
    "第一条请求正常返回",
    "第一条建议：升级",
    "acceptance length went from 1.1 to 3.2",
    "接受率从 0.2 提高到 0.8",
    "accept_len from 3.2 to 3.3",
    "we take the file lock up front",
    "非阻塞发送",
    "The config differs from the docs",
    "outputs from TP1 and TP2 are byte identical",
    "Is there any way to stop returning the prompt?",
    "The API stopped returning logprobs in 0.12",
    "it is dead simple",
    "the cache grows forever",
    "Throughput is 0 when idle",
    "Avg thr line disappears at night when there's no traffic",
    "it neither crashes nor hangs",
    "The docs do not answer that.",
    # killed by hand, well, or not at all
    "I killed the server and started it again",
    "我手动把进程杀掉重启",
    "exit code 0",
    "Rules: lmdeploy/tm-oom-cache-ratio, vllm/graph-capture-oom, vllm/sampler-warmup-oom",
    "the process was not killed",
    "没有被系统杀掉",
    "Capturing CUDA graphs takes 20 s",
    "graph capture is done, then it serves",
    "图捕获正常",
    "no NaN in the logits",
    "logits 没有 NaN",
    "--enable-nan-detection",
    "memory goes up to the limit of the card",
    "answers do not run to the token limit",
    "no client disconnects",
    "没有客户端断开",
    "the server disconnects nobody",
    "no repeated prompts",
    "没有重复的请求",
    # a change, however it is told
    "This PR fixes the hang we hit daily",
    "fix: avoid deadlock we introduced",
    "[BugFix] Fix hang in the scheduler",
    "The fix for the hang has been merged",
    "修复我们引入的死锁",
    "## Fix\n\nThe server no longer hangs; it crashed before",
    "# Fix hang in the scheduler\n\n## Details\n\nthe loop deadlocks",
]

QUIET += [
    "Start-up finishes in a minute",
    "启动期间没有卡住",
    "服务启动时不会卡住",
    "Does start-up finish?",
    "the name does not start with a slash",
    "It no longer returns garbage",
    "it does not return garbage any more",
    "nothing came back when I searched the logs",
    "空闲时一直等待请求",
    "it waits for requests",
    "different users get identical answers",
    "other users' answers are fine",
    "nothing comes back empty",
    "other users see hangs too",
    "Other users report garbled answers",
    "其他用户反馈会卡死",
    "compare with another model's output",
    "If it hangs, the watchdog fires after 300 s",
    "if it crashes, let me know",
    "If one worker crashes, I restart the others",
    "如果再卡死，我就重启",
    "万一卡死，其他请求都会卡死吗",
    "We are worried: if one rank dies the others hang",
    "After upgrading to 0.30.0 the hang is gone",
    "升级之后正常了，之前会卡死",
    "升级到 0.30 之后好了，不再卡死",
    "after switching to 0.30.0 everything works, on 0.29.0 it hung",
    "the process exits right after CUDA graph capture finishes",
    "time.sleep(5) between the requests",
]


@pytest.mark.parametrize("text", QUIET)
def test_quiet(text):
    assert stated(text) <= {"no_error"}


STILL_HANGS = [
    "The server hangs when two users connect, whether or not I use DSpark",
    "After 3 hours it hangs. Restarting fixes it until the next time.",
    "It hangs. Can you help?",
    "It hung again today, ticket reopened",
    "Not sure why but all requests hang",
    "The hang cannot be reproduced with TP1, only with TP4",
    "No matter what I do, it hangs",
    "Hang reproduced on 2 clusters",
    "It doesn't crash, it hangs",
    "Is there a fix? All our ranks hang every hour",
    "We see hangs and no errors",
    "never had this before 0.5.16; now it hangs daily",
    "Previously stable, now hangs",
    "When DSpark is on it hangs, without it everything is fine",
    "关掉 DSpark 就正常，开了就卡死",
    "没有任何报错，就是卡死",
    "请问有人遇到过吗？开了 DSpark 跑一小时就卡死",
    "服务卡死，重启后恢复，过一小时又卡死",
    "不是 OOM，是卡死",
    "之前 0.5.15 正常，升级到 0.5.16 后卡死",
    "为什么会卡死？",
    "卡死，无报错",
    "0.5.15 没有卡死，0.5.16 卡死",
    "it only hangs with greedy off; not an OOM",
    "The pods hang, kubectl shows nothing",
    "docs are unclear, but the server hangs",
    "It hangs even though the docs say it is supported",
    "I don't know what else to try, the engine hangs",
    "the watchdog did not fire but the server hangs",
    "hang: yes",
    "| hang | yes |",
    "Symptom: hang",
    "- [x] hang",
    "How do I fix this hang?",
    "hangs (see log)",
    "It hangs; fixed by restart only, comes back after an hour",
    "could you check why the server hangs?",
    "we can reproduce the hang every time",
    "Issue is not resolved, it still hangs",
    "The hang is not fixed in 0.5.17",
    "服务没有响应，卡死了",
    "还没解决，依旧卡死",
    "卡死问题没有解决",
    "问题未修复，还是卡死",
    "not fixed: hangs",
    "Users complain that chats hang",
]


@pytest.mark.parametrize("text", STILL_HANGS)
def test_a_hang_is_heard_beside_denials_questions_and_the_past(text):
    assert "hang" in stated(text)


NO_HANG = [
    "Will it hang with DSpark?",
    "I wonder if this hangs",
    "Hang-free for a week",
    "We have not had a single hang",
    "no sign of a hang so far",
    "The hang did not come back",
    "It hasn't hung since",
    "hangs: 0",
    "Hang count = 0",
    "卡死现象已消失",
    "从未卡死",
    "没再卡死",
    "不卡死了",
    "现在已经不卡了",
    "Not hanging",
    "It isn't stuck",
    "The old version used to hang",
    "Has this hang been fixed?",
    "Known issue: hangs with eagle (fixed in 0.5.10)",
    "Release notes: fixes a hang in DSpark",
    "I only want to verify that nothing hangs",
    "Please confirm that it does not hang",
    "The hang on the staging cluster was due to a full disk",
    "no hang, no crash",
    "it neither hangs nor crashes",
    "Does SGLang hang",
    "怎么防止卡死",
    "Does it hang?",
    "会卡死吗？",
    "是否会卡死",
    "If it hangs, I will restart",
    "How do I prevent the service from hanging?",
    "I'm worried it could hang",
    "hang fix merged",
    "- [ ] test hang",
    "The service stopped hanging",
    "Zero hangs in 3 days",
    "could not reproduce the hang",
    "Nobody reports a hang here",
    "nothing hangs",
    "hang: no",
    "hang? No.",
    "| hang | no |",
    "卡死：无",
    "是否卡死：否",
    "卡死次数：0",
    "不存在卡死问题",
    "卡死问题已解决",
    "已修复：之前会卡死",
    "担心以后会卡死",
    "同事说别的集群会卡死，我们这边没遇到",
    "On the old 0.5.12 it hung. On 0.5.16 all good.",
    "The control hangs after 5 minutes.",
    "Without DSpark it hangs; with DSpark it is fine",
    "without MTP it hangs with no error",
    "Status: RESOLVED\nThe service hung on Monday because the disk was full.",
]


@pytest.mark.parametrize("text", NO_HANG)
def test_a_hang_that_is_asked_denied_past_or_anothers_is_none(text):
    assert "hang" not in stated(text)


def test_another_engine_that_hangs_is_not_the_one_judged():
    for text in ("vLLM hangs, SGLang is stable", "SGLang is stable but vLLM hangs"):
        assert read_symptoms(text, artifact="x", engine="sglang") == ()
        assert read_symptoms(text, artifact="x", engine="vllm")


SIZES = [
    ("all-gather with unequal sizes on the ranks", True),
    ("NumelIn differs between the ranks", True),
    ("all_reduce: sizes do not match between ranks", True),
    ("各卡 all_gather 的大小不一致", True),
    ("NumelIn does not differ between ranks", False),
    ("the all-gather sizes are equal on all ranks", False),
    ("Do the all-gather sizes differ between ranks?", False),
    ("If the all-gather sizes differ, it would hang", False),
    ("collectives with different sizes are supported", False),
    ("各卡 all_gather 的大小没有不一致", False),
    ("prompts of different sizes", False),
]


@pytest.mark.parametrize(("text", "differ"), SIZES)
def test_sizes_of_a_collective(text, differ):
    names = {fact.name: fact.notable for fact in read_symptoms(text, artifact="paste")}
    assert names.get("collective.sizes_differ") is (False if differ else None)


def test_a_section_of_its_own_ends_the_one_before():
    text = "## What we ruled out\n\nit hangs on triton too\n\n### Details\n\nit crashes\n\n## Observed\n\nrank 1 idle"
    assert stated(text) == {"rank_idle"}


def test_sentences_run_over_wrapped_lines():
    (fact,) = read_symptoms("Under our traffic the server\nnever comes\nback.\n", artifact="paste", first_line=11)
    assert fact.name == "symptom.hang"
    assert str(fact.span) == "paste:11-13"
    assert fact.quote == "Under our traffic the server never comes back."


def test_what_a_user_came_with_is_notable_and_circumstances_are_not():
    found = {fact.name: fact.notable for fact in read_symptoms("It hangs, no error, pods alive", artifact="paste")}
    assert found == {"symptom.hang": True, "symptom.no_error": False, "symptom.processes_alive": False}


def test_each_symptom_is_told_once_where_it_is_first_said():
    found = read_symptoms("It hangs.\nIt hangs again.", artifact="paste")
    assert [str(fact.span) for fact in found] == ["paste:1"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("we sample with temperature=0.7 and top_p 0.9", 0.7),
        ('{"temperature": 1.0, "stream": true}', 1.0),
        ("evalscope perf --temperature 1.0 --no-stream", 1.0),
        ("温度 0.6 时复现", 0.6),
        ("with temperature 0 it is fine", None),
        ("GPU temperature: 65C", None),
        ("## Expected behavior\n\ntemperature 0.7 is honoured", None),
    ],
)
def test_temperature(text, value):
    found = [fact.value for fact in read_symptoms(text, artifact="paste") if fact.name == "sampling.temperature"]
    assert found == ([] if value is None else [value])


# An issue's shape, in our own words: sections that must not speak for the deployment around those that must.
ISSUE = """\
[Bug] pytorch backend silently hangs under concurrent decoding

## Summary
All 8 single-GPU server instances stop logging their periodic `Avg thr`
heartbeat **simultaneously** and produce no further output. The pods remain alive
(no crash, no OOM, no error/traceback).

## Observed symptoms
1. After ~3.5 h of rollouts the heartbeat lines stopped.

## Control experiment
Same job without the drafter: **no hang** in 5 h; earlier it crashed once with 429 and timed out.

## Hypotheses
- `engine_loop.py:476` may deadlock; rank 0 would be idle.

## Still needed
1. A stack dump of the frozen process, since one rank may die.
"""


def test_a_whole_issue():
    expected = "hang heartbeat_stopped no_error processes_alive after_a_while under_load"
    assert stated(ISSUE) == set(expected.split())


FLATTENED = (
    "[Bug] rank-divergence deadlock on 2 nodes ## Summary The server deadlocks minutes to hours into normal traffic. "
    "- **Rank A (busy)**: spinning in `ncclLocalOpAppend` - **Rank B (peer)**: idle, parked at the broadcast. "
    "## What we ruled out - **Memory**: OOM kills, crashes: none of it. It dies on triton too. "
    "## Expected behavior no unmatched collectives; garbled text never ## Notes fine"
)


def test_an_issue_that_lost_its_line_ends():
    assert stated(FLATTENED) == set(["hang", "ranks_split", "after_a_while", "rank_busy", "rank_idle"])


RULES = Path(__file__).parents[2] / "rules"
REPORTS = [
    # a change's description: it tells what was mended, not what a deployment does
    ("lmdeploy/mtp-dp-meta/cases/fires-author-text", ""),
    (
        "lmdeploy/mtp-silent-hang/cases/fires-report-pasted-whole",
        "hang heartbeat_stopped no_error processes_alive after_a_while under_load long_prefill repeated_prompts",
    ),
    (
        "any/nccl-proxy-slot-leak-arm/cases/fires-original-report-pasted",
        "hang crash timeout heartbeat_stopped watchdog no_error rank_idle rank_busy ranks_split after_a_while",
    ),
    (
        "vllm/pp-broadcast-skew/cases/fires-zh-document-pasted-whole",
        "hang timeout rank_idle rank_busy after_a_while sigterm_ignored long_prefill repeated_prompts",
    ),
    ("xllm/shm-h2d-graph-race/cases/fires-author-text", "hang processes_alive ranks_split first_request"),
]


@pytest.mark.parametrize(("case", "names"), REPORTS)
def test_a_report_as_it_was_published(case, names):
    assert stated((RULES / case / "report.md").read_text(encoding="utf-8")) == set(names.split())


def test_every_sign_holds_for_its_example():
    for sign in SIGNS:
        examples = sign.example.split("; ")
        assert any(sign.fact in {f.name for f in read_symptoms(one, artifact="x")} for one in examples), sign.example


def test_every_fact_is_declared_and_asks():
    declared = {kind.name for kind in FACTS}
    assert {sign.fact for sign in SIGNS} == declared - {"sampling.temperature"} | {"collective.sizes_differ"}
    assert all(kind.question.endswith("?") for kind in FACTS)


@pytest.mark.parametrize("odd", ["", "\n\n", "。。。", "#", "```", "|||", "\x00\ud800", "(" * 1000, "- **"])
def test_odd_text_is_no_error(odd):
    assert read_symptoms(odd, artifact="paste") == ()


def test_a_long_paste_is_quick():
    read_symptoms("It hangs.", artifact="paste")  # compile the signs
    paste = "\n\n".join(f"{ISSUE}\nRun {number} was well and steady, and no request was late." for number in range(190))
    assert len(paste.split()) > 20_000
    began = time.process_time()
    read_symptoms(paste, artifact="paste")
    assert time.process_time() - began < 3  # a hundred times what it takes
