"""Of a large text its ends are kept, and no secret that stands at a cut survives in pieces."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.canaries import PLANTED
from pith.services import capture

LIMIT = 8_000
FILLER = "the order worker wrote one line and went on\n쿠폰함을 열고 닫는다\n"
KEY = "-----BEGIN " + "RSA PRIVATE KEY-----\n" + "MIIEow" + "abcdEFGH0123/+" * 4 + "\n" * 1
KEY += "".join(f"{number:04d}" + "QWxsIHlvdXIga2V5cyBhcmUgYmVsb25n" * 2 + "\n" for number in range(400))
KEY += "-----END " + "RSA PRIVATE KEY-----\n"


def filler(length: int) -> str:
    return (FILLER * (length // len(FILLER) + 1))[:length]


@given(st.integers(0, 90_000), st.sampled_from(PLANTED))
def test_a_secret_anywhere_in_a_large_text_is_masked_or_left_out(place: int, planted: tuple[str, str]) -> None:
    text, secret = planted
    kept = capture.clean(f"{filler(place)}\n{text}\n{filler(90_000 - place)}", False, LIMIT)
    assert secret not in kept
    assert len(kept.encode()) <= LIMIT + 100


@given(st.integers(0, 90_000))
def test_a_long_private_key_across_a_cut_leaves_no_line_behind(place: int) -> None:
    kept = capture.clean(f"{filler(place)}\n{KEY}{filler(90_000 - place)}", False, LIMIT)
    assert "QWxsIHlvdXIga2V5cyBhcmUgYmVsb25n" not in kept


@pytest.mark.parametrize("before", [100, 5_000, 12_000, 22_000, 30_000])
@pytest.mark.parametrize("after", [0, 100, 1_500, 10_000, 25_000])
@pytest.mark.parametrize("is_closed", [True, False])
def test_a_key_longer_than_what_lies_between_the_ends_leaves_no_line_behind(
    before: int, after: int, is_closed: bool
) -> None:
    key = KEY.replace(
        "-----END", "".join(f"{n:05d}" + "QWxsIHlvdXIga2V5cyBhcmUgYmVsb25n\n" for n in range(3000)) + "-----END"
    )
    key = key if is_closed else key[: key.index("-----END")]
    kept = capture.clean(f"{filler(before)}\n{key}{filler(after) if is_closed else ''}", False, LIMIT)
    assert "QWxsIHlvdXIga2V5cyBhcmUgYmVsb25n" not in kept


@pytest.mark.parametrize("length", [10, 7_999, 8_000, 40_000, 41_000, 60_000, 200_000])
def test_the_mark_says_how_much_is_missing(length: int) -> None:
    text = filler(length).strip()
    kept = capture.clean(text, False, LIMIT)
    if "characters left out" not in kept:
        assert kept == text
        return
    head, _, rest = kept.partition("\n[… ")
    number, _, tail = rest.partition(" characters left out …]\n")
    assert text.startswith(head)
    assert text.endswith(tail)
    assert len(head) + int(number) + len(tail) == len(text)
