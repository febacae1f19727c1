"""Which known failure of an LLM inference engine this is, which fix it has, and what to change now."""

__version__ = "0.1.0"
