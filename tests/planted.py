"""A made-up incident full of secrets: each value planted once, in the texts that operators hand over, by a fixed seed.

Nothing here was ever issued: values have the issuers' shapes and come from a generator of random numbers. Every planted
value knows its kind and the text it stands in, so that a miss can be named.
"""

from __future__ import annotations

import base64
import random
import string
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
B64 = ALNUM + "+/"
URLSAFE = ALNUM + "-_"


@dataclass(frozen=True)
class Planted:
    """One private value: what it is (`secret/hf`, `host/nccl`), itself, and the text that holds it."""

    kind: str
    value: str
    text: str


@dataclass
class Corpus:
    """The texts by name, and what was planted in them."""

    texts: dict[str, str] = field(default_factory=dict)
    planted: list[Planted] = field(default_factory=list)

    def secrets(self) -> list[Planted]:
        """Those that give access to something."""
        return [one for one in self.planted if one.kind.startswith("secret/")]


Random = random.Random
Maker = Callable[[Random], str]


def _some(alphabet: str, count: int) -> Maker:
    def make(at: Random) -> str:
        made = "".join(at.choice(alphabet) for _ in range(count - 3))
        return made + at.choice(string.ascii_lowercase) + at.choice(string.digits) + at.choice(string.ascii_lowercase)

    return make


def _with(prefix: str, alphabet: str, count: int, suffix: str = "") -> Maker:
    made = _some(alphabet, count)
    return lambda at: prefix + made(at) + suffix


def _jwt(at: Random) -> str:
    parts = (_some(URLSAFE, count)(at) for count in (24, 48, 43))
    return "eyJ" + ".eyJ".join([next(parts), next(parts)]) + "." + next(parts)


def _word(at: Random) -> str:
    one = at.choice(("Sommer", "dragon", "Winter", "Tiger", "qwerty", "letmein", "Passw0rd", "hunter", "zebra"))
    return f"{one}{at.randrange(10, 10**6)}{at.choice('!x-_Z')}{at.choice(string.ascii_lowercase)}"


def _basic(at: Random) -> str:
    return base64.b64encode(f"svc-{at.randrange(10**6)}:{_word(at)}".encode()).decode()


def _uuid(at: Random) -> str:
    return "-".join("".join(at.choice(HEX) for _ in range(count)) for count in (8, 4, 4, 4, 12))


SHAPED: dict[str, Maker] = {  # told by their shape, wherever they stand
    "hf": _with("hf_", ALNUM, 34),
    "openai": _with("sk-", ALNUM, 48),
    "openai-project": _with("sk-proj-", URLSAFE, 74),
    "anthropic": _with("sk-ant-api03-", URLSAFE, 93, "AA"),
    "github": _with("ghp_", ALNUM, 36),
    "github-fine": _with("github_pat_11", ALNUM, 60),
    "gitlab": _with("glpat-", URLSAFE, 20),
    "aws-id": lambda at: "AKIA" + "".join(at.choice(string.ascii_uppercase + "234567") for _ in range(16)),
    "google": _with("AIza", URLSAFE, 35),
    "google-oauth": _with("ya29.", URLSAFE, 60),
    "azure-app": lambda at: _some(ALNUM, 3)(at) + "8Q~" + _some(ALNUM + "_.-", 34)(at),
    "slack": lambda at: f"xoxb-{at.randrange(10**11, 10**12)}-{at.randrange(10**12, 10**13)}-{_some(ALNUM, 24)(at)}",
    "nvidia": _with("nvapi-", URLSAFE, 64),
    "modelscope": lambda at: "ms-" + _uuid(at),
    "jwt": _jwt,
    "groq": _with("gsk_", ALNUM, 52),
    "pypi": _with("pypi-AgEIcHlwaS5vcmc", URLSAFE, 60),
    "docker-pat": _with("dckr_pat_", URLSAFE, 27),
    "vault": _with("hvs.", URLSAFE, 90),
    "alibaba": _with("LTAI", ALNUM, 20),
    "figma": _with("figd_", URLSAFE, 40),
    "linear": _with("lin_api_", ALNUM, 40),
    "tailscale": _with("tskey-api-", ALNUM, 40),
}
ANYWHERE = (  # lines of a log or a paste around a value that its shape tells
    "INFO 08-02 10:44:3{n} [weight_utils.py:296] downloading with {v} from the hub",
    "ERROR 08-02 10:44:3{n} [core.py:710] RuntimeError: 401 Client Error for {v}: unauthorized",
    "httpx.HTTPStatusError: Client error '403 Forbidden' for url 'https://huggingface.co/api/models?x={v}&y=1'",
    "        self.headers: {{'x-something': '{v}', 'accept': '*/*'}}",
    "env: SOMETHING={v} LANG=C.UTF-8",
    "curl -sS -H 'X-Whatever: {v}' https://huggingface.co/api/whoami-v2",
    '{{"level": "error", "msg": "cannot reach the hub", "detail": "{v}", "rank": {n}}}',
    "我们用 {v} 登录失败，请帮忙看看",
)
NAMED: dict[str, Maker] = {  # told by the name alone
    "password": _word,
    "wandb": _some(HEX, 40),
    "aws-secret": _some(B64, 40),
    "ngc": _some(ALNUM, 84),
    "azure-key": _with("", B64, 86, "=="),
    "opaque": _some(URLSAFE, 32),
    "short": _some(ALNUM, 9),
}
BY_NAME = (
    "HF_TOKEN={v} python -m sglang.launch_server --model-path m",
    "export WANDB_API_KEY={v}",
    'export AWS_SECRET_ACCESS_KEY="{v}"',
    "NGC_CLI_API_KEY='{v}' docker pull nvcr.io/nvidia/vllm:25.11-py3",
    "python -m vllm.entrypoints.openai.api_server --model m --api-key {v} --port 8000",
    "lmdeploy serve api_server m --api-keys {v} --tp 2",
    "vllm serve m --hf-token={v}",
    '{{"model": "m", "api_key": "{v}", "tp": 2}}',
    "  password: {v}",
    '  client_secret: "{v}"',
    "ERROR connecting to the store: password={v} refused",
    "    auth_token = '{v}' (str, 40)",
    "Namespace(model='m', api_key='{v}', port=8000)",
    "ServerArgs(model_path='m', hf_token=None, admin_api_key='{v}', port=30000)",
    "      - name: REGISTRY_PASSWORD\n        value: {v}",
    '{{"name": "DB_PASSWORD", "value": "{v}"}}',
    "docker run -e OPENAI_API_KEY={v} --gpus all vllm/vllm-openai:v0.28.0 --model m",
    'Environment="REDIS_PASSWORD={v}"',
    "spring.datasource.password={v}",
    '  "secretAccessKey": "{v}",',
    "ENV AZURE_STORAGE_ACCESS_KEY={v}",
    "MINIO_ROOT_PASSWORD: '{v}'",
    "  token: {v}",
    '{{"token": "{v}", "tp": 2}}',
    '{{"refreshToken": "{v}", "maxTokens": 16}}',
    '{{"clientSecret": "{v}"}}',
    "kubectl --token={v} get pods",
    "//registry.npmjs.org/:_authToken={v}",
    "      --api-key\n      {v}",
    "    --api-key \\\n    {v} \\\n    --port 8000",
    "      - value: {v}\n        name: DB_PASSWORD",
    "os.environ.setdefault('OPENAI_API_KEY', '{v}')",
    "    client-key-data: {v}",
    "SSHPASS={v} sshpass -e ssh localhost",
    "AZURE_OPENAI_KEY={v}",
)
PLACED: dict[str, tuple[Maker, str]] = {  # told by where it stands
    "bearer": (_some(URLSAFE, 44), "> Authorization: Bearer {v}"),
    "bearer-json": (_some(URLSAFE, 44), "headers={{'Authorization': 'Bearer {v}', 'Accept': '*/*'}}"),
    "bearer-flag": (_some(URLSAFE, 44), 'curl -H "authorization: bearer {v}" http://127.0.0.1:8000/v1/models'),
    "basic": (_basic, "Proxy-Authorization: Basic {v}"),
    "token-header": (_some(ALNUM, 32), "Authorization: token {v}"),
    "x-api-key": (_some(ALNUM, 32), "x-api-key: {v}"),
    "private-token": (_some(ALNUM, 20), "PRIVATE-TOKEN: {v}"),
    "cookie": (_some(ALNUM, 40), "Cookie: session={v}; theme=dark"),
    "url": (_word, "pip install --index-url https://svc:{v}@pypi.python.org/simple vllm"),
    "url-token": (_some(ALNUM, 40), "git clone https://{v}@github.com/team/private.git"),
    "url-redis": (_word, "lmcache remote_url: redis://:{v}@127.0.0.1:6379/0"),
    "url-postgres": (_word, "DATABASE=postgresql://llm:{v}@localhost:5432/metrics?sslmode=require"),
    "url-mongo": (_word, "mongodb+srv://reader:{v}@localhost/db"),
    "query": (_some(ALNUM, 32), "GET /v1/models?api_key={v}&x=1 HTTP/1.1"),
    "query-token": (_some(ALNUM, 32), "GET http://127.0.0.1:8000/metrics?token={v} 200"),
    "presigned": (_some(HEX, 64), "https://b.s3.amazonaws.com/m.tar?X-Amz-Expires=3600&X-Amz-Signature={v}"),
    "sas": (_with("", ALNUM, 43, "%3D"), "https://a.blob.core.windows.net/m?sv=2024-11-04&sp=r&sig={v}"),
    "account-key": (_with("", B64, 86, "=="), "DefaultEndpointsProtocol=https;AccountName=models;AccountKey={v};"),
    "ado-net": (_word, "Server=localhost;Database=llm;User Id=sa;Password={v};Encrypt=true"),
    "sshpass": (_word, "sshpass -p {v} ssh -o StrictHostKeyChecking=no localhost nvidia-smi"),
    "sshpass-quoted": (_word, "sshpass -p '{v}' scp localhost:/tmp/a.log ."),
    "mysql": (_word, "mysql -u root -p{v} -e 'select 1'"),
    "redis-cli": (_word, "redis-cli -p 6379 -a {v} ping"),
    "curl-user": (_word, "curl -s -u admin:{v} http://127.0.0.1:9090/api/v1/query"),
    "docker-login": (_some(ALNUM, 24), "docker login -u '$oauthtoken' -p {v} nvcr.io"),
    "slack-hook": (
        lambda at: f"T{_some(ALNUM, 9)(at)}/B{_some(ALNUM, 9)(at)}/{_some(ALNUM, 24)(at)}",
        "curl -X POST https://hooks.slack.com/services/{v}",
    ),
    "telegram": (
        lambda at: f"{at.randrange(10**8, 10**9)}:AA{_some(URLSAFE, 33)(at)}",
        "https://api.telegram.org/bot {v} getMe",
    ),
    "netrc": (_word, "machine huggingface.co login svc password {v}"),
    "escaped": (_some(ALNUM, 32), '"body": "{{\\"api_key\\": \\"{v}\\", \\"model\\": \\"m\\"}}"'),
    "docker-config": (_basic, '{{"auths": {{"nvcr.io": {{"auth": "{v}"}}}}}}'),
    "identity-token": (_some(ALNUM, 60), '{{"auths": {{"ghcr.io": {{"identitytoken": "{v}"}}}}}}'),
    "sql": (_word, "CREATE USER llm IDENTIFIED BY '{v}';"),
    "quoted-blanks": (lambda at: f"{_word(at)} {_word(at)}", 'export DB_PASSWORD="{v}"'),
    "cut": (_with("hf_", ALNUM, 9), "401 Unauthorized: token {v}… is not valid"),
    "cloud-sk": (_with("W", B64, 40), "ak: $AK sk: {v}"),
    "cloud-sk-env": (_with("Q", ALNUM, 30), "QIANFAN_SK={v}"),
    "said": (_some(ALNUM, 14), "the api key is {v} by the way"),
    "said-zh": (_some(ALNUM, 12), "帮忙看下，密码：{v}"),
    "said-zh-is": (_some(ALNUM, 12), "登录密码是{v}，口令不变"),
    "said-zh-key": (_some(ALNUM, 24), "API密钥={v}"),
    "token-zh": (_some(ALNUM, 20), "token为{v}"),
    "feishu": (_some(HEX, 36), "https://open.feishu.cn/open-apis/bot/v2/hook/{v}"),
    "discord": (_some(URLSAFE, 60), "https://discord.com/api/webhooks/1234567890/{v}"),
    "serverchan": (_with("SCT123456T", ALNUM, 22), "https://sctapi.ftqq.com/{v}.send"),
    "oss-sts": (_some(ALNUM, 40), "https://b.oss-cn-hangzhou.aliyuncs.com/m?Expires=1754131471&security-token={v}"),
    "cos": (_some(HEX, 40), "https://cos.ap-beijing.myqcloud.com/m?q-sign-algorithm=sha1&q-signature={v}"),
    "tos": (_some(HEX, 64), "https://tos-cn-beijing.volces.com/m?X-Tos-Signature={v}"),
    "obs": (
        _with("", string.ascii_uppercase, 20),
        "https://obs.cn-north-4.myhuaweicloud.com/m?AccessKeyId={v}&Expires=1",
    ),
    "header": (_some(ALNUM, 32), "curl -H 'Ocp-Apim-Subscription-Key: {v}' http://127.0.0.1:8000/v1/models"),
    "header-pair": (_some(ALNUM, 12), "Headers([('host', 'localhost'), ('x-api-key', '{v}')])"),
    "header-bytes": (_some(ALNUM, 12), "headers=[(b'x-api-key', b'{v}')]"),
    "header-list": (_some(ALNUM, 12), '{{"headers": {{"x-api-key": ["{v}"]}}}}'),
    "cookie-pair": (_some(ALNUM, 30), "('cookie', 'session={v}')"),
    "url-at": (lambda at: f"{_word(at)}@{_word(at)}", "remote_url: redis://svc:{v}@127.0.0.1:6379"),
    "curl-proxy": (_word, "curl --proxy svc:{v}@127.0.0.1:3128 http://localhost"),
    "curl-quoted": (lambda at: f"{_word(at)} {_word(at)}", "curl --user 'svc:{v}' http://localhost"),
    "shape-in-command": (_with("hf_", ALNUM, 34), "curl -H 'X-Whatever: {v}' -u svc:$PASS http://localhost"),
    "etcdctl": (_word, "etcdctl --endpoints=localhost:2379 --user root:{v} get /xllm"),
    "login-stdin": (_word, "echo {v} | docker login -u ci --password-stdin ghcr.io"),
    "minio-alias": (_some(ALNUM, 20), "mc alias set minio http://localhost:9000 minio {v}"),
    "vault-login": (_some(ALNUM, 24), "vault login {v}"),
    "oracle": (_word, "jdbc:oracle:thin:svc/{v}@localhost:1521:x"),
    "url-slash": (lambda at: f"{_word(at)}/{_word(at)}", "broker=amqp://svc:{v}@localhost:5672/"),
    "net-use": (_word, "net use Z: \\\\127.0.0.1\\models {v} /user:svc"),
    "putty": (_some(B64, 40), "Private-Lines: 1\n{v}"),
    "list-logged": (_word, "non-default args: {{'model': 'm', 'api_key': ['{v}'], 'port': 8000}}"),
    "list-second": (_some(ALNUM, 24), "Namespace(model='m', api_key=['x1', '{v}'], port=8000)"),
    "keys-json": (_some(ALNUM, 24), '{{"api_keys": ["{v}"]}}'),
    "keys-yaml": (_some(ALNUM, 24), "api_keys:\n  - {v}"),
    "map-yaml": (_some(ALNUM, 20), "api_keys:\n  team-a: {v}\nmodel: m"),
    "value-below": (_some(ALNUM, 20), "vllmApiKey:\n  value: '{v}'"),
    "next-line": (_some(ALNUM, 20), "api_key:\n  {v}"),
    "folded": (_word, "- name: VLLM_API_KEY\n  value: >-\n    {v}"),
    "commented": (_word, "- name: VLLM_API_KEY\n  # rotate monthly\n  value: {v}"),
    "reversed": (_word, '[{{value: "{v}", name: VLLM_API_KEY}}]'),
    "env-repr": (_word, "V1EnvVar(name='VLLM_API_KEY', value='{v}')"),
    "env-go": (_word, "{{Name:VLLM_API_KEY Value:{v} ValueFrom:nil}}"),
    "json-pass": (_some(ALNUM, 12), '{{"user": "svc", "pass": "{v}"}}'),
    "requirepass": (_word, "redis-server --requirepass {v}"),
    "masterauth": (_word, "masterauth {v}"),
    "coloured": (_word, "\x1b[36mapi_key\x1b[0m=\x1b[35m{v}\x1b[0m"),
    "cookie-dict": (_some(ALNUM, 30), "'cookie': 'session={v}; theme=dark'"),
    "some-key": (_some(ALNUM, 32), "AZURE_STORAGE_KEY={v}"),
    "annotated": (_word, 'API_KEY: str = "{v}"'),
    "secret-str": (_word, 'api_key=SecretStr("{v}")'),
    "argparse": (_word, 'parser.add_argument("--api-key", default="{v}")'),
    "shell-default": (_word, 'API_KEY="${{API_KEY:-{v}}}"'),
    "shell-echo": (_word, "API_KEY=$(echo -n '{v}')"),
    "sudo": (_word, "echo {v} | sudo -S nvidia-smi"),
    "to-a-file": (_some(ALNUM, 30), "echo {v} > ~/.cache/huggingface/token"),
    "shown": (_some(ALNUM, 30), "$ cat ~/.cache/huggingface/token\n {v}"),
    "wandb": (_some(HEX, 40), "wandb login {v}"),
    "prompted": (_word, "[sudo] password for svc: {v}"),
    "refused": (_some(ALNUM, 24), "Incorrect API key provided: {v}."),
    "set-to": (_some(ALNUM, 24), "WARNING: env VLLM_API_KEY set to {v}"),
    "still-zh": (_some(ALNUM, 12), "密码还是老的 {v}"),
    "beside-zh": (_some(ALNUM, 12), "登录密码（默认）：{v}"),
    "title": (_some(ALNUM, 32), "Secret Key: {v}"),
    "literal": (_word, "kubectl create secret generic x --from-literal=a={v}"),
    "helm-secret": (_word, '{{{{ "{v}" | b64enc }}}}'),
    "cmdline": (_some(ALNUM, 24), "vllm\x00serve\x00--api-key\x00{v}"),
    "xml": (_word, "<password>{v}</password>"),
    "escaped-url": (_some(ALNUM, 30), "GET /x?to=%3Ftoken%3D{v}"),
    "table": (_some(ALNUM, 30), "| HF_TOKEN | {v} |"),
    "notebook": (_some(ALNUM, 20), "jupyter-lab --NotebookApp.token={v}"),
    "requests-auth": (_word, 'requests.get(url, auth=("svc", "{v}"))'),
}
PEOPLE = ("alice", "bjorn", "chidi", "dolores", "emre", "fatima", "goran", "hiroko", "ivan", "jun", "kofi", "lwang", "mei",
          "nadia", "olga", "pavel", "quynh", "rashid", "sven", "tomas", "uma", "viktor", "wanda", "xiaoli", "yusuf")  # fmt: skip
HOSTS = (  # lines that tell whose machine it was
    "{v}:2211:2290 [{n}] NCCL INFO NET/Socket : Using [0]eth0",
    "Aug  2 10:44:31 {v} kernel: NVRM: Xid (PCI:0000:3b:00): 79, pid=2211",
    "2026-08-02T10:44:31.123456+00:00 {v} systemd[1]: vllm.service: Main process exited",
    "MASTER_ADDR={v}",
    "export HEAD_NODE_ADDR='{v}'",
    "python -m sglang.launch_server --model-path m --dist-init-addr {v}:20000 --nnodes 2",
    "curl http://{v}:8000/health",
    "ssh -p 22 ops@{v} nvidia-smi",
    "[root@{v} ~]# py-spy dump --pid 2211",
    "[W802 10:44:31.1 socket.cpp:752] [c10d] The client socket cannot be initialized to connect to [{v}]:29500 (errno: 97)",
    "nodeName: {v}",
    '{{"hostname": "{v}", "rank": {n}}}',
    "RuntimeError: TCPStore(host='{v}', port=29500) timed out",
    "SLURMD_NODENAME={v}",
    "mpirun -np 16 -H {v}:8 -x NCCL_DEBUG python train.py",
    "Linux {v} 5.15.0-113-generic #123-Ubuntu SMP x86_64 GNU/Linux",
    "Node:             {v}/",
    "etcd endpoints: tcp://{v}:2379",
    "{v} slots=8",
    "redis://{v}:6379/0 not reachable",
    '"Config": {{"Hostname": "{v}", "Domainname": ""}}',
    "LMCACHE_REMOTE_URL=lm://{v}:65432",
    "etcdctl --endpoints=localhost:2379,{v}:2379 get /xllm",
    "#SBATCH --nodelist={v}",
    "socket.gaierror: [Errno -3] Temporary failure in name resolution: {v}",
    "ssh: connect to host {v} port 22: Connection refused",
    "ssh: Could not resolve hostname {v}: Name or service not known",
    "Warning: Permanently added '{v},' (ECDSA) to the list of known hosts.",
    "upstream llm {{ server {v}:8000 backup; }}",
    "psql -h {v} llm",
    "主机名：{v}",
    "headers: Headers([('host', '{v}:8000')])",
    "NCCL WARN {v}:2211:2290 [{n}] NCCL INFO x",
    "The client socket has failed to connect to any network address of ({v}, 23456).",
    "failed to connect to {v}:23456",
    "[{v}:41231:0:41231] Caught signal 11",
    "mpirun noticed that process rank 3 with PID 41231 on node {v} exited on signal 9",
    "#  Rank  0 Group  0 Pid  41231 on   {v} device  0 [0000:3b:00] NVIDIA H100",
    "srun: error: {v}: task 3: Out Of Memory",
    "*** STEP 412312.0 ON {v} CANCELLED AT 2026-08-02T10:44:31 ***",
    "   BatchHost={v}",
    "{v}   Ready    <none>   12d   v1.30.2",
    "Successfully assigned llm/vllm-0 to {v}",
    "urllib3.exceptions.NameResolutionError: Failed to resolve '{v}' ([Errno -2])",
    "ping: {v}: Name or service not known",
    "* Connected to {v} (127.0.0.1) port 8000",
    "Starting new HTTP connection (1): {v}:8000",
    "MOONCAKE_MASTER={v}:50051",
    "{{'NodeManagerHostname': '{v}'}}",
    'vllm:num_requests_running{{instance="{v}:8000"}} 3',
    "OSError: \\\\{v}\\models\\m\\config.json not found",
    '{{"path": "\\\\\\\\{v}\\\\models"}}',
)
PROMPTS = (
    "INFO 08-02 10:44:31 [logger.py:43] Received request cmpl-{n}: prompt: '{v}', params: SamplingParams(n=1), lora_request: None.",
    "INFO 08-02 10:44:31 [logger.py:67] Generated response cmpl-{n}: output: '{v}', output_token_ids: [1, 2], finish_reason: stop",
    "[2026-08-02 10:44:31] Receive: obj=GenerateReqInput(validation_time=0.1, rid='{n}', text='{v}', input_ids=None, stream=False)",
    "[2026-08-02 10:44:31] Finish: obj=GenerateReqInput(rid='{n}'), out={{'text': '{v}', 'meta_info': {{'id': '{n}'}}}}",
    "2026-08-02 10:44:31,123 - lmdeploy - INFO - session={n}, adapter_name=None, input_tokens=12, prompt='{v}', prompt_token_id=[1]",
    '{{"model": "m", "messages": [{{"role": "user", "content": "{v}"}}], "max_tokens": 16}}',
    '{{"model": "m", "prompt": "{v}", "max_tokens": 16}}',
    '{{"id": "{n}", "choices": [{{"index": 0, "message": {{"role": "assistant", "content": "{v}"}}}}]}}',
    '{{"choices": [{{"text": "{v}", "finish_reason": "length"}}]}}',
    'curl http://127.0.0.1:8000/v1/chat/completions -d \'{{"messages":[{{"role":"user","content":"{v}"}}]}}\'',
    "request body: {{'messages': [{{'role': 'system', 'content': '{v}'}}]}}",
    '"body": "{{\\"messages\\": [{{\\"role\\": \\"user\\", \\"content\\": \\"{v}\\"}}]}}"',
    '{{"messages": [{{"role": "user", "content": [{{"type": "text", "text": "{v}"}}]}}]}}',
    '{{"function_call": {{"name": "f", "arguments": "{v}"}}}}',
    '{{"delta": {{"reasoning_content": "{v}"}}}}',
    "  Input should be a valid string [type=string_type, input_value='{v}', input_type=str]",
    "Prompt: '{v}', Generated text: '!'",
    "Prompt: {v}",
    "prompt: 你好，{v}",
    'prompts = ["{v}", "x"]',
    'llm.generate(["{v}"])',
    '{{"from": "human", "value": "{v}"}}',
    '{{"instruction": "{v}"}}',
    '{{"log": "Received request c: prompt: \\"{v}\\", params: SamplingParams(n=1)", "stream": "stderr"}}',
    '{{"log": "{{\\"messages\\": [{{\\"content\\": \\"say \\\\\\"hello\\\\\\" {v}\\"}}]}}"}}',
    '{{"prompt" : "{v}"}}',
    '{{"body": "{{\\"prompt\\": [\\"a b\\", \\"{v}\\"]}}"}}',
    "ChatMessage(role='assistant', content='{v}', reasoning=None)",
    "Prompt:    '{v}'",
    "<|im_start|>user\\n{v}<|im_end|>",
    "<|start_header_id|>user<|end_header_id|>\\n\\n{v}<|eot_id|>",
    "[INST] {v} [/INST]",
    '{{"text_1": "{v}"}}',
    "current_text='{v}' delta_text='x y'",
    "用户输入:{v}",
)
ADDRESSES = (
    "(EngineCore_DP0 pid=2211, ip={v}) ERROR worker died",
    'INFO:     {v}:53412 - "POST /v1/completions HTTP/1.1" 200 OK',
    "NCCL INFO Bootstrap : Using eth0:{v}<0>",
    "connect to {v}:29500 failed: Connection timed out",
    "    inet {v}/24 brd 255.255.255.0 scope global eth0",
    "RAY_ADDRESS={v}:6379",
    "tcp://{v}:29500",
    "x-forwarded-for: {v}",
    "remoteGids ::ffff:{v} hca mlx5_bond_0",
    "cmpl-___prefill_addr_{v}:20001___decode_addr_127.0.0.1:22001_abc",
)
SIXES = (
    'INFO:     {v}:53412 - "POST /generate HTTP/1.1" 200 OK',
    "[c10d] connect to [{v}]:29500",
    "    inet6 {v}/64 scope global",
    "RDMA GID {v} on mlx5_0",
    "NCCL INFO Bootstrap : Using bond0:{v}<0>",
    "GID:{v}",
)
MACS = ("    link/ether {v} brd ff:ff:ff:ff:ff:ff", "eth0 HWaddr {v}")
MAILS = ("Reported-by: Someone <{v}>", "git config user.email {v}", "please write to {v}, thanks")
USERS = (
    '  File "/home/{v}/venv/lib/python3.12/site-packages/vllm/v1/engine/core.py", line 710, in run_engine_core',
    "OSError: /Users/{v}/models/m/config.json not found",
    "C:\\Users\\{v}\\models\\m is not a folder",
    "USER={v}",
    "uid=1001({v}) gid=100(users)",
    "http_proxy=http://{v}:$PASS@127.0.0.1:3128",
    "User={v}",
    "    username: {v}",
    '"User": "{v}",',
    "POST /v1/chat/completions?user={v} HTTP/1.1",
    "Accepted publickey for {v} from 127.0.0.1 port 53412 ssh2",
    "sudo:   {v} : TTY=pts/0 ; COMMAND=/usr/bin/docker",
    "-rw-r--r-- 1 {v} users 1234 Aug  2 10:44 /data/x",
    "{v}    2211  0.0  0.1 123 456 ? Sl 10:44 0:01 python -m vllm.entrypoints.openai.api_server",
    "用户名：{v}",
    "/tmp/torchinductor_{v}/ab/cab.py",
    "OSError: /home/users/{v}/m is not a folder",
    'pods is forbidden: User "{v}" cannot list resource "pods"',
    "wandb: Currently logged in as: {v}. Use `wandb login --relogin`",
    "JUPYTERHUB_USER={v}",
    "   UserId={v}(12031) GroupId=users(100)",
    "net use /user:CORP\\{v} \\\\127.0.0.1\\models",
)
PHONES = ("手机号：{v}", "call me {v}", "phone +86 {v}")


def corpus(seed: int = 12) -> Corpus:
    """The same corpus for the same seed."""
    at, made = random.Random(seed), Corpus()
    log = list(_logged(at, made))
    made.texts["engine.log"] = "\n".join(
        ["INFO 08-02 10:44:00 [api_server.py:1] vLLM API server version 0.28.0", *log, ""]
    )
    made.texts["secret.yaml"] = _secret_yaml(at, made)
    made.texts["keys.txt"] = "\n".join(_block(at, made, kind) for kind in ("RSA ", "", "OPENSSH ", "EC ")) + "\n"
    made.texts["deploy.yaml"] = _deployment(at, made)
    made.texts["run.sh"] = _script(at, made)
    assert all(one.value in made.texts[one.text] for one in made.planted)
    return made


def _plant(made: Corpus, kind: str, value: str, text: str) -> str:
    made.planted.append(Planted(kind, value, text))
    return value


def _logged(at: Random, made: Corpus) -> Iterator[str]:
    def filled(kind: str, template: str, value: str, number: int) -> str:
        return template.format(v=_plant(made, kind, value, "engine.log"), n=number % 10)

    for kind, make in SHAPED.items():
        for number, template in enumerate(ANYWHERE):
            yield filled(f"secret/{kind}", template, make(at), number)
    for kind, make in NAMED.items():
        for number, template in enumerate(BY_NAME):
            yield filled(f"secret/{kind} by name", template, make(at), number)
    for kind, (make, template) in PLACED.items():
        yield filled(f"secret/{kind}", template, make(at), 0)
    for number, template in enumerate(HOSTS * 2):
        host = f"{at.choice(('gpu', 'dgx', 'compute', 'lab'))}{'-' if number % 3 else ''}{at.choice('abcxyz')}{at.randrange(10, 999)}{number}"
        host += at.choice(("", ".cluster.acme-ml.internal", ".acme-ml.com"))
        yield filled("host", template, host, number)
    for number, template in enumerate(PROMPTS * 2):
        said = f"please tell {at.choice(PEOPLE)} the number of account {at.randrange(10**8, 10**9)} quickly"
        yield filled("prompt", template, said, number)
    for number, template in enumerate(ADDRESSES * 3):
        first = at.choice(("10.{}", "172.20.{}", "192.168.{}", "203.0.{}"))
        rest = ".".join(str(at.randrange(1, 254)) for _ in range(3 if first == "10.{}" else 2))
        yield filled("address", template, first.format(rest), number)
    for template in SIXES * 2:
        yield filled("address", template, f"fd00:{at.randrange(16**3, 16**4):x}::{at.randrange(16**3, 16**4):x}", 0)
    for template in MACS * 2:
        yield filled("mac", template, "52:54:" + ":".join(f"{at.randrange(256):02x}" for _ in range(4)), 0)
    for template in MAILS * 2:
        yield filled("mail", template, f"{at.choice(PEOPLE)}.{at.randrange(100)}@acme-ml.com", 0)
    for number, template in enumerate(USERS * 3):
        yield filled("user", template, f"{PEOPLE[number % len(PEOPLE)]}{number}{at.randrange(100, 999)}", 0)
    for template in PHONES * 2:
        yield filled("phone", template, f"13{at.randrange(10**8, 10**9)}", 0)


def _secret_yaml(at: Random, made: Corpus) -> str:
    lines = ["apiVersion: v1", "kind: Secret", "metadata:", "  name: llm", "type: Opaque", "data:"]
    for name in ("token", "license", "anything", "tls.key", "ca"):
        value = base64.b64encode(_some(ALNUM, 30)(at).encode()).decode()
        lines.append(f"  {name}: {_plant(made, 'secret/k8s data', value, 'secret.yaml')}")
    lines.append("stringData:")
    for name in ("plain", "other.conf", "url"):
        lines.append(f"  {name}: {_plant(made, 'secret/k8s stringData', _word(at), 'secret.yaml')}")
    return "\n".join(lines) + "\n"


def _block(at: Random, made: Corpus, kind: str) -> str:
    body = [_plant(made, "secret/private key", _some(B64, 64)(at), "keys.txt") for _ in range(4)]
    return "\n".join([f"-----BEGIN {kind}PRIVATE KEY-----", *body, f"-----END {kind}PRIVATE KEY-----"])


def _deployment(at: Random, made: Corpus) -> str:
    """A Deployment that lint has something to say of, on the lines that hold the secrets."""
    key, token, host = _word(at), SHAPED["hf"](at), f"gpu-{at.randrange(100, 999)}.acme-ml.internal"
    user, password = f"{PEOPLE[-1]}{at.randrange(100)}", _word(at)
    kinds = ("secret/flag in yaml", "secret/env in yaml", "host", "user", "secret/registry in yaml")
    for kind, value in zip(kinds, (key, token, host, user, password), strict=True):
        _plant(made, kind, value, "deploy.yaml")
    return f"""apiVersion: apps/v1
kind: Deployment
metadata: {{name: llm}}
spec:
  selector: {{matchLabels: {{app: llm}}}}
  template:
    metadata: {{labels: {{app: llm}}}}
    spec:
      containers:
        - name: vllm
          image: vllm/vllm-openai:v0.28.0
          args: [--model, m, --api-key, {key}, --pipeline-parallel-size, "8", --data-parallel-addres, {host}, --no-such-flag,
                 /home/{user}/m, --speculative-config, '{{"method": "dspark", "num_speculative_tokens": 4}}']
          env:
            - {{name: HF_TOKEN, value: {token}}}
            - {{name: VLLM_NO_SUCH_THING, value: "1"}}
            - {{name: REGISTRY_PASSWORD, value: "{password}"}}
"""


def _script(at: Random, made: Corpus) -> str:
    key, token, host, address = (
        _word(at),
        SHAPED["github"](at),
        f"dgx{at.randrange(100, 999)}",
        f"10.7.{at.randrange(1, 254)}.9",
    )
    for kind, value in zip(
        ("secret/flag in sh", "secret/env in sh", "host", "address"), (key, token, host, address), strict=True
    ):
        _plant(made, kind, value, "run.sh")
    return f"""#!/bin/bash
export MASTER_ADDR={host} GIT_ASKPASS_TOKEN={token}
vllm serve m --api-key {key} --pipeline-parallel-size 8 --num-scheduler-steps 8 --data-parallel-address {address} \\
  --speculative-config '{{"method": "dspark", "num_speculative_tokens": 4}}'
"""
