"""For every test: the programs that tests start keep their byte code, as they do on a user's machine; hypothesis tries
the same examples in every run, so that no run is a lottery. `make fuzz` tries others. Ctrl-C reaches what tests start,
which it does not where the run itself was put in the background: a shell has it ignored there.
"""

import os
import signal

from hypothesis import settings

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
settings.register_profile("steady", derandomize=True, deadline=None, database=None)
settings.load_profile("steady")
signal.signal(signal.SIGINT, signal.default_int_handler)
