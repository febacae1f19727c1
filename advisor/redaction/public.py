"""What looks like the name of a host and is none to hide: public hosts, words for roles, what engines number."""

from __future__ import annotations

import re

# Where engines, models, images and packages come from, and what rules/ and knowledge/ cite: nobody's own.
_PUBLIC = frozenset(
    """
    huggingface.co hf.co hf-mirror.com github.com githubusercontent.com microsoft.com github.io githubassets.com ghcr.io
    gitlab.com gitee.com gitcode.com gitcode.net docker.io docker.com nvcr.io nvidia.com quay.io gcr.io k8s.io
    kubernetes.io pkg.dev pypi.org pythonhosted.org python.org pytorch.org modelscope.cn modelscope.com vllm.ai
    sglang.ai sglang.io lmsys.org openmmlab.com internlm.ai hiascend.com huawei.com ascend.com amd.com intel.com
    arm.com googleapis.com google.com openai.com openaipublic.blob.core.windows.net anthropic.com deepseek.com
    moonshot.cn qwen.ai mistral.ai wandb.ai ray.io anyscale.com readthedocs.io aliyuncs.com myhuaweicloud.com
    apache.org w3.org ietf.org json-schema.org schemastore.org helm.sh kserve.io llm-d.ai prometheus.io
    opentelemetry.io openxla.org triton-lang.org anaconda.org anaconda.com conda-forge.org ubuntu.com debian.org
    kernel.org redhat.com tsinghua.edu.cn ustc.edu.cn arxiv.org stackoverflow.com slack.com medium.com x.ai
    volces.com jd.com sigs.k8s.io coreweave.com run.ai skypilot.co gnu.org llvm.org cncf.io mooncake.ai lmcache.ai
    kvcache.ai
    """.split()  # noqa: SIM905
)
_NOWHERE = frozenset(
    """
    localhost localhost.localdomain ip6-localhost none null nil true false auto default any all unknown undefined
    host hostname hosts node nodes name address addr ip port url server servers client peer master worker head
    prefill decode router proxy gateway frontend backend redis etcd mooncake lmcache prometheus grafana nginx ray
    kubernetes vllm sglang lmdeploy xllm engine model models service svc api app web local remote cluster docker
    container pod rank tcp udp http https unix file env main test example self socket kernel systemd tcpstore store
    gloo nccl hccl mpi the a an is not of to in on at and or with for this that it same different other each every
    which where when run set use using given 0.0.0.0 :: ::1 127.0.0.1 dummy foo bar your-host my-host here there
    there's no yes
    """.split()  # noqa: SIM905
)
_OURS = re.compile(  # ranks, devices, interfaces, models and versions, which logs number as others number hosts
    r"(?:rank|local_?rank|tp|dp|pp|ep|cp|dcp|pcp|sp|moe|npu|cuda|xpu|hip|core|engine(?:core)?|device|dev|thread|process|proc"
    r"|stage|replica|actor|pid|tid|stream|layer|block|card|chip|die|slot|group|comm|channel|port|shard|step|iter|expert|batch"
    r"|bs|python|torch|sm|arch|mlx|ib|eth|ens|eno|enp|bond|lo|veth|docker|br|cni|hsn|rdma|roce|llama|qwen|glm|deepseek|kimi"
    r"|gemma|mistral|phi|gpt|rtx|gb|mi|fp|int|bf|utf|iso|ns|rc|post|alpha|beta|cu|cp|py|release|version|ver|v)"
    r"[-_:]?\d[\w.]*|[a-z][-_:]?\d[\d.]*[a-z]?",  # an h20 or l40s is a device, h20gpu03 a machine with some
    re.I,
)
_ROLES = re.compile(
    r"(?:(?:vllm|sglang|lmdeploy|xllm|router|server|master|worker|head|leader|prefill|decode|redis|etcd|mooncake|lmcache|proxy"
    r"|gateway|engine|llm|inference|api|backend|frontend|service|svc|store|metadata|prometheus|model|serving|gpu|cluster"
    r"|ray|node|local|default|deployment|openai|my|host|the|your|some|other|nixl|encoder|mini|lb|expected|exited|lid|none|null)(?:[-_]|$))+",
    re.I,
)
_FILE = re.compile(
    r".*\.(?:py|pyc|cc|cpp|cu|cuh|h|hpp|hh|c|rs|go|so|so\.\d+|sh|bash|yaml|yml|json|jsonl|toml|md|txt|log|cfg|conf|ini|lock|csv"
    r"|whl|tar|gz|tgz|zip|zst|bin|safetensors|pt|pth|gguf|onnx|js|ts|html|css|xml|proto|inl|cuda|service|pkl|npy|out|err|pid"
    r"|sock|env|patch|diff|jinja|tmpl|tpl|cmake|mk|lua|rb|java|ps1|bat|exe|dll|dylib|a|o|trace|pdf|png|jpg|svg|gif|d|in)",
    re.I,
)
SUFFIXES = (
    r"(?i:com|net|org|edu|gov|io|ai|dev|cloud|cn|de|fr|uk|jp|kr|eu|us|ru|in|sg|hk|tw|au|ca|ch|nl|se|it|es|pl|br|tech|app|xyz"
    r"|co|me|biz|info|internal|local|localdomain|lan|corp|intra|intranet|private|home|arpa|svc|consul|test|example|invalid"
    r"|cluster|compute|hpc|prod|dc|onprem)"
)
"""What the names of hosts end in."""
_SUFFIX = re.compile(SUFFIXES)
_CERTAIN = re.compile(
    r"(?:com|net|org|edu|gov|cn|internal|local|localdomain|lan|corp|intra|intranet|private|arpa|svc|consul|example|invalid|hpc)",
    re.I,
)  # that no engine's module, attribute or file ends in


def is_public(host: str) -> bool:
    """Whether a host is everybody's, or one that every machine has."""
    name = host.lower().rstrip(".")
    if name in _NOWHERE:
        return True
    parts = name.split(".")
    return any(".".join(parts[at:]) in _PUBLIC for at in range(len(parts) - 1))


def is_role(name: str) -> bool:
    """Whether it says what something does, or which rank, device or model it is, not whose machine it is."""
    return bool(_OURS.fullmatch(name) or _ROLES.fullmatch(name))


def is_file(name: str) -> bool:
    """Whether it ends as the names of files do."""
    return bool(_FILE.fullmatch(name))


def is_domain(name: str, *, certain: bool = False) -> bool:
    """Whether it ends as the names of hosts do; `certain`: as nothing else does."""
    labels = name.rstrip(".").split(".")
    if len(labels) < 2 or not all(labels) or is_file(name):
        return False
    return bool((_CERTAIN if certain else _SUFFIX).fullmatch(labels[-1]))


USERS = frozenset(
    """
    root ubuntu debian admin administrator user users nobody vllm sglang lmdeploy xllm app runner jovyan ray public
    shared default all guest coder vscode work workspace share data models node docker ec2-user azureuser opc
    huggingface hf cache builder build jenkins gitlab-runner hwhiaiuser mindie ma-user service daemon conda python
    linuxbrew default_user name username your_name yourname me you xxx someone nvidia amd ascend llm git postgres
    redis mysql test dev ci none null true false undefined string system
    """.split()  # noqa: SIM905
)
"""Names of accounts that say nothing of a person."""
