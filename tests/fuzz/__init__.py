"""Inputs that nobody wrote by hand, against what must hold of every input: `make fuzz`.

Two kinds of target. A *guided* one is a function of bytes (`readers`, `front`): atheris changes the seeds of `corpus/`
and keeps what reaches new edges of our code. A *property* is a hypothesis test of any `test_*.py` of the suite: `make
test` runs it briefly and always alike, `make fuzz` for longer and each time anew.

An input that broke something goes to `found/`, where `make test` runs it for good.
"""
