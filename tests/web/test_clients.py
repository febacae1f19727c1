"""So many requests of one client, and who that is; by a clock that nobody sets."""

import hmac
import time

import pytest
from starlette.testclient import TestClient

from advisor.faces.web import clients
from advisor.faces.web.clients import Clients, keyed
from advisor.faces.web.problems import Refused
from advisor.faces.web.service import Settings, service

TOKEN = "a-token-of-some-length"


def limited(**settings):
    return Clients(Settings(**{"client_rate": 1, "client_requests": 2, **settings}))


@pytest.mark.parametrize(
    "peer, forwarded, proxies, whose",
    [
        ("192.0.2.1", [], (), "192.0.2.1"),
        ("192.0.2.1", ["198.51.100.7"], (), "192.0.2.1"),
        ("127.0.0.1", ["198.51.100.7"], (), ""),
        ("127.0.0.1", ["198.51.100.7"], ("127.0.0.1",), "198.51.100.7"),
        ("127.0.0.1", ["127.0.0.1, 198.51.100.7"], ("127.0.0.1",), "198.51.100.7"),
        ("127.0.0.1", ["10.9.9.9", "198.51.100.7, 10.0.0.2"], ("127.0.0.1", "10.0.0.0/24"), "198.51.100.7"),
        ("10.0.0.2", ["nonsense"], ("10.0.0.0/24",), "10.0.0.2"),
        ("10.0.0.2", [], ("10.0.0.0/24",), "10.0.0.2"),
        ("::ffff:192.0.2.1", [], (), "192.0.2.1"),
        ("::ffff:127.0.0.1", [], (), ""),
        ("2001:db8:1:2:3:4:5:6", [], (), "2001:db8:1:2::/64"),
        ("testclient", [], (), ""),
    ],
)
def test_whose_request_it_is(peer, forwarded, proxies, whose):
    assert limited(proxies=proxies).of(peer, forwarded) == whose


def test_what_one_asks_too_much_another_may(monkeypatch):
    now = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    asked = limited()

    def once(who):
        asked.enter(who)
        asked.leave(who)

    for _ in range(int(clients.BURST_S) + 1):
        once("a")
    with pytest.raises(Refused) as told:
        once("a")
    assert told.value.status == 429 and told.value.headers == {"Retry-After": "1"}
    once("b")
    monkeypatch.setattr(time, "time", lambda: now[0] - 86_400)  # a day back, by the clock on the wall
    now[0] += 1
    once("a")
    with pytest.raises(Refused):
        once("a")


def test_so_many_at_once():
    asked = limited(client_rate=0)
    asked.enter("a")
    asked.enter("a")
    with pytest.raises(Refused, match="2 requests of this client"):
        asked.enter("a")
    asked.leave("a")
    asked.enter("a")


def test_a_million_clients_are_not_remembered(monkeypatch):
    monkeypatch.setattr(clients, "REMEMBERED", 100)
    asked = limited()
    for at in range(1000):
        asked.enter(keyed(f"2001:db8:{at:x}::1"))
        asked.leave(keyed(f"2001:db8:{at:x}::1"))
    assert len(asked._known) <= 100


def test_too_much_is_told_at_the_door_before_the_token_is_looked_at():
    """So that nobody guesses it by asking often; who comes through a proxy is told apart by what that adds."""
    settings = Settings(token=TOKEN, client_rate=1, proxies=("127.0.0.1",))
    asking = TestClient(service(settings), base_url="http://localhost", client=("127.0.0.1", 1))
    guess = {"Authorization": "Bearer guess", "X-Forwarded-For": "203.0.113.5, 198.51.100.7"}
    found = [asking.get("/metrics", headers=guess) for _ in range(20)]
    assert {one.status_code for one in found[:10]} == {401} and found[-1].status_code == 429
    assert found[-1].headers["retry-after"] and set(found[-1].json()) == {"what", "where", "hint"}
    other = {"Authorization": f"Bearer {TOKEN}", "X-Forwarded-For": "198.51.100.7, 203.0.113.5"}
    assert asking.get("/metrics", headers=other).status_code == 200


@pytest.mark.parametrize("given", ["", "a", TOKEN[:-1], TOKEN, TOKEN * 1000])
def test_the_token_is_compared_in_a_time_that_tells_nothing(monkeypatch, given):
    """Whatever is given, digests of one length are compared, each to its end."""
    compared = []
    really = hmac.compare_digest

    def compare(one, other):
        compared.append((len(one), len(other)))
        return really(one, other)

    monkeypatch.setattr(hmac, "compare_digest", compare)
    asking = TestClient(service(Settings(token=TOKEN)), base_url="http://localhost")
    status = asking.get("/metrics", headers={"Authorization": f"Bearer {given}"}).status_code
    assert compared == [(32, 32)] and status == (200 if given == TOKEN else 401)


def test_a_token_in_the_address_is_none():
    asking = TestClient(service(Settings(token=TOKEN)), base_url="http://localhost")
    assert asking.get(f"/metrics?token={TOKEN}").status_code == 401
    assert asking.get(f"/metrics?access_token={TOKEN}").status_code == 401
