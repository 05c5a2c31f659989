"""Find personal data in text: resident numbers, phones, payment cards, bank accounts, e-mail addresses."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

RESIDENT = r"(?<![0-9-])[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])[- ]?[1-8][0-9]{6}(?![0-9-])"
PHONE = (
    r"(?<![\w.-])(?:"
    r"\+82[ -]?(?:\(0\))?[ -]?[0-9]{1,2}[ -]?[0-9]{3,4}[ -]?[0-9]{4}|"
    r"\+[1-9][0-9]{0,2}[ .-]?(?:\([0-9]{1,4}\)[ .-]?)?[0-9]{2,4}(?:[ .-]?[0-9]{2,4}){1,4}|"
    r"01[016789][ .-]?[0-9]{3,4}[ .-]?[0-9]{4}|"
    r"0(?:2|[3-6][1-5]|70|50[0-9])[ )-]{1,2}[0-9]{3,4}-[0-9]{4}|"
    r"\([2-9][0-9]{2}\) ?[2-9][0-9]{2}-[0-9]{4}|"
    r"[2-9][0-9]{2}-[2-9][0-9]{2}-[0-9]{4}"
    r")(?![\w-])"
)
CARD = (
    r"(?<![0-9.-])(?:[3-6][0-9]{3}(?:[ -]?[0-9]{4}){2}[ -]?[0-9]{1,7}|"
    r"3[47][0-9]{2}[ -]?[0-9]{6}[ -]?[0-9]{5})(?![0-9])"
)
ACCOUNT = r"(?<![0-9-])[0-9]{2,6}-[0-9]{2,6}-[0-9]{2,8}(?:-[0-9]{1,3})?(?![0-9-])|(?<![0-9-])[0-9]{10,14}(?![0-9-])"
ACCOUNT_WORDS = r"(?i:계좌|은행|입금|송금|예금주|뱅크|농협|수협|우체국|account (?:number|no)|bank)[^\n]{0,30}$"
MAILBOX = r"[A-Za-z0-9][A-Za-z0-9._%+-]{0,63}$"
_OF_A_HASH, _HASH = "0123456789abcdef-", 32  # what hashes are made of, and how long they are at least
DOMAIN = r"@[A-Za-z0-9][A-Za-z0-9-]{0,62}(?:\.[A-Za-z0-9-]{1,63}){0,5}\.[A-Za-z]{2,24}"
TRAILER = r"^[ \t>|*]*[A-Z][A-Za-z]{1,20}(?:-[A-Za-z]{1,20}){0,3}-by: [^\n]*$"


def find(text: str) -> Iterator[tuple[str, int, int]]:
    """(kind, start, end) of everything that tells who somebody is or how to reach or charge them."""
    for kind, pattern, fits in (
        ("resident-number", RESIDENT, _resident),
        ("card", CARD, _luhn),
        ("phone", PHONE, _phone),
    ):
        for match in re.finditer(pattern, text, re.ASCII):
            if _is_in_a_hash(text, match.start(), match.end()):
                continue
            # Resident numbers given since October 2020 have no check digit; written with a hyphen, the shape tells.
            if (kind == "resident-number" and "-" in match[0]) or fits(re.sub("[^0-9]", "", match[0])):
                yield kind, match.start(), match.end()
    for match in re.finditer(ACCOUNT, text):
        if re.search(ACCOUNT_WORDS, text[max(0, match.start() - 40) : match.start()]):
            yield "account", match.start(), match.end()
    yield from _emails(text)


def _emails(text: str) -> Iterator[tuple[str, int, int]]:
    at = 0
    while (at := text.find("@", at + 1)) > 0:
        head = re.search(MAILBOX, text[max(0, at - 64) : at])
        tail = re.compile(DOMAIN).match(text, at)
        if head and tail and not _in_trailer(text, at):
            yield "email", at - len(head[0]), tail.end()


def _in_trailer(text: str, at: int) -> bool:
    """Whether the address stands in a line such as `Signed-off-by: name <address>`."""
    line = text[max(0, at - 300) : at].rpartition("\n")[2].rpartition("\\n")[2]
    return bool(re.match(TRAILER, line))


def _resident(digits: str) -> bool:
    weighted = sum(int(d) * w for d, w in zip(digits, (2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5), strict=False))
    remainder = weighted % 11
    # Foreign residents (5 to 8) count two further.
    return (11 - remainder) % 10 == int(digits[12]) or (
        digits[6] in "5678" and (13 - remainder) % 10 == int(digits[12])
    )


def _is_in_a_hash(text: str, start: int, end: int) -> bool:
    """Whether digits are part of a hash or a UUID: one in 2,000 hashes holds what would be a card."""
    while start and text[start - 1] in _OF_A_HASH:
        start -= 1
    while end < len(text) and text[end] in _OF_A_HASH:
        end += 1
    return end - start >= _HASH and any(letter in "abcdef" for letter in text[start:end])


def _luhn(digits: str) -> bool:
    doubled = [int(d) if i % 2 == 0 else sum(divmod(int(d) * 2, 10)) for i, d in enumerate(reversed(digits))]
    return 13 <= len(digits) <= 19 and sum(doubled) % 10 == 0 and len(set(digits)) > 1


def _phone(digits: str) -> bool:
    return 9 <= len(digits) <= 15
