"""Find the values that a name gives away: `password=...`, `"apiKey": "..."`, `비밀번호는 ...`.

A name is only a hint. Most of what stands beside it is code, a type, a label or a placeholder, and
masking that would destroy memory: `credible` decides.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MARK = "[masked:"


_sought: dict[str, bytes] = {}


def places(anchor: str, raw: bytes) -> Iterable[int]:
    """Where the anchor stands; in nearly every text nowhere."""
    sought = _sought.get(anchor) or _sought.setdefault(anchor, anchor.encode())
    return _each_place(sought, raw) if sought in raw else ()


def _each_place(sought: bytes, raw: bytes) -> Iterator[int]:
    # A pattern looks for it twice as fast as `find`, but compiling that pattern pays in long texts only.
    if len(raw) > 100_000:
        for hit in bytes_regex(re.escape(sought)).finditer(raw):
            yield hit.start()
        return
    at = -1
    while (at := raw.find(sought, at + 1)) >= 0:
        yield at


_compiled: dict[str, re.Pattern[str]] = {}
_compiled_bytes: dict[bytes, re.Pattern[bytes]] = {}


def regex(source: str) -> re.Pattern[str]:
    """The pattern, compiled when it is first needed."""
    if source not in _compiled:
        _compiled[source] = re.compile(source, re.ASCII)
    return _compiled[source]


def bytes_regex(source: bytes) -> re.Pattern[bytes]:
    if source not in _compiled_bytes:
        _compiled_bytes[source] = re.compile(source)
    return _compiled_bytes[source]


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
INSIDE_A_WORD = r"(?i:(?<!db)(?<!user)(?<!my)(?<!root)(?<!admin)(?<!smtp)(?<!mail)(?<!redis)(?<=[a-z]))$"  # bypass
TAIL = r"(?i:[_-]?(?:[0-9]{1,2}|value|val|base|prod|production|dev|staging|test|live|key|string|plain|raw))?"
SEPARATOR = (
    r"""[\\"'\]`*]{0,6}(?:"""
    r"""[ \t]{0,8}(?::[ \t]{0,3}[A-Za-z_&][\w\[\]|&'<>.? ]{0,24}=(?!=)|:=|=>|={1,3}|:\*{0,2})\s{0,3}"""
    r"""|["']?,\s{0,30}\\?["'](?i:value)\\?["']\s?:\s?|\s{1,40}value:\s?"""
    r"""|\((?=\\?["'])|["']?,[ \t]{0,3}(?=\\?["'])|>(?=[^<>\s]{4,200}</))"""
)
SAID = r"[ \t]{1,3}(?:is|was)[ \t]{1,3}(?::[ \t])?"
SAID_IN_KOREAN = r"(?:\([^()\n]{1,12}\))?(?:[은는이가을를]|값은|으?로는)?[ \t]{0,3}(?:[:=][ \t]{0,3})?"
QUOTED = r"""(\\{0,3}["'`])((?:(?!\1)[^\n]){1,300})\1"""
BARE = r"""[\\"'`]{0,2}((?:[!#-&(-\[\]-_a-~]|\\(?![nrt"'`u]))+)"""  # no quotes, no escapes, nothing beyond ASCII
CUT = r"""[,;)}\]>|&<]+(?:$|[\w-]+["']?[=:]|</).*"""  # what follows a bare value without a space
JUDGED = 200  # characters are enough to tell; reading on from every name would be quadratic
SCHEME = r"(?i:(?:bearer|basic|token|bot|apikey|digest)[ \t]{1,3})?"
COOKIE = r"""["']{0,2}[ \t]{0,2}:[ \t]{0,2}["']?([^\s"'\\=;:]{1,60}=[^\s"'\\;]{4,200})"""
UNITS = (  # a number of something is no password
    r"[ \t]?(?:자|글자|년|회|번|개|일|시간|분|초|차|단계|비트|바이트|종|월|"
    r"characters?|chars?|digits?|bits?|bytes?|tokens?)"
)

# After a prompt, a diff's sign or the command that sets a value, a line begins too.
BEGINS_A_LINE = r"(?:^|\n|\\n)(?:(?:[$>#%+-]{1,2}|export|set|npm(?:[ \t]config)?[ \t]set)[ \t])?[\w./:@-]*$"

KIND_OF = {"key": "api-key", "bearer": "token"}


def find(text: str, folded: bytes) -> Iterator[tuple[str, int, int]]:
    """(kind, start, end) of every value that a name gives away; `folded` is the text in small ASCII."""
    for name, kind, ending in NAMES:
        done = 0
        for start in places(name, folded):
            if start >= done and (span := _after_name(text, start, start + len(name), kind, ending)):
                yield KIND_OF.get(kind, kind), *span
                done = span[1]
    for words, kind in () if text.isascii() else KOREAN_NAMES:
        done = 0
        for hit in regex(words).finditer(text):
            if hit.start() >= done and (span := _after_korean_name(text, hit.end(), kind)):
                yield KIND_OF.get(kind, kind), *span
                done = span[1]


def _after_korean_name(text: str, at: int, kind: str) -> tuple[int, int] | None:
    """The same after a Korean name, where a particle may stand for the sign."""
    said = regex(SAID_IN_KOREAN).match(text, at)
    if said and (said[0] or text[at : at + 1].isascii()):
        if said[0].rstrip()[-1:] in (":", "="):
            return _literal(text, said.end(), kind, loose=False, given=False)
        sep = None if said[0].strip() else regex(SEPARATOR).match(text, at)
        return _literal(text, (sep or said).end(), kind, loose=not sep, given=False)
    return None


def _after_name(text: str, start: int, at: int, kind: str, ending: str) -> tuple[int, int] | None:
    """The span of the value that is given to the name here, if one is and it deserves masking."""
    if ending and (more := regex(ending).match(text, at)):
        at = more.end()
    if text[at : at + 1].islower():  # tokens, passing, keyboard
        return None
    if kind == "bearer":
        match = regex(r"[ \t]{1,3}([\w.~+/=-]{8,})").match(text, at)
        return match.span(1) if match and credible(match[1], kind, True, False) else None
    if kind == "cookie":
        match = regex(COOKIE).match(text, at)
        rest = match and re.search("[0-9]", match[1]) and regex(r"""[^\n"'\\]*""").match(text, match.end())
        return (match.start(1), rest.end()) if match and rest else None
    if kind == "key" and not regex(KEY_OF).search(text[max(0, start - 14) : start]):
        return None
    if text[start:at].lower() == "pass" and regex(INSIDE_A_WORD).search(text[max(0, start - 8) : start]):
        return None
    if tail := regex(TAIL).match(text, at):
        at = tail.end()
    if sep := regex(SEPARATOR).match(text, at):
        given = sep[0] == "=" and (text[start:at].isupper() or _begins_a_line(text, start))
        loose = sep[0].rstrip()[-1:] in (",", "(")  # may be a list of names
    elif sep := regex(r"[ \t]{1,3}").match(text, at):
        before = text[max(0, start - 60) : start]
        given = bool(regex(r"(?:^|[\s\"'])--?[\w-]*$|login\s+\S+\s+$").search(before))
        if not given and not (sep := regex(SAID).match(text, at)):
            return _beside(text, at, kind)
        loose = not given
    else:
        return None
    if text.rfind(MARK, max(0, start - 24), start) >= 0 and "]" not in text[max(0, start - 24) : start]:
        return None  # the name is that of a mask
    return _literal(text, sep.end(), kind, loose, given)


def _beside(text: str, at: int, kind: str) -> tuple[int, int] | None:
    """A run drawn by lot that follows the name with nothing but a space."""
    run = None if kind == "password" else regex(r"[ \t]{1,3}([\w+/=-]{20,200})(?![\w+/=-])").match(text, at)
    return run.span(1) if run and drawn_by_lot(run[1]) and credible(run[1], kind, False, False) else None


def _begins_a_line(text: str, at: int) -> bool:
    return bool(regex(BEGINS_A_LINE).search(text[max(0, at - 60) : at]))


def _literal(text: str, at: int, kind: str, loose: bool, given: bool) -> tuple[int, int] | None:
    """The span of the value that begins here. Given: certainly a literal. Loose: only said in a sentence."""
    if quoted := regex(QUOTED).match(text, at):
        inner = regex(SCHEME).match(quoted[2])
        skip = inner.end() if inner else 0
        if credible(quoted[2][skip:], kind, not loose, True, loose):
            return quoted.start(2) + skip, quoted.end(2)
        return None
    if (scheme := regex(SCHEME).match(text, at)) and scheme[0]:
        at, given = scheme.end(), True
    bare = regex(BARE).match(text, at, at + JUDGED)
    if not bare:
        return None
    value = bare[1]
    if not given or kind != "password":
        value = regex(CUT).sub("", value)
    if loose:
        value = value.rstrip(".,;:?)")
    end = bare.start(1) + len(value)
    if value.isdigit() and regex(UNITS).match(text, end):
        return None
    if not credible(value, kind, given, False, loose):
        return None
    if end >= at + JUDGED - 1 and (more := regex(BARE).match(text, end)):
        end = more.end()
    return bare.start(1), end


PLACEHOLDER = (
    r"(?is:[<\[{(].*|.*\$?\{.*\}.*|\$[({].*|\$[a-z_]\w*|%[\w(].*|.*\.\.\.|.*…|.*x{4,}.*|x+|.*\*{3,}.*|[*?#_.•=/|+-]+|"
    r"(?:your|change|example|sample|dummy|fake|placeholder|redacted|masked|insert|enter|replace|todo)(?:[_\W-].*|\w{0,12})|"
    r"my[_-].*|none|null|nil|true|false|undefined|(.)\1*)$"
)
CODE = (  # a call or an index (the group), a dotted name, a word of the language
    r"[A-Za-z_$@!&*][\w$]*(?:(?:\??\.|::|->)[A-Za-z_$][\w$]*)*"
    r"(?:([(\[].*)|(?:\.|::|->)[A-Za-z_$][\w$]*[!;,)]*$)|(?:new|await|lambda)$"
)
PATH = (
    r"(?:~|\.{1,2})?/(?:[a-z][\w.-]*/)+|~?\.{0,2}/[\w.-]*$|"
    r"[\w@.-]+(?:/[\w@.-]+)*/[\w-]+\.[a-z]{1,5}\d?$|\w+://|[A-Z]:\\"
)
ALGORITHM = (
    r"(?i:(?:aes|sha|rsa|hs|rs|es|ps|ed|md|pbkdf|argon|utf|base|oauth|http|tls|ssl|gpt|claude|ipv|sse|v|s|x|k|ecdsa|blake|rc|"
    r"web|log|bcrypt|scrypt)[-_/]?[0-9.]{1,5}[\w-]{0,5}$|aws4-hmac-sha256$)"
)
NAMELIKE = r"(?i)\w*(?:pass|pw|secret|token|key|cred|auth|hash|base64|utf|value|param|field|input|str|env|arg)\w*$"
WORDY = r"(?:[A-Za-z]{2,}[0-9]?|v?[0-9]{1,4}|[A-Za-z])(?:[-_./:@ ]+(?:[A-Za-z]{1,}[0-9]?|v?[0-9]{1,4}[a-z]?))*$"
ORDINARY = frozenset(
    "password passwd secret string required optional undefined disabled enabled hidden credentials incorrect "
    "invalid missing number boolean object unknown default prompt access refresh public private basic bearer "
    "forgot confirm current username passwort reset change update login signin signup submit verify empty "
    "integer varchar nullable unique option options flag flags argument value field".split()
)


def placeholder(value: str) -> bool:
    return bool(regex(PLACEHOLDER).match(value))


def credible(value: str, kind: str, given: bool, quoted: bool, loose: bool = False) -> bool:
    """Whether a value beside such a name is a secret, and not code, a path, a label or a placeholder."""
    if len(value) < 4 or MARK in value or placeholder(value):
        return False
    if regex(ALGORITHM).match(value) or regex(PATH).match(value) or (not quoted and _code(value)):
        return False
    if " " in value or "\t" in value:
        return kind == "password" and _phrase(value)
    if not (quoted or given) and regex(NAMELIKE).match(value):
        return False
    if kind == "password":
        return _password(value, quoted or given, loose)
    return value.isascii() and _token(value, quoted or given)


def _code(value: str) -> bool:
    """Whether it is an expression; a dotted run drawn by lot is none."""
    code = regex(CODE).match(value)
    if not code:
        return False
    longest = max(value.split("."), key=len)
    return bool(code[1] or len(longest) < 20 or regex(NAMELIKE).match(longest) or not drawn_by_lot(longest))


def _password(value: str, literal: bool, loose: bool) -> bool:
    digits, letters = _digits(value), sum(map(str.isalpha, value))
    if digits and letters:
        return len(value) >= (6 if loose else 4)
    if digits:
        return value.isdigit() and len(value) <= 20
    if loose or len(value) < 6 or not value.isascii():
        return False
    if letters < len(value):
        return bool(regex(r".*[^\w.,:;/()\[\]-]").match(value))
    return literal and value.islower() and value not in ORDINARY


def _token(value: str, literal: bool) -> bool:
    if len(value) < (8 if literal else 12) or not any(map(str.isalpha, value)):
        return False
    if _mixed(value) and literal:
        return True
    if _wordy(value) and not _mixed(value):
        return False
    return _digits(value) > (0 if literal else 1) or drawn_by_lot(value)


def _digits(value: str) -> int:
    return sum(map(value.count, "0123456789"))


def _phrase(value: str) -> bool:
    """Whether words with spaces are a passphrase, and not a sentence about one."""
    return bool(regex(r"[a-z]{3,9}(?: [a-z]{3,9}){3,7}$").match(value)) or bool(
        regex(r"(?=.*\d)(?=.*[!@#$%^&*])[!-~]+ [!-~]+$").match(value)
    )


def _wordy(value: str) -> bool:
    """Whether it is made of words and numbers, as names of models, regions and versions are."""
    return (len(value) < 30 or bool(regex(r"[-_./:@]").search(value))) and bool(regex(WORDY).match(value))


def drawn_by_lot(value: str) -> bool:
    """Whether the letters and digits look drawn by lot rather than chosen by a person."""
    if _digits(value) == 0:
        return len(value) >= 30 and _mixed(value)
    return (value.lower() != value and value.upper() != value) or bool(
        regex(r"[a-z0-9]{24}|[A-Z0-9]{24}").search(value)
    )


def _mixed(value: str) -> bool:
    """Whether capitals and small letters are mixed as no name mixes them."""
    if regex("[_./-]").search(value):
        return False
    capitals, small = sum(map(str.isupper, value)), sum(map(str.islower, value))
    return small >= 3 and capitals * 2 >= small  # camelCase has a capital for every four or five letters
