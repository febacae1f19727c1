"""What the facts mean and how they are asked for, in Chinese: the vocabulary's summaries and the questions of a case."""

from __future__ import annotations

FACTS: dict[str, str] = {
    "the arguments the engine printed at start-up, raw": "引擎启动时打印的原始参数",
    "the printed arguments are all of them, or all that differ from the default": "打印的参数是全部参数，或全部非默认参数",
    "the engine that printed this": "打印这些内容的引擎",
    "the version the engine printed at start-up": "引擎启动时打印的版本",
    "the build is a published release as upstream shipped it, not a dev build, a fork or a patched tree": (
        "该构建是上游原样发布的版本，不是开发构建、fork 或打过补丁的代码"
    ),
    "SGLang's hierarchical cache (HiCache) is on": "SGLang 的分层缓存（HiCache）已开启",
    "the KV cache of earlier prompts is used again (prefix cache, radix cache)": (
        "复用先前提示词的 KV 缓存（prefix cache、radix cache）"
    ),
    "the process group whose collective did not complete": "集合通信未完成的进程组",
    "the last collective this rank had completed in that group": "该 rank 在该组中最后完成的集合通信",
    "the last collective this rank had enqueued in that group": "该 rank 在该组中最后入队的集合通信",
    "how the ranks' collectives at one place of a group differ: size, op, order or missing_rank": (
        "各 rank 在同一组同一序号处的集合通信有何不同：size、op、order 或 missing_rank"
    ),
    "the ranks that had not enqueued the collective that the others wait for": "尚未让别人所等的集合通信入队的 rank",
    "the number of elements this rank put into it": "该 rank 放入的元素个数",
    "the kind of collective that did not complete": "未完成的集合通信的种类",
    "the rank, within its group, whose watchdog spoke": "看门狗报告的 rank（组内编号）",
    "the sequence number of the collective within its group": "该集合通信在组内的序号",
    "whether ranks put different numbers of elements into one and the same collective": (
        "各 rank 对同一次集合通信放入的元素个数是否不同"
    ),
    "after how many milliseconds the watchdog gave up": "看门狗在多少毫秒后放弃",
    "the version of {name} in use": "所用 {name} 的版本",
    "the NCCL version that ran": "实际运行的 NCCL 版本",
    "the PyTorch version that ran": "实际运行的 PyTorch 版本",
    "a trainer and the engine share the GPUs, as in reinforcement learning": "训练程序与引擎共用 GPU，如强化学习中那样",
    "the engine runs in a container: docker, podman, Kubernetes": "引擎在容器中运行：docker、podman、Kubernetes",
    "prefill and decode run apart, in instances of their own": "prefill 与 decode 分离，各自独立部署",
    "which side of a disaggregated deployment it is: prefill or decode": "PD 分离部署的哪一侧：prefill 或 decode",
    "a GPU counts as fully busy and draws so little power that it waits rather than computes": (
        "GPU 显示满载，功耗却低到说明它在等待而非计算"
    ),
    "the type of the exception at the root of a traceback": "traceback 根源处的异常类型",
    "the model of the accelerators": "加速卡的型号",
    "the CPU architecture of the hosts": "主机的 CPU 架构",
    "the CUDA compute capability of the GPU, such as 9.0 or 12.1": "GPU 的 CUDA 计算能力，如 9.0 或 12.1",
    "how many accelerators this deployment uses": "此部署使用的加速卡数量",
    "over how many nodes it runs": "在多少个节点上运行",
    "the operating system of the host: linux, windows or wsl": "主机的操作系统：linux、windows 或 wsl",
    "whose accelerators they are: nvidia, amd, ascend, cambricon, intel, google": (
        "加速卡的厂商：nvidia、amd、ascend、cambricon、intel、google"
    ),
    "what the health endpoint says, or curl when it says nothing": "健康检查端点的回答；没有回答时为 curl 的输出",
    "the HTTP status of the health endpoint, 0 when it did not answer": "健康检查端点的 HTTP 状态码，无应答时为 0",
    "the CUDA runtime library file that a process really maps": "进程实际映射的 CUDA 运行时库文件",
    "whether ranks map different NCCL library files": "各 rank 映射的 NCCL 库文件是否不同",
    "the HCCL library file that a process really maps": "进程实际映射的 HCCL 库文件",
    "the NCCL library file that a process really maps": "进程实际映射的 NCCL 库文件",
    "how many requests the engine says it is running": "引擎报告的运行中请求数",
    "how many requests the engine says are queued": "引擎报告的排队请求数",
    "whether the token counters moved between two snapshots of /metrics": "两次 /metrics 快照之间 token 计数器是否变化",
    "the process ended because it was asked to": "进程是按要求退出的",
    "whether all ranks stand in the same collective or at the same place of the code": (
        "所有 rank 是否停在同一次集合通信或同一处代码"
    ),
    "whether the operation counts that differ moved between two answers of NCCL RAS": (
        "两次 NCCL RAS 应答之间，不一致的操作计数是否变化"
    ),
    "the operation of which ranks have launched different numbers, says NCCL RAS": (
        "NCCL RAS 报告各 rank 发起次数不一致的操作"
    ),
    "the ranks that did not answer NCCL RAS": "未应答 NCCL RAS 的 rank",
    "how long a request may run before it is aborted (s, by the older name ms); 0 or less is for ever": (
        "请求运行多久会被中止（秒；旧变量名按毫秒）；0 或负数表示不限"
    ),
    "requests ask for structured output: JSON schema, regex, grammar, strict tool calls": (
        "请求要求结构化输出：JSON schema、正则、语法、strict 工具调用"
    ),
    "how long a request may wait in the queue before it is aborted (s, by the older name ms); 0 or less is for ever": (
        "请求排队多久会被中止（秒；旧变量名按毫秒）；0 或负数表示不限"
    ),
    "vLLM model runner, 1 or 2": "vLLM 的 model runner，1 或 2",
    "the sampling temperature of the requests": "请求的采样温度",
    "speculative decoding method; none when off": "投机解码方法；关闭时为 none",
    "speculative decoding is in use, by whatever method": "正在使用投机解码，不论何种方法",
    "draft tokens per step": "每步的草稿 token 数",
    "whether the main thread of a rank stood at the same lines in two captures": (
        "两次抓取中某 rank 的主线程是否停在相同的代码行"
    ),
    "the speculative acceptance rate falls": "投机解码的接受率下降",
    "it happens after minutes or hours of normal service": "正常服务数分钟或数小时后才发生",
    "clients cancel requests or disconnect": "客户端取消请求或断开连接",
    "a process died, aborted or failed an assertion": "某个进程死亡、中止或断言失败",
    "it happens at the first request after warm-up": "在预热后的第一个请求上发生",
    "it fails while CUDA or ACL graphs are captured": "在捕获 CUDA graph 或 ACL graph 时失败",
    "requests never return: no progress, stuck, dead-locked": "请求一直不返回：无进展、卡死、死锁",
    "the periodic throughput line stopped while the process went on": "周期性吞吐日志停了，进程仍在",
    "a process was killed from outside: SIGKILL, exit code 137 or -9, the OOM killer": (
        "某个进程被外部杀死：SIGKILL、退出码 137 或 -9、OOM killer"
    ),
    "long prompts or chunked prefill are involved": "涉及长提示词或 chunked prefill",
    "NaN or Inf was seen in logits, probabilities or outputs": "logits、概率或输出中出现 NaN 或 Inf",
    "nothing is reported: no error, no traceback": "没有任何报告：无报错、无 traceback",
    "memory ran out": "内存或显存耗尽",
    "the processes are alive": "进程都还活着",
    "a rank or GPU spins at 100 % while another idles": "某个 rank 或 GPU 满载空转，而另一个空闲",
    "a rank or GPU idles while another spins": "某个 rank 或 GPU 空闲，而另一个满载空转",
    "ranks wait in different places": "各 rank 在不同的地方等待",
    "it takes repeated prompts, prefix-cache hits or later turns of a chat": (
        "需要重复的提示词、命中前缀缓存或对话的后续轮次"
    ),
    "answers do not end: they go on to the token limit": "回答不会结束，一直生成到 token 上限",
    "random sampling fails and greedy does not": "随机采样时失败，贪心解码不失败",
    "the processes do not stop on SIGTERM": "进程收到 SIGTERM 后不退出",
    "it happens around sleep, wake-up or a weight update": "在休眠、唤醒或权重更新前后发生",
    "it works, but slowly": "能工作，但很慢",
    "the server never starts: it fails with an error": "服务起不来：启动时报错失败",
    "the engine never finished starting": "引擎一直没有完成启动",
    "some timeout is reported": "报告了某种超时",
    "it happens under high concurrency": "在高并发下发生",
    "a watchdog fired": "看门狗已触发",
    "answers are garbled, repeated, corrupted or wrong": "回答乱码、重复、损坏或错误",
    "data-parallel size": "数据并行规模",
    "expert-parallel size": "专家并行规模",
    "number of nodes the model is spread over": "模型跨越的节点数",
    "pipeline-parallel size": "流水线并行规模",
    "tensor-parallel size": "张量并行规模",
}

QUESTIONS: dict[str, str] = {
    # of the facts' kinds
    "Which arguments does the engine print at start-up?": "引擎启动时打印了哪些参数？",
    "Is the line with the arguments whole?": "打印参数的那一行是否完整？",
    "Which engine is it: vLLM, SGLang, LMDeploy or xLLM?": "是哪个引擎：vLLM、SGLang、LMDeploy 还是 xLLM？",
    "Which version does the engine print at start-up?": "引擎启动时打印的版本是什么？",
    "Is this a published release as it came, or a fork, a dev build or a patched tree?": (
        "这是原样的发布版本，还是 fork、开发构建或打过补丁的代码？"
    ),
    "Is HiCache (--enable-hierarchical-cache) on?": "HiCache（--enable-hierarchical-cache）是否开启？",
    "Is prefix caching on?": "前缀缓存是否开启？",
    "Which process group does the NCCL watchdog name?": "NCCL 看门狗点名的是哪个进程组？",
    "What is the last completed work of each rank?": "每个 rank 最后完成的 work 是多少？",
    "What is the last enqueued work of each rank?": "每个 rank 最后入队的 work 是多少？",
    "Do all ranks post the same collectives, in the same order and of the same size?": (
        "所有 rank 发起的集合通信是否相同，顺序与大小也一致？"
    ),
    "Which rank has the lower last enqueued work in the group that timed out?": (
        "在超时的进程组中，哪个 rank 的 last enqueued work 较小？"
    ),
    "Which NumelIn does the NCCL watchdog report?": "NCCL 看门狗报告的 NumelIn 是多少？",
    "Which OpType does the NCCL watchdog report?": "NCCL 看门狗报告的 OpType 是什么？",
    "Which rank's NCCL watchdog fired?": "哪个 rank 的 NCCL 看门狗触发了？",
    "Which SeqNum does the NCCL watchdog report?": "NCCL 看门狗报告的 SeqNum 是多少？",
    "Is NumelIn of the same SeqNum and group equal on every rank?": "同一组同一 SeqNum 的 NumelIn 在每个 rank 上是否相等？",
    "Which Timeout(ms) does the NCCL watchdog report?": "NCCL 看门狗报告的 Timeout(ms) 是多少？",
    "Which {name} is installed on every rank?": "每个 rank 上安装的 {name} 是什么版本？",
    "Which NCCL does the process load?": "进程加载的是哪个 NCCL？",
    "Which PyTorch is installed?": "安装的是哪个 PyTorch？",
    "Do a trainer and the engine share the same GPUs?": "训练程序与引擎是否共用同一批 GPU？",
    "Does the engine run in a container?": "引擎是否在容器中运行？",
    "Do prefill and decode run in separate instances (PD disaggregation)?": (
        "prefill 与 decode 是否在各自独立的实例中运行（PD 分离）？"
    ),
    "Is it the prefill or the decode instance that fails?": "出故障的是 prefill 实例还是 decode 实例？",
    "Does a GPU at 100 % draw less than about a quarter of its power limit?": "是否有利用率 100 % 的 GPU，其功耗不到功耗上限的四分之一左右？",
    "Which exception stands first in the logs?": "日志中最先出现的异常是什么？",
    "Which accelerators are these?": "是什么型号的加速卡？",
    "Which CPU architecture are the hosts (x86_64, aarch64)?": "主机是什么 CPU 架构（x86_64、aarch64）？",
    "Which compute capability has the GPU?": "GPU 的计算能力是多少？",
    "Which CUDA compute capability has the GPU?": "GPU 的 CUDA 计算能力是多少？",
    "How many accelerators does this deployment use?": "此部署使用多少块加速卡？",
    "Over how many nodes does it run?": "它运行在多少个节点上？",
    "Does it run on Linux, on Windows, or in WSL?": "运行在 Linux、Windows 还是 WSL 上？",
    "Whose accelerators are these (NVIDIA, AMD, Ascend)?": "是哪家的加速卡（NVIDIA、AMD、昇腾）？",
    "Whose accelerators are these (NVIDIA, AMD, Ascend, MLU)?": "是哪家的加速卡（NVIDIA、AMD、昇腾、寒武纪 MLU）？",
    "What does GET /health say?": "GET /health 回答什么？",
    "Which status does GET /health answer?": "GET /health 返回什么状态码？",
    "Which libcudart does each rank map?": "每个 rank 映射的是哪个 libcudart？",
    "Do all ranks map the same libnccl?": "所有 rank 映射的是否为同一个 libnccl？",
    "Which libhccl does each rank map?": "每个 rank 映射的是哪个 libhccl？",
    "Which libnccl does each rank map?": "每个 rank 映射的是哪个 libnccl？",
    "How many requests does /metrics say are running?": "/metrics 显示有多少请求在运行？",
    "How many requests does /metrics say are waiting?": "/metrics 显示有多少请求在排队？",
    "Do the token counters of /metrics still grow while requests run?": "有请求运行时，/metrics 的 token 计数器是否仍在增长？",
    "Did the process end cleanly?": "进程是否正常退出？",
    "Do all ranks stand at the same place?": "所有 rank 是否停在同一处？",
    "Do the operation counts of NCCL RAS move when asked twice, half a minute apart?": (
        "相隔半分钟查询两次，NCCL RAS 的操作计数是否变化？"
    ),
    "Does NCCL RAS report ranks with different operation counts?": "NCCL RAS 是否报告各 rank 的操作计数不同？",
    "Does NCCL RAS report ranks or processes that do not answer?": "NCCL RAS 是否报告有 rank 或进程未应答？",
    "Is SGLANG_REQ_RUNNING_TIMEOUT (or the older SGLANG_FORWARD_TIMEOUT_MS) set, and to what?": (
        "是否设置了 SGLANG_REQ_RUNNING_TIMEOUT（或旧名 SGLANG_FORWARD_TIMEOUT_MS），值是多少？"
    ),
    "Is SGLANG_REQ_WAITING_TIMEOUT (or the older SGLANG_QUEUED_TIMEOUT_MS) set, and to what?": (
        "是否设置了 SGLANG_REQ_WAITING_TIMEOUT（或旧名 SGLANG_QUEUED_TIMEOUT_MS），值是多少？"
    ),
    "Do requests use structured output (response_format, JSON schema, regex, grammar, strict tools)?": (
        "请求是否使用结构化输出（response_format、JSON schema、正则、语法、strict 工具）？"
    ),
    "Which model runner does vLLM use, 1 or 2 (VLLM_USE_V2_MODEL_RUNNER; 2 prints 'Using V2 Model Runner')?": (
        "vLLM 用的是哪个 model runner，1 还是 2（VLLM_USE_V2_MODEL_RUNNER；2 会打印 Using V2 Model Runner）？"
    ),
    "Which temperature do the requests use?": "请求使用的温度是多少？",
    "Which speculative decoding is on, if any?": "开启了哪种投机解码，如果有的话？",
    "Is speculative decoding (MTP, EAGLE, a draft model, n-gram, …) in use?": (
        "是否使用投机解码（MTP、EAGLE、草稿模型、n-gram 等）？"
    ),
    "How many draft tokens per step?": "每步多少个草稿 token？",
    "Does a second stack of the same process, half a minute later, show the same lines?": (
        "半分钟后再抓同一进程的调用栈，是否仍是相同的行？"
    ),
    "Does the acceptance rate of speculative decoding fall over time?": "投机解码的接受率是否随时间下降？",
    "Did it serve normally for minutes or hours first?": "是否先正常服务了数分钟或数小时？",
    "Do clients cancel requests or disconnect before the answer is complete?": "客户端是否在回答完成前取消请求或断开？",
    "Did a process end by itself?": "是否有进程自行退出？",
    "Is it the very first real request after starting that fails?": "是否启动后第一个真实请求就失败？",
    "Does it fail while graphs are captured?": "是否在捕获 graph 时失败？",
    "Do requests stop returning while the processes stay?": "是否请求不再返回而进程仍在？",
    "Does the engine still print its throughput line (`Decode batch`, `Avg prompt throughput`, `Avg thr`)?": (
        "引擎是否仍在打印吞吐日志（`Decode batch`、`Avg prompt throughput`、`Avg thr`）？"
    ),
    "Was a process killed (exit code 137 or -9, OOMKilled)?": "是否有进程被杀（退出码 137 或 -9、OOMKilled）？",
    "Are long prompts (more than one prefill chunk) involved?": "是否涉及长提示词（超过一个 prefill chunk）？",
    "Are there NaN values in logits or outputs?": "logits 或输出中是否有 NaN？",
    "Is it silent: no error and no traceback in any rank's log?": "是否无声无息：所有 rank 的日志都无报错、无 traceback？",
    "Does any log say out of memory?": "是否有日志提到 out of memory？",
    "Are all processes of the engine still there?": "引擎的所有进程是否都还在？",
    "Is one GPU at 100 % while another is at 0 %?": "是否一块 GPU 为 100 %，而另一块为 0 %？",
    "Is one GPU at 0 % while another is at 100 %?": "是否一块 GPU 为 0 %，而另一块为 100 %？",
    "Do the ranks wait in different places?": "各 rank 是否在不同的地方等待？",
    "Does it need a prompt that was sent before, or a later turn of a chat?": "是否需要以前发过的提示词，或对话的后续轮次？",
    "Do answers go on without end, up to the token limit?": "回答是否停不下来，一直到 token 上限？",
    "Does it go away with temperature 0?": "温度设为 0 时是否消失？",
    "Did it take kill -9 to stop it?": "是否必须 kill -9 才能停掉？",
    "Does it happen after sleep and wake-up, or a weight update?": "是否发生在休眠与唤醒之后，或权重更新之后？",
    "Does it still answer, only more slowly than before?": "是否仍有应答，只是比以前慢？",
    "Does it fail before it serves?": "是否在开始服务之前就失败？",
    "Does starting never finish, without an error?": "是否一直启动不完，且没有报错？",
    "Does any log report a timeout?": "是否有日志报告超时？",
    "Does it need many requests at once?": "是否需要大量并发请求？",
    "Does any log say that a watchdog timed out?": "是否有日志提到看门狗超时？",
    "Are answers wrong: garbled, repeated, or someone else's?": "回答是否有误：乱码、重复或串到别人的内容？",
    "How many data-parallel replicas run together?": "有多少个数据并行副本一起运行？",
    "How many ways are the experts split?": "专家分成多少份？",
    "Over how many nodes does one model run?": "一个模型跨多少个节点运行？",
    "How many pipeline stages are there?": "有多少个流水线阶段？",
    "How many ways is the model split by tensor parallelism?": "模型按张量并行切成多少份？",
    # of every case
    "Which engine and which exact build is running: version, commit, or image digest?": (
        "运行的是哪个引擎、确切是哪个构建：版本、提交还是镜像 digest？"
    ),
    "Which exact build is running: version, commit, or image digest?": "运行的确切是哪个构建：版本、提交还是镜像 digest？",
    "Which exact build is running: version, commit, or image digest? {what}": (
        "运行的确切是哪个构建：版本、提交还是镜像 digest？{what}"
    ),
    "What is the whole command line, with its environment?": "完整的命令行及其环境变量是什么？",
    "What do you see: a hang, a crash, wrong output, a refusal to start?": (
        "看到的是什么：卡死、崩溃、输出错误，还是拒绝启动？"
    ),
    "What does the log of every rank say, from its start to now?": "每个 rank 从启动到现在的日志说了什么？",
    "Where does each rank stand, and does it move? Two stacks of every process, before anything is restarted": (
        "每个 rank 停在哪里，是否在动？重启任何东西之前，对每个进程抓两次调用栈"
    ),
    "Which model is served?": "部署的是哪个模型？",
    "Is this a fork or a patched build?": "这是 fork 还是打过补丁的构建？",
    "Its history is not upstream's: is it more than a copy of the release?": (
        "它的历史不是上游的历史：它是否不只是发布版本的一份拷贝？"
    ),
    "What is `{flag}` set to (or is it absent from the command line)?": "`{flag}` 设为什么（或命令行中没有它）？",
    "Is the environment variable `{name}` set, and to what?": "是否设置了环境变量 `{name}`，值是什么？",
    "Which {name} does every rank really load?": "每个 rank 实际加载的是哪个 {name}？",
    "What is {name}?": "{name} 是什么？",
    "Does any rank's log have a line matching `{pattern}`?": "是否有 rank 的日志含有匹配 `{pattern}` 的行？",
    "Does any rank's log show {what}?": "是否有 rank 的日志显示：{what}？",
    "Is a thread of any rank seen in {what}?": "是否有 rank 的线程处于：{what}？",
    "Is a thread of any rank in {frames}?": "是否有 rank 的线程停在 {frames}？",
    # where the answer is read, where that is words
    "the complete log of every rank": "每个 rank 的完整日志",
    "the files, or kubectl logs POD": "日志文件，或 kubectl logs POD",
    "{command}, or the first lines of the log": "{command}，或日志的前几行",
    "py-spy dump --native --pid PID, on every rank": "py-spy dump --native --pid PID，在每个 rank 上执行",
}
