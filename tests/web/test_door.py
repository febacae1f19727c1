"""Who comes in, and from where. No process judges here: `/metrics` stands for all that is behind the door."""

import base64

import pytest
from starlette.testclient import TestClient

from advisor.faces.web.service import Settings, service
from advisor.faces.web.settings import ANY_HOST

TOKEN = "a-token-of-some-length"
INSIDE = "/metrics"


def client(**settings):
    return TestClient(service(Settings(**settings)), base_url="http://localhost:8000")


def basic(password, user="anybody"):
    return {"Authorization": "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()}


@pytest.mark.parametrize(
    "headers",
    [{"Authorization": f"Bearer {TOKEN}"}, {"Authorization": f"bearer  {TOKEN}"}, basic(TOKEN), basic(TOKEN, "")],
)
def test_the_token_opens(headers):
    assert client(token=TOKEN).get(INSIDE, headers=headers).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": "Bearer"},
        {"Authorization": f"Bearer {TOKEN}x"},
        {"Authorization": f"Token {TOKEN}"},
        {"Authorization": "Basic %%%"},
        {"Authorization": "Bearer t\u00f6ken".encode()},
        basic(""),
        basic(TOKEN[:-1]),
        {"X-Token": TOKEN},
    ],
)
@pytest.mark.parametrize("path", [INSIDE, "/openapi.json", "/v1/rules", "/nothing"])
def test_nothing_else_does(headers, path):
    answer = client(token=TOKEN).get(path, headers=headers)
    assert answer.status_code == 401
    assert (
        "Basic realm=" in answer.headers["www-authenticate"] and "Bearer realm=" in answer.headers["www-authenticate"]
    )
    assert TOKEN not in answer.text and answer.json()["hint"].startswith("Authorization: Bearer")


def test_without_a_token_nobody_is_asked():
    assert client().get(INSIDE).status_code == 200


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8000", "127.0.0.1:1", "[::1]:8000", "localhost."])
def test_names_of_this_machine(host):
    assert client().get(INSIDE, headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example:8000", "localhost@evil.example", "", "[::2]:8000"]
)
def test_a_name_that_leads_here_from_elsewhere(host):
    answer = client().get(INSIDE, headers={"Host": host})
    assert answer.status_code == 421 and "--allow-host" in answer.json()["hint"]
    assert client(hosts=ANY_HOST).get(INSIDE, headers={"Host": host}).status_code == 200


FOREIGN = [
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    {"Origin": "http://localhost:9000"},
    {"Origin": "http://[no.address"},
]
OWN = [{}, {"Sec-Fetch-Site": "same-origin", "Origin": "http://localhost:8000"}, {"Sec-Fetch-Site": "none"}]


@pytest.mark.parametrize("headers", FOREIGN)
def test_a_page_of_another_site_cannot_post(headers):
    assert client().post("/v1/check", headers=headers, json={"symptom": "hang"}).status_code == 403
    assert client().get(INSIDE, headers=headers).status_code == 200, "a link to here is none of that"


@pytest.mark.parametrize("headers", OWN)
def test_our_own_page_and_programs_can(headers):
    assert client().post("/nothing", headers=headers).status_code == 404


def test_every_answer_says_what_a_browser_may_do_with_it():
    for answer in (client().get(INSIDE), client().get("/nothing"), client(token=TOKEN).get(INSIDE)):
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff" and answer.headers["cache-control"] == "no-store"
        assert "access-control-allow-origin" not in answer.headers and "server" not in answer.headers


def test_a_probe_needs_neither_token_nor_name():
    app = service(Settings(token=TOKEN))
    app.state.work = type("Ready", (), {"ready": True})
    assert TestClient(app).get("/healthz", headers={"Host": "10.0.0.7:8000"}).json() == {"status": "ready"}
    app.state.work.ready = False
    assert TestClient(app).get("/healthz").status_code == 503


def test_a_defect_of_ours_tells_nothing(capsys):
    app = service(Settings())

    @app.get("/broken")
    async def broken():
        raise RuntimeError("the user's secret words")

    answer = TestClient(app, base_url="http://localhost").get("/broken")
    assert answer.status_code == 500 and answer.json()["what"] == "a defect of the advisor itself"
    said = capsys.readouterr()
    assert "secret" not in answer.text + said.out + said.err and "RuntimeError at" in said.err
