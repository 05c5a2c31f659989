"""Secrets are masked where they turn up, and nothing else is."""

from __future__ import annotations

import pytest

from data.canaries import BASIC, EVERY_KIND, GHP, JWT, PEM_RSA, PERSONAL, PLANTED, WEAK
from data.clean_samples import CLEAN
from pith.domain.secrets import Finding, find, mask, without_private


def pieces(secret: str) -> list[str]:
    """The secret, and of a long one every part that would tell something."""
    return [secret] if len(secret) < 24 else [secret[i : i + 12] for i in range(0, len(secret) - 11, 6)]


def test_there_are_enough_samples_to_believe_in():
    assert len({text for text, _ in PLANTED}) >= 150
    assert len(set(CLEAN)) >= 80
    assert all(secret in text for text, secret in PLANTED + PERSONAL)


@pytest.mark.parametrize(("text", "secret"), PLANTED)
def test_pain_27_a_planted_secret_leaves_no_part_of_itself(text, secret):
    masked, count = mask(text)
    assert count >= 1
    assert not [piece for piece in pieces(secret) if piece in masked]


@pytest.mark.parametrize(("text", "secret"), PLANTED)
def test_masking_a_masked_text_changes_nothing(text, secret):
    masked, _ = mask(text)
    assert mask(masked) == (masked, 0)


@pytest.mark.parametrize("text", CLEAN)
def test_a_text_that_only_speaks_of_secrets_stays_the_same_object(text):
    for placed in (text, f"  {text}\n", f"before {text}\nafter", f"앞 {text} 뒤"):
        assert mask(placed)[0] is placed


def test_the_mask_names_the_kind_and_keeps_what_stands_around_it():
    assert mask(f"토큰 {GHP}를 쓴다") == ("토큰 [masked:github-token]를 쓴다", 1)
    assert mask(f"a\n{PEM_RSA}\nb") == ("a\n[masked:private-key]\nb", 1)
    assert mask(f"password={WEAK} # x") == ("password=[masked:password] # x", 1)
    assert mask(f"postgres://app:{WEAK}@db/shop") == ("postgres://app:[masked:password]@db/shop", 1)
    assert mask(f"비밀번호는 {WEAK}이고") == ("비밀번호는 [masked:password]이고", 1)


def test_overlapping_findings_are_one_named_after_the_most_telling():
    assert mask(f"Authorization: Bearer {JWT}") == ("Authorization: Bearer [masked:jwt]", 1)
    assert mask(f"API_TOKEN={GHP}") == ("API_TOKEN=[masked:github-token]", 1)


def test_every_secret_of_a_text_is_counted():
    masked, count = mask("\n".join(EVERY_KIND))
    assert count == len(EVERY_KIND) == masked.count("[masked:")


def test_find_tells_kind_and_place():
    assert find(f"x {GHP} y") == [Finding("github-token", 2, 2 + len(GHP))]


def test_G32_a_windows_path_an_image_and_a_lock_file_are_no_secrets():
    image = "data:image/png;base64," + "iVBORw0KGgoAAAANSUhEUgAA" * 400
    lock = "\n".join(f"    --hash=sha256:{'0123456789abcdef' * 4} \\" for _ in range(50))
    for text in (image, lock, r"C:\Users\app\secrets\token.txt", "0123456789abcdef" * 4):
        assert mask(text)[0] is text


@pytest.mark.parametrize(("text", "secret"), PERSONAL)
def test_G32_personal_data_is_masked_only_when_asked_for(text, secret):
    assert mask(text)[0] is text
    masked, count = mask(text, personal=True)
    assert secret not in masked
    assert count == 1
    assert mask(masked, personal=True) == (masked, 0)


@pytest.mark.parametrize(
    "text",
    [
        "Co-authored-by: A Reviewer <reviewer@example.com>",
        "Fix it\n\nSigned-off-by: A Writer <writer@example.com>\n",
        "991301-1234567",  # the checksum does not fit
        "order 4111 1111 1111 1112",  # nor does this one
        "2026-01-02 10:20:30",
        "build 20260102-123456-0001",
        "version 1.2.3-4567",
        "123456-04-123456",  # nothing says that it is an account
        "id: 123e4567-e89b-12d3-a456-426614174000",
        "@decorator and git@host",
        "port 5432, pid 123456789",
    ],
)
def test_G32_what_only_looks_like_personal_data_stays(text):
    assert mask(text, personal=True)[0] is text


@pytest.mark.parametrize(
    ("text", "kept", "cut"),
    [
        ("nothing here", "nothing here", 0),
        ("a <private>b</private> c", "a [private] c", 1),
        ("a <PRIVATE>b</Private> c", "a [private] c", 1),
        ("a <private>b<private>c</private>d</private> e", "a [private] e", 1),
        ("<private>a</private><private>b</private>", "[private][private]", 2),
        ("a <private>b", "a [private]", 1),
        ("a <private>b<private>c</private> d", "a [private]", 1),
        ("a </private> b", "a </private> b", 0),
        ("앞 <private>비밀</private> 뒤", "앞 [private] 뒤", 1),
        ("İ <private>ﬁ</private> İ", "İ [private] İ", 1),
        ("if a <privateer> b", "if a <privateer> b", 0),
    ],
)
def test_private_sections_are_cut_out(text, kept, cut):
    assert without_private(text) == (kept, cut)


def test_a_text_without_private_sections_is_the_same_object():
    text = "a < b and c > d"
    assert without_private(text)[0] is text


@pytest.mark.parametrize("before", ["", "$ ", "> ", "+ ", "export ", "npm set ", "npm config set "])
def test_pain_27_a_value_is_masked_after_a_prompt_or_the_command_that_sets_it(before):
    assert mask(f"{before}_auth={BASIC}\n")[0] == f"{before}_auth=[masked:authorization]\n"


def test_G32_a_resident_number_given_since_2020_is_masked_though_it_has_no_check_digit() -> None:
    assert mask("주민등록번호 201130-3123456 확인", personal=True)[0] == "주민등록번호 [masked:resident-number] 확인"
