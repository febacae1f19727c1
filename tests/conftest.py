"""For every test: the programs that tests start keep their byte code, as they do on a user's machine."""

import os

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
