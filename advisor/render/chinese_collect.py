"""What `advisor collect` says, in Chinese: its plan, its summary, and why something was not taken."""

from __future__ import annotations

COLLECT: dict[str, str] = {
    "Looks at:": "将查看：",
    "Looks at no process.": "没有可查看的进程。",
    "rank {rank}": "rank {rank}",
    "Will do, in this order:": "将依次执行：",
    "Every step only reads.": "每一步都只读取。",
    "Every step but the last only reads.": "除最后一步外，每一步都只读取。",
    "Secrets are taken out of every text. Nothing is sent anywhere.": "所有文本中的密钥都会去除。不会向任何地方发送数据。",
    "All of it takes at most {seconds} s.": "全部最多用时 {seconds} 秒。",
    "It goes into {file}.": "结果写入 {file}。",
    "at most {seconds} s": "最多 {seconds} 秒",
    "and {more} more": "另有 {more} 项",
    "… {step}": "……{step}",
    "{file}: {files}, {size}, readable by you alone. Look into it before you hand it on.": (
        "{file}：{files}，{size}，只有你能读取。转交之前请先看一遍。"
    ),
    "There was no engine to look at: it tells of the machine alone.": "没有可查看的引擎：其中只有这台机器的信息。",
    "Next: advisor check {file}": "下一步：advisor check {file}",
    "{count} file": "{count} 个文件",
    # steps
    "processes": "进程",
    "stacks": "调用栈",
    "devices": "加速卡",
    "libraries": "库",
    "kernel": "内核",
    "logs": "日志",
    "stacks again": "再次取调用栈",
    "metrics again": "再次取指标",
    "taken": "已取得",
    "taken in part": "部分取得",
    "nothing there": "没有内容",
    "not taken": "未取得",
    "Processes of the engine, those above and below: command lines, states, and of their environment what speaks of the "
    "engine, NCCL, torch and CUDA. It says what was launched.": (
        "引擎的进程及其上下级进程：命令行、状态，以及环境变量中与引擎、NCCL、torch、CUDA 有关的部分。可知启动了什么。"
    ),
    "Stacks of each process. They say where it waits.": "每个进程的调用栈。可知它等在哪里。",
    "The engine's counters. Two readings say whether anything moves.": "引擎的计数器。两次读数可知是否还有进展。",
    "What the engine says of itself.": "引擎自己的健康状态。",
    "The accelerators: load, power, driver, topology. A rank that spins in a kernel shows there.": (
        "加速卡：负载、功耗、驱动、拓扑。在 kernel 中空转的 rank 由此可见。"
    ),
    "The packages each process was started from, the NCCL it has mapped, and the versions. They say which fixes this "
    "build has.": "每个进程启动时所用的软件包、映射的 NCCL 及其版本。可知本构建含有哪些修复。",
    "What the kernel says of each process and thread: state, waiting place.": "内核所示的每个进程和线程：状态、等待位置。",
    "Kernel, C library, memory, shared memory, limits, and the kernel's lines on accelerators and memory.": (
        "内核、C 库、内存、共享内存、限额，以及内核日志中有关加速卡和内存的行。"
    ),
    "Logs: the first MiB and the last eight of each. They may hold prompts of your users.": (
        "日志：每份取开头 1 MiB 和末尾 8 MiB。其中可能有用户的提示词。"
    ),
    "Stacks of each process, once more: what has not moved is stuck.": "再次取每个进程的调用栈：没有移动的就是卡住的。",
    "The engine's counters, once more.": "再次读取引擎的计数器。",
    "PyTorch's flight recorder: which collective each rank is at, and who did not join.": (
        "PyTorch 的 flight recorder：每个 rank 到了哪个集合通信，谁没有加入。"
    ),
}

NOT_TAKEN: dict[str, str] = {
    "only the first {number} of {count} processes are looked at": "{count} 个进程中只查看前 {number} 个",
    "no process of an engine known here; those that use an accelerator are looked at instead": (
        "没有已知引擎的进程；改为查看使用加速卡的进程"
    ),
    "no process of an engine known here, and none that uses an accelerator; --pid PID names one": (
        "没有已知引擎的进程，也没有使用加速卡的进程；可用 --pid PID 指定"
    ),
    "pauses each process while its stack is read, at times for seconds; --nonblocking does not": (
        "读取调用栈时会暂停该进程，有时达数秒；--nonblocking 不暂停"
    ),
    "SGLang answers /health by generating one token, if not switched off; a wedged one does not answer": (
        "除非已关闭，SGLang 回应 /health 时会生成一个 token；卡死的实例不会回应"
    ),
    "PyTorch answers by writing its dump to a file of its own; --no-trigger leaves that out": (
        "PyTorch 会把转储写入它自己的文件作为回应；--no-trigger 不做这一步"
    ),
    "py-spy is not here: `pip install py-spy` beside advisor or the engine, and collect again": (
        "没有 py-spy：在 advisor 或引擎所在环境 `pip install py-spy`，再收集一次"
    ),
    "{name} is not here: install it, and collect again": "没有 {name}：安装后再收集一次",
    "process {number} had gone": "进程 {number} 已退出",
    "{name} may not look into process {number}: run as root with CAP_SYS_PTRACE (docker --cap-add=SYS_PTRACE; a pod: "
    "securityContext.capabilities.add: [SYS_PTRACE]), or on the host (docker run --pid=host)": (
        "{name} 无权查看进程 {number}：以 root 运行并带 CAP_SYS_PTRACE（docker --cap-add=SYS_PTRACE；pod："
        "securityContext.capabilities.add: [SYS_PTRACE]），或在宿主机上运行（docker run --pid=host）"
    ),
    "{name} showed no stack of process {number}: {why}": "{name} 未能给出进程 {number} 的调用栈：{why}",
    "{name} gave no counters: {why}": "{name} 没有给出计数器：{why}",
    "{name} did not answer: {why}": "{name} 没有回应：{why}",
    "no environment could be read of: {these}": "无法读取以下进程的环境变量：{these}",
    "no nvidia-smi, npu-smi or rocm-smi here": "没有 nvidia-smi、npu-smi 或 rocm-smi",
    "no dmesg here": "没有 dmesg",
    "{command} did not go well: {why}": "{command} 未正常完成：{why}",
    "the memory map of process {number} may not be read": "无权读取进程 {number} 的内存映射",
    "{path} was not taken: {why}": "{path} 未取得：{why}",
    "it is empty, or the archive is full": "它是空的，或归档已满",
    "{path}: of {count} MiB the first {first} and the last {last}": "{path}：{count} MiB 中的前 {first} 和后 {last}",
    "process {number} wrote no dump within {count} s; where TORCH_NCCL_DUMP_ON_TIMEOUT is off, PyTorch looks at its pipe "
    "only once in TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC: collect again later": (
        "进程 {number} 在 {count} 秒内没有写出转储；TORCH_NCCL_DUMP_ON_TIMEOUT 关闭时，PyTorch 每隔 "
        "TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC 才看一次管道：请稍后再收集一次"
    ),
    "no pipe of the flight recorder is open in {these}: PyTorch makes one for NCCL where "
    "TORCH_NCCL_DEBUG_INFO_PIPE_FILE is set and TORCH_NCCL_TRACE_BUFFER_SIZE is above 0": (
        "{these} 没有打开 flight recorder 的管道：设置了 TORCH_NCCL_DEBUG_INFO_PIPE_FILE 且 "
        "TORCH_NCCL_TRACE_BUFFER_SIZE 大于 0 时，PyTorch 才会为 NCCL 创建"
    ),
    "{path} could not be written to: {why}": "无法写入 {path}：{why}",
    "{path} was left there: it is older than process {number}": "{path} 未取：它早于进程 {number}",
    "{path} was written {count} minutes before, for another cause": "{path} 是 {count} 分钟前因别的原因写出的",
    "given up after {count} s: a read did not come back": "{count} 秒后放弃：有一次读取没有返回",
    "stopped after {count} s": "{count} 秒后被终止",
}
