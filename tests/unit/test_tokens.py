"""The estimate of tokens is never under the dearest of three public tokenizers (docs/explanation/tokens.md)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pith.domain import tokens

# A text, and what the dearest of o200k, cl100k and the Claude 2 tokenizer counts.
COUNTED = [
    ("./gradlew build --scan\nBUILD SUCCESSFUL in 38m 12s — 1,204 tasks, 0 from cache", 28),
    ("gh run list --limit 3\nbuild  success  9m12s\nbuild  success  8m58s\nbuild  failure  2m03s", 37),
    ("FCM answered 429 QUOTA_EXCEEDED in the dry run", 15),
    ("reads design/tokens.json, writes src/theme.css", 13),
    ("cache it?", 3),
    ("way back is mandatory. logical", 6),
    (
        "The invoice keeps its original tax date; only a new attempt is attached. Otherwise a VAT rate change in between would alter the amount.",
        27,
    ),
    ("processors: tail_sampling: decision_wait: 15s, num_traces: 50000", 19),
    (
        "삭제해도 번호는 남기고 내용만 지웁니다. 그래서 삭제된 메시지도 안읽음에 포함돼요. 정확히 빼려면 방마다 세야 해서 안 하기로 했습니다.",
        83,
    ),
    ("어떻게 하는 게 맞을까", 13),
    ("시각을 빼면 되나", 10),
    ("망취소가 중복으로 나가면 문제 안 돼?", 20),
    ("감사 로그에 개인정보 조회 이력도 남겨야 해. 몇 년?", 32),
    (
        "네, 그래서 월 합계에서 수수료와 부가세를 한 번만 계산하고, 건별 금액은 최대잔여법으로 나눠 합이 정확히 맞게 했습니다.",
        73,
    ),
    ("고치고 나서 그래프는?", 11),
    (
        "자동 병합은 위험합니다. 카카오 쪽 이메일이 미인증이면 남의 계정을 가로챌 수 있어요. is_email_verified가 true일 때만 합치고, 아니면 메일 인증을 한 번 거치게 하죠.",
        92,
    ),
    ("pytest -q tests/search\n1 failed, 30 passed — 'ㄳ' 겹받침이 자음으로 분류되지 않음", 37),
    ("def charge_due(): for sub in due: pg.approve(sub) # 실패하면 로그만 남김", 31),
    ("./gradlew test --tests '*CouponRace*'\nCouponRaceTest > 동시에_백번_눌러도_한번만() PASSED", 39),
    ("src/main/java/com/example/shop/order/OrderController.java:142", 20),
    ("C:\\Users\\me\\AppData\\Local\\pith\\store.db", 17),
    ("https://example.invalid/a/b?c=d&e=f#g", 19),
    ("1234567890 3.14159265358979 2026-11-30T03:26:24.884Z 0x7fff5fbff8c0 127.0.0.1:8080", 50),
    ("カート内の合計が一円ずれています。クーポンを適用した後に丸め処理を確認してください。", 41),
    ("支払いの再試行は三回までにする。数据库迁移之前先备份。", 27),
    ("🎉🔥✅❌ done 👨‍👩‍👧‍👦 ok", 29),
    ("→ ↓ ≤ ≥ ─│└ … “quotes” — dash", 18),
    ("thx", 2),
    ("a b c d e f g h i j", 10),
    ("HTTP_ERR_CONN", 5),
    ("kubectl -n prod get po", 9),
    ("ㅋㅋㅋ", 6),
    ("넵", 2),
    ("getUserByIdOrThrowNotFoundException", 9),
    ("sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", 47),
    ("    \t\t  x", 4),
    ("\n\n\n\n", 1),
    ("def total(items):\n    return sum(item.price for item in items)\n", 18),
]


@pytest.mark.parametrize(("text", "dearest"), COUNTED)
def test_an_estimate_is_never_under_the_dearest_count(text: str, dearest: int) -> None:
    assert tokens.estimate(text) >= dearest


def test_estimates_stay_useful_in_both_languages() -> None:
    for is_korean in (False, True):
        chosen = [(text, count) for text, count in COUNTED if any("가" <= c <= "힣" for c in text) is is_korean]
        estimated = sum(tokens.estimate(text) for text, _ in chosen)
        assert estimated < 2 * sum(count for _, count in chosen)


@given(st.text(max_size=300), st.integers(0, 80))
def test_a_cut_text_never_costs_more_than_its_budget(text: str, budget: int) -> None:
    cut = tokens.cut(text, budget)
    assert tokens.estimate(cut) <= budget
    assert text.startswith(cut.removesuffix("…"))
