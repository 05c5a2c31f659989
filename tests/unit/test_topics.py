"""What a text is about: nouns without particles, no common words, files by their names."""

from __future__ import annotations

import pytest

from pith.domain import topics
from pith.domain.topics import Commonness


def shown(text: str, common: Commonness = topics.UNKNOWN) -> set[str]:
    return set(topics.chosen(topics.candidates(text), common, 50).values())


def test_M07_korean_topics_are_nouns_without_particles():
    text = (
        "환불 재시도는 세 번까지만 하기로 했다. 결제 게이트웨이가 끊기기 때문이다. 쿠폰함에서 만료된 쿠폰을 보여줄까요?"
    )
    assert shown(text) == {"환불", "재시도", "결제", "게이트웨이", "쿠폰함", "만료", "쿠폰"}


@pytest.mark.parametrize("noun", ["재시도", "쿠폰함", "오류메시지", "상품페이지", "정렬속도", "재정의", "캐시경로"])
def test_M07_a_noun_is_the_same_topic_with_a_particle_and_without(noun):
    assert shown(noun) == {noun}
    for particle in ("에서는", "까지", "에"):
        assert shown(f"{noun}{particle} 문제가 있다") == {noun}


def test_M07_english_topics_are_compared_by_stem_and_shown_as_they_were_written():
    found = topics.chosen(topics.candidates("Retrying refunds: the refund is retried because the gateway times out."))
    assert set(found.values()) == {"refund", "retried", "gateway"}
    assert topics.overlap(found, topics.candidates("we retry each refund")) == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    "text", ["please fix the error in this file", "이 파일에서 오류를 수정해 주세요", "ok", "", "1234 5.0"]
)
def test_M07_what_every_project_is_full_of_is_no_topic(text):
    assert shown(text) == set()


def test_M07_common_words_of_the_project_are_no_topics():
    often = {"payment": 400, "refund": 20, "결제": 400, "환불": 20}
    common = Commonness(1_000, lambda term: often.get(term, 3))
    assert shown("payment refund 결제 환불", common) == {"refund", "환불"}


def test_M07_in_a_small_project_its_own_subject_is_a_topic():
    assert shown("cart rounding", Commonness(20, lambda _: 18)) == {"cart", "rounding"}


def test_M07_files_are_known_by_their_names_and_folders():
    assert set(topics.of_files(["/home/me/shop/src/refunds/retry_policy.py"])) == {"refund", "retri", "polici"}
    assert (
        topics.overlap(topics.of_files(["src/refunds/retry_policy.py"]), topics.candidates("refund retry policy")) == 1
    )
    assert set(topics.of_files(["src/쿠폰함/만료.py"])) == {"쿠폰함", "만료"}
    assert set(topics.of_files(["a/tests/test_cart.py"])) == {"cart"}


def test_M12_overlap_is_shared_over_the_larger():
    assert topics.overlap({"a", "b"}, {"a"}) == 0.5
    assert topics.overlap({"a"}, {"a"}) == 1
    assert topics.overlap((), ()) == topics.overlap({"a"}, ()) == 0
