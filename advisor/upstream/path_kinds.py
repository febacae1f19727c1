"""A path in a repository -> what the file is to a build.

tests/pytorch/test_agent.py, worker_test.cpp, autotest/run.py, benchmarks/serve.py, .github/workflows/ci.yml   tests
docs/en/faq.md, README.rst, examples/serve.sh                                                                   docs
makefiles/version.mk, lmdeploy/version.py, VERSION                                                           version
vllm/envs.py                                                                                                  python
xllm/core/runtime/worker.cpp, requirements/test.txt                                                            other
"""

from __future__ import annotations

import re

from advisor.model.patch import Kind

_KINDS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("tests", re.compile(r"(^|/)(tests?|testing|autotest|benchmarks?|\.[a-z]+)/|(^|/)test_[^/]*$|_tests?\.\w+$")),
    ("docs", re.compile(r"(^|/)(docs?|examples?)/|\.(md|rst)$", re.IGNORECASE)),
    ("version", re.compile(r"(^|/)_?version(\.\w+)?$", re.IGNORECASE)),
    ("python", re.compile(r"\.pyi?$")),
)


def kind_of(path: str) -> Kind:
    """What a file is: tests (what upstream tries it with), docs, version (a number), python, other (compiled, data)."""
    return next((kind for kind, pattern in _KINDS if pattern.search(path)), "other")


def is_source(path: str) -> bool:
    """Whether a file is more than a test, a document or a benchmark."""
    return kind_of(path) not in ("tests", "docs")
