"""Reads answers of a server; starts none.  vllm serve MODEL --tensor-parallel-size 8"""
import re

PATTERN = re.compile(r"LLM\(model=")


class Engine:
    def __init__(self, model_path, tp_size):
        self.model_path = model_path


engine = Engine(model_path="x", tp_size=4)
