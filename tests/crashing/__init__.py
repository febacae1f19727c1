"""Everything that writes, stopped at every moment, on a full and on a read-only disk, twice at once, with spoilt caches.

`python -m tests.crashing` does all of it and prints the figures; `--quick` does a share of it in seconds, as the tests do.
"""
