"""Routes: the recorded answers, and the rules that give them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pith.domain import routes
from pith.domain.routes import UnsupportedContract, UnsupportedLayer

GOLDEN = Path(__file__).parents[1] / "data" / "orange-golden"


def _recorded() -> list[tuple[str, list[str]]]:
    rows = [line.split("\t") for line in (GOLDEN / "commands.tsv").read_text(encoding="utf-8").splitlines()]
    return [
        (f"{row[0]}-{row[1]}.json", json.loads(row[4]))
        for row in rows
        if row[0] in ("009", "010", "011", "012", "013", "014", "015", "016")
    ]


@pytest.mark.parametrize(("answer", "words"), _recorded(), ids=lambda each: each if isinstance(each, str) else "")
def test_G21_routes_are_those_that_were_recorded(answer: str, words: list[str]) -> None:
    def given(flag: str) -> str | None:
        return words[words.index(flag) + 1] if flag in words else None

    request = words[3] if words[1] == "quest" else words[2]
    expected = json.loads((GOLDEN / answer).read_bytes())["data"]["contract"]
    found = routes.contract(request, given("--layer"), given("--contract")).as_json()
    assert found == expected
    assert list(found) == list(expected)


@pytest.mark.parametrize(
    ("request_", "layer", "output"),
    [
        ("explain how login works", "L0", "answer"),
        ("결제 모듈이 무엇을 하는지 설명해 줘", "L0", "answer"),
        ("fix a typo in the readme", "L1", "edit"),
        ("주석의 오타를 고쳐 줘", "L1", "edit"),
        ("버그를 고쳐 줘", "L2", "edit"),
        ("검증해 줘", "L2", "validation"),
        ("review the export module", "L3", "review"),
        ("로그인 코드를 검토해 줘", "L3", "review"),
        ("add authentication to the api", "L4", "implementation"),
        ("인증을 추가해 줘", "L4", "implementation"),
        ("delete the production database", "L4", "implementation"),
    ],
)
def test_G21_english_and_korean_requests_of_one_kind_get_one_route(request_: str, layer: str, output: str) -> None:
    found = routes.contract(request_)
    assert (found.layer, found.output_contract) == (layer, output)


def test_G21_unknown_levels_and_outputs_are_refused() -> None:
    with pytest.raises(UnsupportedLayer, match="Unsupported layer: L5"):
        routes.contract("x", layer="L5")
    with pytest.raises(UnsupportedContract):
        routes.contract("x", output_contract="poem")
