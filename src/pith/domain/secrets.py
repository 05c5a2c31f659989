"""Find credentials, private keys and private sections in text, and mask them.

A pattern runs only where its literal anchor occurs. Anchors are looked for in an ASCII copy of the text with one byte
per character, so that positions agree and folding case can change no length. Every pattern is bounded, or consumes what
it matched: the time is linear in the text, whatever the text is.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

MARK = "[masked:"


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
    # A replaced secret may give its neighbours a new meaning, so look again until nothing is left. What is masked is
    # never masked again, so this ends, nearly always with the second look.
    while findings := find(text, personal):
        parts, at = [], 0
        for finding in findings:
            parts += text[at : finding.start], MARK, finding.kind, "]"
            at = finding.end
        text = "".join(parts) + text[at:]
        count += len(findings)
    return text, count


def without_private(text: str) -> tuple[str, int]:
    """The text with every `<private>` section cut out, and how many there were; an unclosed one has no end."""
    if "<" not in text or b"<private>" not in (folded := _ascii(text).lower()):
        return text, 0
    parts, at, depth, cut = [], 0, 0, 0
    for tag in _regex(r"</?private>").finditer(folded.decode("ascii")):
        if tag[0][1] != "/":
            if depth == 0:
                parts += text[at : tag.start()], "[private]"
                cut += 1
            depth += 1
        elif depth:
            depth -= 1
            at = tag.end()
    return "".join(parts) + ("" if depth else text[at:]), cut


def find(text: str, personal: bool = False) -> list[Finding]:
    """Every secret in the text, in order, none touching another."""
    raw = _ascii(text)
    found = [*_anchored(text, raw), *_prefixed(text, raw), *_urls(text, raw), *_private_keys(text, raw)]
    found += _named(text, raw.lower())
    found += _flags(text, raw)
    if personal:
        from pith.domain import personal as people  # only when asked for: hooks do not pay for it

        found += [Finding(*each) for each in people.find(text)]
    return _joined(text, found) if found else found


def _ascii(text: str) -> bytes:
    return text.encode("ascii", "replace")


def _places(anchor: str, raw: bytes) -> Iterator[int]:
    """Where the anchor stands. In long texts a pattern finds it twice as fast as `find`; in short ones that has no price."""
    sought = anchor.encode()
    if len(raw) > 100_000:
        for hit in _bytes_regex(re.escape(sought)).finditer(raw):
            yield hit.start()
        return
    at = -1
    while (at := raw.find(sought, at + 1)) >= 0:
        yield at


_compiled: dict[str, re.Pattern[str]] = {}
_compiled_bytes: dict[bytes, re.Pattern[bytes]] = {}


def _regex(source: str) -> re.Pattern[str]:
    """The pattern, compiled when it is first needed."""
    if source not in _compiled:
        _compiled[source] = re.compile(source, re.ASCII)
    return _compiled[source]


def _bytes_regex(source: bytes) -> re.Pattern[bytes]:
    if source not in _compiled_bytes:
        _compiled_bytes[source] = re.compile(source)
    return _compiled_bytes[source]


def _joined(text: str, found: list[Finding]) -> list[Finding]:
    """Overlapping findings as one, named after the first that was found; markers are never part of one."""
    order = sorted(range(len(found)), key=lambda i: (found[i].start, i))
    joined: list[Finding] = []
    best = 0
    for i in order:
        kind, start, end = found[i]._key()
        marker = text.find(MARK, start, end)
        end = end if marker < 0 else marker
        if end <= start:
            continue
        if joined and start < joined[-1].end:
            last = joined[-1]
            last.end = max(last.end, end)
            if i < best:
                last.kind, best = kind, i
        else:
            joined.append(Finding(kind, start, end))
            best = i
    return joined


# Tokens that their own shape gives away ------------------------------------------------------------------------------

BEGINS = r"(?:^|[^A-Za-z0-9]|\\[nrtbf]|\[[0-9;]{0,8}m|%[0-9A-F]{2})$"  # nothing, a mark, an escape that ends in a letter


class Rule:
    """A kind of secret, the literal found in every one, what stands before the literal (group: it belongs), and the rest."""

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


def _anchored(text: str, raw: bytes) -> Iterator[Finding]:
    for rule in ANCHORED:
        done = 0
        for at in _places(rule.anchor, raw):
            if at >= done and (span := _fit(rule, text, at)):
                done = span[1]
                yield Finding(rule.kind, *span)


def _fit(rule: Rule, text: str, at: int) -> tuple[int, int] | None:
    """Where the secret around this anchor begins and ends, if there is one."""
    # What stands before is looked at first: a run of anchors must not be read to its end from each of them.
    before = _regex(rule.before).search(text[max(0, at - 12) : at])
    match = before and _regex(rule.shape).match(text, at)
    return (at - len(before[1] if before.lastindex else ""), match.end()) if before and match else None


# A known prefix ends with a mark, and a mark with a long run behind it is rare: one look for the mark serves them all.
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


def _prefixed(text: str, raw: bytes) -> Iterator[Finding]:
    for mark, rest, kinds in PREFIXED:
        prefixes = tuple(prefix for _, each in kinds for prefix in each)
        done = 0
        for hit in _bytes_regex(mark).finditer(raw) if mark.lstrip(b"\\")[:1] in raw else ():
            at = hit.end()
            head = text[max(done, at - 36) : at]
            if at <= done or not (head.endswith(prefixes) or text[at - 8 : at - 7] == "."):
                continue
            if finding := _with_prefix(text, at, head, rest, kinds) or _discord(text, at, head):
                done = finding.end
                yield finding


def _with_prefix(
    text: str, at: int, head: str, rest: str, kinds: tuple[tuple[str, tuple[str, ...]], ...]
) -> Finding | None:
    for kind, prefixes in kinds:
        for prefix in prefixes:
            start = at - len(prefix)
            if not head.endswith(prefix) or not (match := _regex(rest).match(text, at, at + JUDGED)):
                continue
            if len(prefix) < 4 and not _regex(BEGINS).search(text[max(0, start - 10) : start]):
                continue
            if (prefix not in WORDLIKE or _random(match[0])) and (match := _regex(rest).match(text, at)):
                return Finding(
                    "anthropic-key" if text.startswith("sk-ant-", start) else kind, start, match.end()
                )
    return None


def _discord(text: str, at: int, head: str) -> Finding | None:
    before, after = _regex(DISCORD_HEAD).search(head), _regex(DISCORD_TAIL).match(text, at)
    return Finding("discord-token", at - len(before[0]), after.end()) if before and after else None


def _random(value: str) -> bool:
    """Whether the letters and digits look drawn by lot rather than chosen by a person."""
    digits = sum(map(value.count, "0123456789"))
    if digits == 0:
        return len(value) >= 30 and _mixed(value)
    return (value.lower() != value and value.upper() != value) or bool(
        _regex(r"[a-z0-9]{24}|[A-Z0-9]{24}").search(value)
    )


def _mixed(value: str) -> bool:
    """Whether capitals and small letters are mixed as no name mixes them."""
    if _regex("[_./-]").search(value):
        return False
    capitals, small = sum(map(str.isupper, value)), sum(map(str.islower, value))
    return small >= 3 and capitals * 2 >= small  # camelCase has a capital for every four or five letters


URL_PASSWORD = rb"://[^\s/@:\"'<>]{0,100}:([^\s/\"'<>]{1,200})@"
URL_PATHS = (
    Rule("slack-webhook", "hooks.slack.com/", r"(?:services|workflows|triggers)/[\w/-]{16,}"),
    Rule("discord-webhook", "/api/webhooks/", r"[0-9]{15,22}/[\w-]{30,}"),
)


def _urls(text: str, raw: bytes) -> Iterator[Finding]:
    if b"://" in raw:
        for hit in _bytes_regex(URL_PASSWORD).finditer(raw):
            start, end = hit.span(1)
            if not _placeholder(text[start:end]):
                yield Finding("password", start, end)
    for rule in URL_PATHS:
        for at in _places(rule.anchor, raw):
            if match := _regex(rule.shape).match(text, at + len(rule.anchor)):
                yield Finding(rule.kind, *match.span())


PEM = r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
PEM_END = r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
# Lines of base64 and their headers, with real or written line ends, quotes, prompts or diff signs between them.
PEM_BODY = (
    r"""(?:(?:\\+[nr]|[\s"'+,>|#*])*(?:[A-Za-z0-9+/]{20,}={0,2}|(?:Proc-Type|DEK-Info|Version|Comment):[^\n\\]{0,80}))*"""
    r"""(?:(?:\\+n|\s)+(?=[a-z+/]*[A-Z0-9])[A-Za-z0-9+/]{4,}={0,2}(?![A-Za-z0-9 .,]))?"""
)


def _private_keys(text: str, raw: bytes) -> Iterator[Finding]:
    at = 0
    while (at := raw.find(b"-----BEGIN", at)) >= 0:
        begin = _regex(PEM).match(text, at)
        start, at = at, at + 10
        if begin:
            body = _regex(PEM_BODY).match(text, begin.end())
            at = body.end() if body else begin.end()
            another = raw.find(b"-----BEGIN", at, at + 16_384)
            close = raw.find(b"-----END", at, at + 16_384 if another < 0 else another)
            if close >= 0 and (end := _regex(PEM_END).match(text, close)):
                at = end.end()
            yield Finding("private-key", start, at)


# Values that a name gives away ---------------------------------------------------------------------------------------

NAMES = (
    ("pass", "password", r"(?i:word|wd|phrase|code)?"),
    ("pwd", "password", ""),
    ("secret", "secret", ""),
    ("token", "token", ""),
    ("key", "key", ""),
    ("cred", "credential", r"(?i:entials?|s)?"),
    ("auth", "authorization", r"(?i:orization)?"),
    ("bearer", "bearer", ""),
    ("cookie", "cookie", ""),
)
KOREAN_NAMES = (  # each begins with a literal, which makes looking for it cheap
    ("비(?:밀번호|번)", "password"),
    ("암호", "password"),
    ("패스(?:워드|프레이즈|코드)", "password"),
    ("토큰", "token"),
    ("시크릿", "secret"),
    ("인증 ?키", "key"),
    ("비밀 ?키", "key"),
    ("API ?키", "key"),
)
KEY_OF = (
    r"(?i:api|access|private|secret|account|encrypt(?:ion)?|sign(?:ing)?|master|auth|service|admin|license|client|consumer|"
    r"app|storage|webhook|session|jwt|hmac|aes|deploy|shared)[_. -]?$"
)
TAIL = r"(?i:[_-]?(?:[0-9]{1,2}|value|val|base|prod|production|dev|staging|test|live|key|string|plain|raw))?"
SEPARATOR = (
    r"""[\\"'\]`*]{0,6}(?:"""
    r"""[ \t]{0,8}(?::[ \t]{0,3}[A-Za-z_&][\w\[\]|&'<>.? ]{0,24}=(?!=)|:=|=>|={1,3}|:\*{0,2})\s{0,3}"""
    r"""|["']?,\s{0,30}\\?["'](?i:value)\\?["']\s?:\s?|\s{1,40}value:\s?"""
    r"""|\((?=\\?["'])|["']?,[ \t]{0,3}(?=\\?["'])|>(?=[^<>\s]{4,200}</))"""
)
SAID = r"[ \t]{1,3}(?:is|was)[ \t]{1,3}(?::[ \t])?"
SAID_IN_KOREAN = r"(?:[은는이가을를]|값은|으?로는)?[ \t]{0,3}(?:[:=][ \t]{0,3})?"
QUOTED = r"""(\\{0,3}["'`])((?:(?!\1)[^\n]){1,300})\1"""
BARE = (
    r"""[\\"'`]{0,2}((?:[!#-&(-\[\]-_a-~]|\\(?![nrt"'`u]))+)"""  # no quotes, no escapes, nothing beyond ASCII
)
CUT = r"""[,;)}\]>|&<]+(?:$|[\w-]+["']?[=:]|</).*"""  # what follows a bare value without a space
SCHEME = r"(?i:(?:bearer|basic|token|bot|apikey|digest)[ \t]{1,3})?"
COOKIE = r"""["']{0,2}[ \t]{0,2}:[ \t]{0,2}["']?([^\s"'\\=;:]{1,60}=[^\s"'\\;]{4,}(?:;[^\n"'\\]*)?)"""
UNITS = r"[ \t]?(?:자|글자|년|회|번|개|일|시간|분|초|차|단계|비트|바이트|종|월|characters?|chars?|digits?|bits?|bytes?|tokens?)"

KIND_OF = {"key": "api-key", "bearer": "token"}


def _named(text: str, folded: bytes) -> Iterator[Finding]:
    for name, kind, ending in NAMES:
        done = 0
        for start in _places(name, folded):
            if start >= done and (span := _after_name(text, start, start + len(name), kind, ending)):
                yield Finding(KIND_OF.get(kind, kind), *span)
                done = span[1]
    for words, kind in () if text.isascii() else KOREAN_NAMES:
        done = 0
        for hit in _regex(words).finditer(text):
            if hit.start() >= done and (span := _after_korean_name(text, hit.end(), kind)):
                yield Finding(KIND_OF.get(kind, kind), *span)
                done = span[1]


def _after_korean_name(text: str, at: int, kind: str) -> tuple[int, int] | None:
    """The same after a Korean name, where a particle may stand for the sign."""
    said = _regex(SAID_IN_KOREAN).match(text, at)
    if said and (said[0] or text[at : at + 1].isascii()):
        if said[0].rstrip()[-1:] in (":", "="):
            return _literal(text, said.end(), kind, loose=False, given=False)
        sep = None if said[0].strip() else _regex(SEPARATOR).match(text, at)
        return _literal(text, (sep or said).end(), kind, loose=not sep, given=False)
    return None


def _after_name(text: str, start: int, at: int, kind: str, ending: str) -> tuple[int, int] | None:
    """The span of the value that is given to the name here, if one is and it deserves masking."""
    if ending and (more := _regex(ending).match(text, at)):
        at = more.end()
    if text[at : at + 1].islower():  # tokens, passing, keyboard
        return None
    if kind == "bearer":
        match = _regex(r"[ \t]{1,3}([\w.~+/=-]{8,})").match(text, at)
        return match.span(1) if match and _credible(match[1], kind, True, False) else None
    if kind == "cookie":
        match = _regex(COOKIE).match(text, at)
        return match.span(1) if match and re.search(r"\d", match[1]) else None
    if kind == "key" and not _regex(KEY_OF).search(text[max(0, start - 14) : start]):
        return None
    if tail := _regex(TAIL).match(text, at):
        at = tail.end()
    if sep := _regex(SEPARATOR).match(text, at):
        given = sep[0] == "=" and (text[start:at].isupper() or _begins_a_line(text, start))
        loose = False
    elif sep := _regex(r"[ \t]{1,3}").match(text, at):
        before = text[max(0, start - 60) : start]
        given = bool(_regex(r"(?:^|[\s\"'])--?[\w-]*$|login\s+\S+\s+$").search(before))
        if not given and not (sep := _regex(SAID).match(text, at)):
            return None
        loose = not given
    else:
        return None
    if text.rfind(MARK, max(0, start - 24), start) >= 0 and "]" not in text[max(0, start - 24) : start]:
        return None  # the name is that of a mask
    return _literal(text, sep.end(), kind, loose, given)


def _begins_a_line(text: str, at: int) -> bool:
    return bool(_regex(r"(?:^|\n|\\n)[\w./:@-]*$").search(text[max(0, at - 60) : at]))


def _literal(text: str, at: int, kind: str, loose: bool, given: bool) -> tuple[int, int] | None:
    """The span of the value that begins here. Given: certainly a literal. Loose: only said in a sentence."""
    if quoted := _regex(QUOTED).match(text, at):
        inner = _regex(SCHEME).match(quoted[2])
        skip = inner.end() if inner else 0
        if _credible(quoted[2][skip:], kind, not loose, True):
            return quoted.start(2) + skip, quoted.end(2)
        return None
    if (scheme := _regex(SCHEME).match(text, at)) and scheme[0]:
        at, given = scheme.end(), True
    bare = _regex(BARE).match(text, at)
    if not bare:
        return None
    value = bare[1][:400]
    if not given:
        value = _regex(CUT).sub("", value)
    if loose:
        value = value.rstrip(".,;:?)")
    end = bare.end(1) if len(value) == 400 else bare.start(1) + len(value)
    if value.isdigit() and _regex(UNITS).match(text, end):
        return None
    return (bare.start(1), end) if _credible(value, kind, given, False, loose) else None


PLACEHOLDER = (
    r"(?is:[<\[{(].*|.*\$?\{.*\}.*|\$[({].*|\$[a-z_]\w*|%[\w(].*|.*\.\.\.|.*…|.*x{4,}.*|x+|.*\*{3,}.*|[*?#_.•=/|+-]+|"
    r"(?:your|change|example|sample|dummy|fake|placeholder|redacted|masked|insert|enter|replace|todo)(?:[_\W-].*|\w{0,12})|"
    r"my[_-].*|none|null|nil|true|false|undefined|(.)\1*)$"
)
CODE = r"[A-Za-z_$@!&*][\w$]*(?:(?:\??\.|::|->)[A-Za-z_$][\w$]*)*(?:([(\[].*)|(?:\.|::|->)[A-Za-z_$][\w$]*[!;,)]*$)|(?:new|await|lambda)$"
PATH = r"(?:~|\.{1,2})?/(?:[a-z][\w.-]*/)+|~?\.{0,2}/[\w.-]*$|[\w@.-]+(?:/[\w@.-]+)*/[\w-]+\.[a-z]{1,5}\d?$|\w+://|[A-Z]:\\"
ALGORITHM = (
    r"(?i:(?:aes|sha|rsa|hs|rs|es|ps|ed|md|pbkdf|argon|utf|base|oauth|http|tls|ssl|gpt|claude|ipv|sse|v|s|x|k|ecdsa|blake|rc|"
    r"web|log|bcrypt|scrypt)[-_/]?[0-9.]{1,5}[\w-]{0,5}$)"
)
NAMELIKE = (
    r"(?i)\w*(?:pass|pw|secret|token|key|cred|auth|hash|base64|utf|value|param|field|input|str|env|arg)\w*$"
)
ORDINARY = frozenset(
    "password passwd secret string required optional undefined disabled enabled hidden credentials incorrect invalid missing "
    "number boolean object unknown default prompt access refresh public private basic bearer forgot confirm current username "
    "passwort reset change update login signin signup submit verify empty number integer varchar nullable unique".split()
)


def _placeholder(value: str) -> bool:
    return bool(_regex(PLACEHOLDER).match(value))


def _credible(value: str, kind: str, given: bool, quoted: bool, loose: bool = False) -> bool:
    """Whether a value that stands next to such a name is a secret, and not code, a path, a label or a placeholder."""
    if (
        len(value) < 4
        or MARK in value
        or _placeholder(value)
        or _regex(ALGORITHM).match(value)
        or _regex(PATH).match(value)
    ):
        return False
    if (
        not quoted
        and (code := _regex(CODE).match(value))
        and (code[1] or len(value) < 24 or not _random(value))
    ):
        return False
    if " " in value or "\t" in value:
        return kind == "password" and _phrase(value)
    if not quoted and not given and _regex(NAMELIKE).match(value):
        return False
    digits = sum(map(value.count, "0123456789"))
    letters = sum(map(str.isalpha, value))
    if kind == "password":
        if digits and letters:
            return len(value) >= (6 if loose else 4)
        if digits:
            return value.isdigit() and len(value) <= 20
        if not value.isascii() or loose:
            return False
        if letters < len(value):
            return len(value) >= 6 and bool(_regex(r".*[^\w.,:;/()\[\]-]").match(value))
        return (quoted or given) and len(value) >= 6 and value.islower() and value not in ORDINARY
    if (
        len(value) < (8 if quoted or given else 12)
        or not letters
        or not value.isascii()
        or (_wordy(value) and not _mixed(value))
    ):
        return False
    if quoted or given:
        return digits > 0 or _mixed(value)
    return digits > 1 or _random(value)


def _phrase(value: str) -> bool:
    """Whether words with spaces are a passphrase, and not a sentence about one."""
    return bool(_regex(r"[a-z]{3,9}(?: [a-z]{3,9}){3,7}$").match(value)) or bool(
        _regex(r"(?=.*\d)(?=.*[!@#$%^&*])[!-~]+ [!-~]+$").match(value)
    )


def _wordy(value: str) -> bool:
    """Whether it is made of words and numbers, as names of models, regions and versions are."""
    return bool(
        _regex(
            r"(?:[A-Za-z]{2,}|v?[0-9]{1,4}|[A-Za-z])(?:[-_./:@ ]+(?:[A-Za-z]{1,}[0-9]?|v?[0-9]{1,4}[a-z]?))*$"
        ).match(value)
    ) and (len(value) < 30 or bool(_regex(r"[-_./:@]").search(value)))


# Passwords in commands -----------------------------------------------------------------------------------------------

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


def _flags(text: str, raw: bytes) -> Iterator[Finding]:
    """`curl -u user:pw`, `mysql -pSECRET` and the like."""
    for hit in _bytes_regex(rb" -(?=u|p|a|b|-user)").finditer(raw) if b" -" in raw else ():
        line = text[max(0, hit.start() - 200) : hit.start()]
        for command, flag in COMMANDS:
            match = _regex(flag).match(text, hit.end())
            if match and _regex(command).search(line) and not _placeholder(match[1]):
                yield Finding("password", *match.span(1))
                break
