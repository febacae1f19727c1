"""A running deployment -> the evidence of it, each read bounded in time and size, nothing changed.

    processes   who runs here, who is an engine, which rank           commands    a program of the machine, bounded
    endpoints   one GET of an engine's own port                       files       heads and tails of files, FIFOs never
    libraries   packages and NCCL of a process, from its files        kernel      /proc, of a process and a machine
    recorder    PyTorch's flight recorder: its pipe and its dumps     archive     all of it as one file, whole or not
    bounded     a read that may never return

Nothing of the deployment is executed or imported; programs that are run are those of the operator's machine (py-spy,
nvidia-smi, dmesg), or a py-spy beside the engine's Python. What cannot be had is said as data, never raised.
"""
