"""The OpenAPI document: it says what there is, its examples hold, and answers are what it promises."""

import json
from collections import Counter
from typing import Any

import hypothesis
import jsonschema
import pytest
import schemathesis
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

CHECKS = (
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
)


PLAIN = ("/metrics", "/healthz")  # they take nothing
ANY_WORDS = ("/v1/rules/{engine}/{slug}",)  # there is no word that cannot be asked for


@pytest.fixture(scope="session")
def document(server):
    return server.ask("GET", "/openapi.json").json


@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda one: one.value)
def test_requests_made_up_from_the_document_are_answered_as_it_says(server, mode):
    schema = schemathesis.openapi.from_url(f"http://127.0.0.1:{server.port}/openapi.json")
    statuses: Counter[int] = Counter()
    found: Any
    for found in schema.get_all_operations():
        operation = found.ok()
        if operation.path in PLAIN or (operation.path in ANY_WORDS and mode is GenerationMode.NEGATIVE):
            continue

        @hypothesis.given(case=operation.as_strategy(generation_mode=mode))
        @hypothesis.settings(
            max_examples=25, derandomize=True, deadline=None, database=None, phases=[hypothesis.Phase.generate],
            suppress_health_check=list(hypothesis.HealthCheck),
        )  # fmt: skip
        def answered_as_it_says(case):
            answer = case.call()
            statuses[answer.status_code] += 1
            case.validate_response(answer, checks=CHECKS)

        answered_as_it_says()
    assert statuses.total() > 80 and (statuses[200] or mode is GenerationMode.NEGATIVE), statuses


def test_it_lists_the_routes_of_the_api_and_no_page(document):
    assert sorted(document["paths"]) == [
        "/healthz", "/metrics", "/v1/check", "/v1/flags/{engine}/{version}", "/v1/lint", "/v1/rules",
        "/v1/rules/{engine}/{slug}",
    ]  # fmt: skip


def test_its_schemas_are_those_that_the_command_prints(document):
    from advisor.render.schema import schema_of

    for name, contract in (("check", "report"), ("lint", "lint"), ("rule", "explain")):
        wanted = json.loads(schema_of(contract).replace('"#/$defs/', '"#/components/schemas/'))
        assert document["components"]["schemas"][name]["properties"] == wanted["properties"]
        for noun, shape in wanted["$defs"].items():
            assert document["components"]["schemas"][noun] == shape


def test_its_examples_are_answered_and_their_answers_hold(server, document):
    seen = 0
    for path, methods in document["paths"].items():
        for said in methods.values():
            examples = said.get("requestBody", {}).get("content", {}).get("application/json", {}).get("examples", {})
            for example in examples.values():
                answer = server.post(path, example["value"])
                assert answer.status == 200, answer.content
                schema = said["responses"]["200"]["content"]["application/json"]["schema"]
                jsonschema.validate(answer.json, {**schema, "components": document["components"]})
                seen += 1
    assert seen == 3
