"""Masking holds for any text: it never fails, never leaks what it knows, never masks twice, never turns slow."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.canaries import EVERY_KIND, PLANTED, drawn
from pith.domain.secrets import find, mask, without_private

anything = st.text(st.characters(codec=None, categories=None))  # lone surrogates included
WORDS = (
    "password token secret api_key auth Authorization: Bearer Cookie: 비밀번호 비번은 토큰: = : \" ' \\ \\n \n ( ) [ ] { } , ; & "
    "[masked: [masked:token] ] sk- ghp_ xoxb- eyJ . AKIA :// @ -----BEGIN -----END PRIVATE KEY----- curl -u mysql -p "
    "--password < > </ hunter2 a1B2c3D4e5F6g7H8i9J0 value: is 가 e1 /"
).split(" ")
mixtures = st.lists(st.one_of(st.sampled_from(WORDS), st.sampled_from(EVERY_KIND), anything), max_size=12)
texts = st.one_of(anything, mixtures.map("".join), mixtures.map(" ".join))


@given(texts, st.booleans())
def test_masking_twice_is_masking_once(text, personal):
    masked, _ = mask(text, personal)
    assert mask(masked, personal) == (masked, 0)


@given(texts, st.booleans())
def test_findings_are_in_order_apart_and_inside_the_text(text, personal):
    at = 0
    for finding in find(text, personal):
        assert at <= finding.start < finding.end <= len(text)
        at = finding.end


@given(anything, st.sampled_from(EVERY_KIND), anything)
def test_a_secret_with_a_shape_of_its_own_survives_in_no_text(before, secret, after):
    for text in (f"{before} {secret} {after}", f"{before}\n{secret}를{after}", f'{before}"{secret}"{after}'):
        assert secret not in mask(text)[0]


@given(anything, st.sampled_from(PLANTED), anything)
def test_a_planted_secret_survives_on_no_line_of_its_own(before, planted, after):
    text, secret = planted
    assert secret not in mask(f"{before}\n{text}\n{after}")[0]


@given(
    st.text(st.characters(blacklist_characters="abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ/_.-비암패토시인"))
)
def test_a_text_without_anchors_is_returned_as_it_is(text):
    masked, count = mask(text)
    assert masked is text
    assert count == 0


@given(anything, anything, anything)
def test_what_is_private_never_survives(before, inside, after):
    text = f"{before}<private>CANARY{inside}</private>{after}"
    kept, cut = without_private(text)
    assert "CANARY" not in kept
    assert cut >= 1


@given(texts)
def test_cutting_never_fails(text):
    assert without_private(text)[1] >= 0


UNITS = (
    "A", "-", "_", ".", " ", "password=", 'password="', "password: a.b ", "token ", "eyJ", "eyJaaaaaaaa.", "ghp_", "sk-", "xoxb-1",
    "-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\n" + "A1" * 32 + "\n", "://", "://a:", "://a:b@", "비밀번호", "암호: a1b2c3d4 ",
    "cookie: a=", "authorization: bearer ", "curl -u ", "mysql -p", "api_key=a.a", "a-1", "token=\\", ":AA", "<private>", "</private>", "@", "a@a.",
    "0", "0-", "+82 ", "4111 ", drawn(4_000),
)  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize("unit", UNITS)
def test_twice_the_text_takes_about_twice_the_time(unit):
    """Linear gives 4 for four times the text, quadratic 16; a busy machine is allowed for."""

    def fastest(size: int) -> float:
        text = "secret: a1" + (unit * (size // len(unit) + 1))[:size]
        times = []
        for _ in range(3):
            start = time.process_time()
            mask(text, personal=True)
            without_private(text)
            times.append(time.process_time() - start)
        return min(times)

    assert fastest(800_000) < 10 * max(fastest(200_000), 0.005)


def test_digits_of_a_hash_or_a_uuid_are_no_payment_card():
    hash = "5d8f6cce532a7aeb57196be62344095936793400b3aeb3580d248b17d5518a86"
    for text in (hash, "38092478-7019-547f-7a74-03929ed41ad0", f"entry 38092478-7019-547f-7a74-03929ed41ad0@{hash}."):
        assert mask(text, personal=True) == (text, 0)
    assert "4111" not in mask("카드 4111 1111 1111 1111", personal=True)[0]
    assert "4111" not in mask("4111-1111-1111-1111", personal=True)[0]
    assert "4111" not in mask("0000000000000000 abc 4111111111111111", personal=True)[0]
