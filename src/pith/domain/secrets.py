"""Find credentials, private keys and private sections in text, and mask them.

A pattern runs only where its literal anchor occurs. Anchors are looked for in an ASCII copy of the text
with one byte per character, so that positions agree and folding case can change no length. Every pattern is
bounded, or consumes what it matched: the time is linear in the text, whatever the text is.
"""

from __future__ import annotations

from pith.domain import named_secrets
from pith.domain.named_secrets import MARK, bytes_regex, drawn_by_lot, placeholder, places, regex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Span = tuple[str, int, int]  # kind, start, end


class Finding:
    """A stretch of text that must not be kept, and what it is."""

    __slots__ = ("end", "kind", "start")

    def __init__(self, kind: str, start: int, end: int) -> None:
        self.kind, self.start, self.end = kind, start, end

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Finding) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return f"Finding({self.kind!r}, {self.start}, {self.end})"

    def _key(self) -> tuple[str, int, int]:
        return self.kind, self.start, self.end


def mask(text: str, personal: bool = False) -> tuple[str, int]:
    """The text with every secret replaced by `[masked:<kind>]`, and how many there were."""
    count = 0
    # A replaced secret may give its neighbours a new meaning, so look again until nothing is left. What is
    # masked is never masked again, so this ends, nearly always with the second look.
    while findings := find(text, personal):
        parts: list[str] = []
        at = 0
        for finding in findings:
            parts += text[at : finding.start], MARK, finding.kind, "]"
            at = finding.end
        text = "".join(parts) + text[at:]
        count += len(findings)
    return text, count


def without_private(text: str) -> tuple[str, int]:
    """The text with every `<private>` section cut out, and how many; an unclosed one has no end."""
    if "<" not in text or b"<private" not in (folded := _ascii(text).lower()):
        return text, 0
    parts: list[str] = []
    at = depth = cut = 0
    for tag in regex(r"</?private\s{0,20}>").finditer(folded.decode("ascii")):
        if tag[0][1] != "/":
            if depth == 0:
                parts += text[at : tag.start()], "[private]"
                cut += 1
            depth += 1
        elif depth:
            depth -= 1
            at = tag.end()
    return "".join(parts) + ("" if depth else text[at:]), cut


def without_sections(text: str) -> str:
    """The text without private sections and keys, whose lines look harmless once the first of them is left out.

    For who keeps single lines of a text, before choosing them.
    """
    text, _ = without_private(text)
    if "-----BEGIN" in text:
        for kind, start, end in reversed(list(_private_keys(text, _ascii(text)))):
            text = f"{text[:start]}{MARK}{kind}]{text[end:]}"
    return text


def find(text: str, personal: bool = False) -> list[Finding]:
    """Every secret in the text, in order, none touching another."""
    raw = _ascii(text)
    found = [*_anchored(text, raw), *_prefixed(text, raw), *_urls(text, raw), *_private_keys(text, raw)]
    found += named_secrets.find(text, raw.lower())
    found += _flags(text, raw)
    if personal:
        from pith.domain import personal as people  # only when asked for: hooks do not pay for it

        found += people.find(text)
    return _joined(text, found)


def _ascii(text: str) -> bytes:
    return text.encode("ascii", "replace")


def _joined(text: str, found: list[Span]) -> list[Finding]:
    """Overlapping findings as one, named after the rule that comes first; a mask is never part of one."""
    joined: list[Finding] = []
    rank = 0
    for _, place in sorted((span[1], place) for place, span in enumerate(found)):
        kind, start, end = found[place]
        marker = text.find(MARK, start, end)
        end = end if marker < 0 else marker
        if joined and start < joined[-1].end:
            joined[-1].end = max(joined[-1].end, end)
            if place < rank:
                joined[-1].kind, rank = kind, place
        elif start < end:
            joined.append(Finding(kind, start, end))
            rank = place
    return joined


# Tokens that their own shape gives away ------------------------------------------------------------

# Nothing, a mark, or an escape that ends in a letter
BEGINS = r"(?:^|[^A-Za-z0-9]|\\[nrtbf]|\[[0-9;]{0,8}m|%[0-9A-F]{2})$"


class Rule:
    """A kind of secret, the literal in every one, its shape from there, and what stands before the literal.

    A group in `before` is a part of the secret.
    """

    __slots__ = ("anchor", "before", "kind", "shape")

    def __init__(self, kind: str, anchor: str, shape: str, before: str = "") -> None:
        self.kind, self.anchor, self.shape, self.before = kind, anchor, shape, before


ANCHORED = (
    Rule("aws-access-key", "AKIA", r"AKIA[A-Z0-9]{16}(?![A-Za-z0-9])"),
    Rule("aws-access-key", "ASIA", r"ASIA[A-Z0-9]{16}(?![A-Za-z0-9])"),
    Rule("google-api-key", "AIza", r"AIza[\w-]{35,}", BEGINS),
    Rule("google-oauth", "1//0", r"1//0[\w-]{38,}", BEGINS),
    Rule("jwt", "eyJ", r"eyJ[\w-]{8,}\.eyJ[\w-]*(?:\.[\w-]*)*", BEGINS),
    Rule("telegram-token", ":AA", r":AA[\w-]{32,}", r"([0-9]{8,10})$"),
    Rule("azure-secret", "Q~", r"Q~[\w.~-]{30,}", r"([\w.~-]{3}[0-9])$"),
    Rule("azure-sas", "sig=", r"sig=[\w%+/-]{40,}=*", r"[?&;]$"),
    Rule("twilio-key", "SK", r"SK[0-9a-f]{32}(?![A-Za-z0-9])", BEGINS),
    Rule("databricks-token", "dapi", r"dapi[0-9a-f]{32}(?:-[0-9])?"),
)


def _anchored(text: str, raw: bytes) -> Iterator[Span]:
    for rule in ANCHORED:
        done = 0
        for at in places(rule.anchor, raw):
            if at >= done and (span := _fit(rule, text, at)):
                done = span[1]
                yield rule.kind, *span


def _fit(rule: Rule, text: str, at: int) -> tuple[int, int] | None:
    """Where the secret around this anchor begins and ends, if there is one."""
    # What stands before is looked at first: a run of anchors must not be read to its end from each of them.
    before = regex(rule.before).search(text[max(0, at - 12) : at])
    match = before and regex(rule.shape).match(text, at)
    return (at - len(before[1] if before.lastindex else ""), match.end()) if before and match else None


# A known prefix ends with a mark, and a mark with a long run behind it is rare: one look serves them all.
PREFIXED = (
    (
        rb"_(?=[A-Za-z0-9]{20})",
        r"\w+",
        (
            ("github-token", ("ghp_", "gho_", "ghs_", "ghr_", "ghu_", "github_pat_")),
            ("stripe-key", ("sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_")),
            ("huggingface-token", ("hf_", "api_org_")),
            ("npm-token", ("npm_",)),
            ("digitalocean-token", ("dop_v1_", "doo_v1_", "dor_v1_")),
            ("shopify-token", ("shpat_", "shpca_", "shppa_", "shpss_")),
            ("linear-key", ("lin_api_", "lin_oauth_")),
            (
                "api-token",
                (
                    "ntn_",
                    "gsk_",
                    "r8_",
                    "nfp_",
                    "sbp_",
                    "figd_",
                    "glsa_",
                    "dckr_pat_",
                    "rubygems_",
                    "sntryu_",
                ),
            ),
        ),
    ),
    (
        rb"-(?=[-_]?[A-Za-z0-9][A-Za-z0-9_-]{14})",
        r"[\w-]+(?:\.[\w-]{6,})*",
        (
            ("openai-key", ("sk-",)),  # or Anthropic's, see below
            (
                "gitlab-token",
                ("glpat-", "gldt-", "glrt-", "glptt-", "glcbt-", "glsoat-", "gloas-", "glft-", "glagent-"),
            ),
            (
                "slack-token",
                ("xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxe-", "xoxo-", "xoxc-", "xoxd-", "xapp-"),
            ),
            ("google-oauth", ("GOCSPX-",)),
            ("pypi-token", ("pypi-",)),
            (
                "api-token",
                (
                    "xai-",
                    "pplx-",
                    "NRAK-",
                    "PMAK-",
                    "tskey-auth-",
                    "tskey-api-",
                    "sq0atp-",
                    "AGE-SECRET-KEY-",
                ),
            ),
        ),
    ),
    (
        rb"\.(?=[A-Za-z0-9_-]{16})",
        r"[\w-]+(?:\.[\w-]+)*",
        (
            ("sendgrid-key", ("SG.",)),
            ("vault-token", ("hvs.", "hvb.", "hvr.")),
            ("doppler-token", ("dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit.")),
            ("google-oauth", ("ya29.",)),
        ),
    ),
)
JUDGED = 80  # characters are enough to tell; judging whole runs again and again would be quadratic
WORDLIKE = ("sk-", "pypi-", "xai-", "pplx-", "hf_", "api_org_", "SG.")  # may begin an ordinary name, too
DISCORD_HEAD = r"[MNO][\w-]{22,27}\.[\w-]{6}\.$"
DISCORD_TAIL = r"[\w-]{27,}"


_prefixes: dict[bytes, tuple[str, ...]] = {}


def _prefixed(text: str, raw: bytes) -> Iterator[Span]:
    for mark, rest, kinds in PREFIXED:
        if mark.lstrip(b"\\")[:1] not in raw:
            continue
        prefixes = _prefixes.get(mark) or _prefixes.setdefault(mark, tuple(p for _, each in kinds for p in each))
        done = 0
        for hit in bytes_regex(mark).finditer(raw):
            at = hit.end()
            head = text[max(done, at - 36) : at]
            if at <= done or not (head.endswith(prefixes) or text[at - 8 : at - 7] == "."):
                continue
            if finding := _with_prefix(text, at, head, rest, kinds) or _discord(text, at, head):
                done = finding[2]
                yield finding


def _with_prefix(
    text: str, at: int, head: str, rest: str, kinds: tuple[tuple[str, tuple[str, ...]], ...]
) -> Span | None:
    for kind, prefixes in kinds:
        for prefix in prefixes:
            start = at - len(prefix)
            if not head.endswith(prefix) or not (match := regex(rest).match(text, at, at + JUDGED)):
                continue
            if len(prefix) < 4 and not regex(BEGINS).search(text[max(0, start - 10) : start]):
                continue
            if (prefix not in WORDLIKE or drawn_by_lot(match[0])) and (match := regex(rest).match(text, at)):
                return "anthropic-key" if text.startswith("sk-ant-", start) else kind, start, match.end()
    return None


def _discord(text: str, at: int, head: str) -> Span | None:
    before = regex(DISCORD_HEAD).search(head)
    after = before and regex(DISCORD_TAIL).match(text, at)
    return ("discord-token", at - len(before[0]), after.end()) if before and after else None


URL_PASSWORD = rb"://[^\s/@:\"'<>]{0,100}:([^\s/\"'<>]{1,200})@"
URL_PATHS = (
    Rule("slack-webhook", "hooks.slack.com/", r"(?:services|workflows|triggers)/[\w/-]{16,}"),
    Rule("discord-webhook", "/api/webhooks/", r"[0-9]{15,22}/[\w-]{30,}"),
)


def _urls(text: str, raw: bytes) -> Iterator[Span]:
    if b"://" in raw:
        for hit in bytes_regex(URL_PASSWORD).finditer(raw):
            start, end = hit.span(1)
            if not placeholder(text[start:end]):
                yield "password", start, end
    for rule in URL_PATHS:
        for at in places(rule.anchor, raw):
            if match := regex(rule.shape).match(text, at + len(rule.anchor)):
                yield rule.kind, *match.span()


PEM = r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
PEM_END = r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
# Lines of base64 and their headers; between them line ends (real or written), quotes, prompts, diff signs.
PEM_BODY = (
    r"""(?:(?:\\+[nr]|[\s"'+,>|#*])*(?:[A-Za-z0-9+/]{20,}={0,2}|(?:Proc-Type|DEK-Info|Version|Comment):[^\n\\]{0,80}))*"""
    r"""(?:(?:\\+n|\s)+(?=[a-z+/]*[A-Z0-9])[A-Za-z0-9+/]{4,}={0,2}(?![A-Za-z0-9 .,]))?"""
)


def _private_keys(text: str, raw: bytes) -> Iterator[Span]:
    at = 0
    while (at := raw.find(b"-----BEGIN", at)) >= 0:
        begin = regex(PEM).match(text, at)
        start, at = at, at + 10
        if begin:
            at = _end_of_key(text, raw, begin.end())
            if at - begin.end() > 100 or regex("[A-Za-z0-9+/]{8}").search(text[begin.end() : at].partition("-----")[0]):
                yield "private-key", start, at  # and not the two lines that a program looks for


def _end_of_key(text: str, raw: bytes, at: int) -> int:
    body = regex(PEM_BODY).match(text, at)
    at = body.end() if body else at
    another = raw.find(b"-----BEGIN", at, at + 16_384)
    close = raw.find(b"-----END", at, at + 16_384 if another < 0 else another)
    end = regex(PEM_END).match(text, close) if close >= 0 else None
    return end.end() if end else at


# Passwords in commands ------------------------------------------------------------

COMMANDS = (
    (r"""(?:curl|wget|http)\b[^\n]{0,180}$""", r"""(?:u|-user)[ =]?["']?[^\s:"']{1,64}:([^\s"']+)"""),
    (r"""(?:mysql|mariadb|mysqldump|mysqladmin)\b[^\n]{0,180}$""", r"""p["']?([^\s"']{3,})"""),
    (
        r"""(?:sshpass|docker login|mongo(?:sh)?|htpasswd|7z)\b[^\n]{0,180}$""",
        r"""p[ =]?["']?([^\s"']{4,})""",
    ),
    (r"""redis-cli\b[^\n]{0,180}$""", r"""a[ =]?["']?([^\s"']{4,})"""),
    (r"""curl\b[^\n]{0,180}$""", r"""b[ =]?["']?(\w{1,40}=[^\s"';]{8,}[^\n"']*)"""),
)


def _flags(text: str, raw: bytes) -> Iterator[Span]:
    """`curl -u user:pw`, `mysql -pSECRET` and the like."""
    done = 0
    for hit in bytes_regex(rb" -(?=u|p|a|b|-user)").finditer(raw) if b" -" in raw else ():
        line = text[max(0, hit.start() - 200) : hit.start()]
        for command, flag in COMMANDS if hit.start() >= done else ():
            if regex(command).search(line) and (match := regex(flag).match(text, hit.end())):
                done = match.end()
                if not placeholder(match[1][:400]):
                    yield "password", *match.span(1)
                break
