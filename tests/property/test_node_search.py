"""Looking for letters before making terms changes no answer of the search."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pith.domain import node_search, words

ENGLISH = (
    "retry retries retried retrying hopping filing filed files organization organizes probability probabilities relational "
    "happily happiness ties dies skies agreed running runner hopefulness electricity conflicts studies was generalizations "
    "getUserById getUsersByIds HTTP500Errors src/refund/worker.py ORDER_RETRIES 재시도를 재시도는 쿠폰함 배송지변경 결제모듈의"
).split()


@given(
    st.lists(st.sampled_from(ENGLISH) | st.text(max_size=12), max_size=6),
    st.lists(st.sampled_from(ENGLISH), max_size=3),
)
def test_G12_a_text_that_holds_a_word_has_its_letters(texts, asked):
    text = words.normal(" ".join(texts)).casefold()
    terms = words.terms(text)
    for word in words.question(" ".join([*asked, *texts])):
        if node_search._holds(terms, word):
            assert node_search._may_hold(text, word)
