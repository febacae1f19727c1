"""Whose request it is -> whether it may be answered now: so many a second, and so many at once, of each address.

Times are of the monotonic clock, so a clock that is set neither frees nor freezes anybody. Of an address of IPv6 the
network counts (its first 64 bits), for one household has all of it. This machine's own addresses are not limited.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from advisor.faces.web.problems import Refused
from advisor.faces.web.settings import Settings

Network = IPv4Network | IPv6Network
BURST_S = 10
"""A client may ask at once for what it may ask for in so many seconds: a page, a script that begins."""
REMEMBERED = 20_000
"""Clients that are kept in mind; of more, those that have been quiet are forgotten."""

LONGEST = 64
"""Characters of an address, and some."""


@dataclass(slots=True)
class Client:
    """`due` is when the requests so far would have come at the even rate that is allowed."""

    due: float = 0.0
    running: int = 0


class Clients:
    """The addresses that ask, and how much each is given."""

    def __init__(self, settings: Settings) -> None:
        self._rate, self._at_once = settings.client_rate, settings.client_requests
        self._unlimited = networks(settings.unlimited)
        self._proxies = networks(settings.proxies)
        self._known: dict[str, Client] = {}

    def of(self, peer: str, forwarded: Iterable[str]) -> str:
        """Whose request it is, "" for one that is not limited.

        `forwarded` are the X-Forwarded-For headers. They are believed of a proxy that is trusted alone, and from their
        end, for what stands before the last address that is no such proxy anybody can have written.
        """
        address = peer
        hops = [one.strip() for line in forwarded for one in line.split(",")] if self._proxies else []
        while hops and within(address, self._proxies):
            hop = hops.pop()
            if len(hop) > LONGEST or not keyed(hop):
                break
            address = hop
        return "" if within(address, self._unlimited) else keyed(address)

    def enter(self, key: str) -> None:
        """Count one more request. Raises Refused where it is one too many."""
        if not key:
            return
        now = time.monotonic()
        one = self._known.get(key)
        if one is None:
            if len(self._known) >= REMEMBERED:
                self._forget(now)
            one = self._known[key] = Client()
        if self._at_once and one.running >= self._at_once:
            raise _too_many(f"{one.running} requests of this client are being answered already", 1)
        if self._rate:
            wait = one.due - now - BURST_S
            if wait > 0:
                raise _too_many(f"more than {self._rate:g} requests a second of this client", math.ceil(wait))
            one.due = max(one.due, now) + 1 / self._rate
        one.running += 1

    def leave(self, key: str) -> None:
        """One that was counted is answered."""
        if key:
            self._known[key].running -= 1

    def _forget(self, now: float) -> None:
        """Drop all that are quiet; where none is, all but those that are being answered: the table stays bounded."""
        kept = {key: one for key, one in self._known.items() if one.running or one.due > now}
        if len(kept) >= REMEMBERED:
            kept = {key: one for key, one in kept.items() if one.running}
        self._known = kept


def _too_many(what: str, after_s: int) -> Refused:
    return Refused(429, what, None, "ask more slowly", {"Retry-After": str(max(1, after_s))})


def networks(texts: Iterable[str]) -> tuple[Network, ...]:
    """Addresses and networks as they are written. Raises ValueError for what is neither."""
    return tuple(ip_network(one, strict=False) for one in texts)


@lru_cache(4096)
def within(address: str, those: tuple[Network, ...]) -> bool:
    """Whether an address is in one of the networks; what is none is not."""
    try:
        found = ip_address(address)
    except ValueError:
        return False
    if isinstance(found, IPv6Address) and found.ipv4_mapped:
        found = found.ipv4_mapped
    return any(found in one for one in those)


@lru_cache(4096)
def keyed(address: str) -> str:
    """What a client is known by; "" for what is no address."""
    try:
        found = ip_address(address)
    except ValueError:
        return ""
    if not isinstance(found, IPv6Address):
        return str(found)
    if found.ipv4_mapped:
        return str(found.ipv4_mapped)
    return str(ip_network((int(found) >> 64 << 64, 64)))
