"""Two ranks of torch.distributed, one of which stops joining: a real hang to try `advisor collect` on.

    RANK=0 WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=29511 python two_ranks.py --healthy 5 --for 600

After some healthy steps (all_reduce, all_gather) rank 1 takes a lock that nobody releases and never joins the next
all_gather; rank 0 waits for it. With CUDA for both it runs on NCCL, else on gloo. READY is printed once a rank is where
it will stay. After `--for` seconds each process ends itself, whatever happens.
"""

from __future__ import annotations

import argparse
import os
import threading
import time
from datetime import timedelta


def wait_for_a_lock_nobody_releases(lock: threading.Lock) -> None:
    lock.acquire()


def gather(torch, value, world: int):
    out = [torch.empty_like(value) for _ in range(world)]
    torch.distributed.all_gather(out, value)
    if value.is_cuda:
        torch.cuda.synchronize()
    return out


def serve(torch, device, rank: int, world: int, healthy: int) -> None:
    value = torch.full((1 << 16,), float(rank), device=device)
    for step in range(healthy):
        torch.distributed.all_reduce(value.clone())
        gather(torch, value, world)
        print(f"[rank{rank}] step {step} done", flush=True)
    print(f"[rank{rank}] READY", flush=True)
    if rank == 1:
        lock = threading.Lock()
        lock.acquire()
        wait_for_a_lock_nobody_releases(lock)
    gather(torch, value, world)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--healthy", type=int, default=5, help="steps before rank 1 stops joining")
    parser.add_argument("--for", dest="seconds", type=float, default=600, help="after so long the process ends itself")
    given = parser.parse_args()
    end = threading.Timer(given.seconds, os._exit, (3,))
    end.daemon = True
    end.start()

    import torch
    import torch.distributed

    rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    cuda = torch.cuda.is_available() and torch.cuda.device_count() >= world
    if cuda:
        torch.cuda.set_device(rank)
    device = torch.device("cuda", rank) if cuda else torch.device("cpu")
    torch.distributed.init_process_group("nccl" if cuda else "gloo", timeout=timedelta(hours=1))
    print(f"[rank{rank}] torch {torch.__version__} backend {torch.distributed.get_backend()}", flush=True)
    serve(torch, device, rank, world, given.healthy)
    time.sleep(given.seconds)


if __name__ == "__main__":
    main()
