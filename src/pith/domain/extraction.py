"""Statements drawn from events by rules, without a model, in English and Korean.

Precision before reach: a sentence that may be read in two ways gives nothing. A statement carries the sentence that it
rests on as a quote; where that stands in the text is for the aligner to find. Guesses and ways that led nowhere are
insights marked as such, never facts. What tools and web pages print can neither decide nor explain anything here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pith.domain import cues
from pith.domain.entities import normalised
from pith.domain.events import AGENT, NOTE, PERSON, PROMPT, RESPONSE, SUMMARY, TOOL

NAME, VERSION = "rules", "1"

STATED, HYPOTHESIS, DEAD_END = "stated", "hypothesis", "dead_end"
FACT, DECISION, INSIGHT, TASK_NOTE, REFERENCE = "fact", "decision", "insight", "task_note", "reference"

LONGEST, SHORTEST = 320, 9  # characters of a sentence that is read; a Hangul syllable counts as two
TITLE = 120
MOST = 40  # statements of one event: a longer list is a document, not a conversation
_LONGEST_TEXT = 200_000  # characters of an event that are read


@dataclass(frozen=True)
class Source:
    """What an extractor is given of an event."""

    event_id: str
    kind: str
    origin: str
    text: str
    command: str = ""


@dataclass(frozen=True)
class Statement:
    """What a source states: its type, how sure it is (`standing`), and the very words that it rests on.

    A task note may name a task (`task`) and what blocks it (`blocked_by`).
    """

    type: str
    title: str
    text: str
    quotes: tuple[str, ...]
    standing: str = STATED
    task: str = ""
    blocked_by: str = ""


class Rules:
    """The extractor that needs no model."""

    name, version = NAME, VERSION

    def read(self, source: Source) -> list[Statement]:
        """What the event states."""
        return extract(source)


def extract(source: Source) -> list[Statement]:
    """The statements of one event, in the order of its text, each sentence at most once."""
    if source.kind == TOOL or source.origin not in (PERSON, AGENT):
        return _of_tool(source)
    if source.kind not in (PROMPT, RESPONSE, SUMMARY, NOTE):
        return []
    found: dict[str, Statement] = {}
    for sentence in sentences(source.text[:_LONGEST_TEXT]):
        statement = read(sentence, by_person=source.kind == PROMPT)
        if statement is not None:
            found.setdefault(normalised(sentence), statement)
    return list(found.values())[:MOST]


def read(sentence: str, *, by_person: bool) -> Statement | None:
    """What one sentence states, or None."""
    folded = sentence.casefold()
    if cues.QUESTION.search(folded) or (cues.REQUEST.search(folded) and not cues.ADDRESS.search(sentence)):
        return None
    for rule in _RULES:
        type, standing = rule(_Seen(sentence, folded, by_person))
        if type:
            return None if type == _NOTHING else _statement(type, sentence, standing)
    return None


def _statement(type: str, sentence: str, standing: str) -> Statement:
    task, blocker = blocked(sentence) if type == TASK_NOTE else ("", "")
    return Statement(type, shortened(sentence), sentence, (sentence,), standing, task, blocker)


def shortened(sentence: str) -> str:
    """The sentence as a title: its label and final stop gone, cut at a word."""
    title = re.sub(
        r"^(?:todo|fixme|decision|결정|할 일)\s*[:：]\s*", "", " ".join(sentence.split()), flags=re.IGNORECASE
    )
    title = title.rstrip(".。!")
    if len(title) <= TITLE:
        return title
    return title[:TITLE].rsplit(" ", 1)[0].rstrip(",;:") + "…"


# -- Rules, the first that speaks decides --------------------------------------------------------------------

_NOTHING = "nothing"
_SILENT = ("", "")
_Verdict = tuple[str, str]


@dataclass(frozen=True, slots=True)
class _Seen:
    """A sentence as a rule looks at it."""

    sentence: str
    folded: str
    by_person: bool


def _is_blocked(seen: _Seen) -> _Verdict:
    if not cues.BLOCKED.search(seen.folded):
        return _SILENT
    passing = (
        cues.PASSING.search(seen.folded) or cues.CONDITIONAL.search(seen.folded) or cues.HYPOTHESIS.search(seen.folded)
    )
    if passing:
        return _NOTHING, ""
    return (TASK_NOTE, STATED) if blocked(seen.sentence)[1] else _SILENT


def _is_dead_end(seen: _Seen) -> _Verdict:
    if not (cues.TRIED.search(seen.folded) and cues.FAILED.search(seen.folded)) or cues.CONDITIONAL.search(seen.folded):
        return _SILENT
    return INSIGHT, DEAD_END


def _is_intent(seen: _Seen) -> _Verdict:
    return (_NOTHING, "") if cues.INTENT.search(seen.folded) or cues.OPTION.search(seen.folded) else _SILENT


def _is_conditional(seen: _Seen) -> _Verdict:
    return (_NOTHING, "") if cues.CONDITIONAL.search(seen.folded) else _SILENT


def _is_hypothesis(seen: _Seen) -> _Verdict:
    if not cues.HYPOTHESIS.search(seen.folded):
        return _SILENT
    if cues.OPINION.search(seen.folded) or cues.DECIDED.search(seen.folded) or len(seen.folded.split()) < 4:
        return _NOTHING, ""
    return INSIGHT, HYPOTHESIS


def _is_decision(seen: _Seen) -> _Verdict:
    if cues.DECIDED.search(seen.folded):
        return DECISION, STATED
    if cues.FOR_NOW.search(seen.folded):
        return _SILENT
    if (
        seen.by_person
        and len(seen.folded.split()) > 2
        and (cues.RULED.search(seen.folded) or cues.PROPOSED.search(seen.folded))
    ):
        return DECISION, STATED
    if cues.PROPOSED.search(seen.folded) and cues.CONTRAST.search(seen.folded):
        return DECISION, STATED
    return _SILENT


def _is_insight(seen: _Seen) -> _Verdict:
    if cues.LEARNED.search(seen.folded) or (cues.BECAUSE.search(seen.folded) and cues.SYMPTOM.search(seen.folded)):
        return INSIGHT, STATED
    return _SILENT


def _is_to_do(seen: _Seen) -> _Verdict:
    if cues.TO_DO.search(seen.folded) and not cues.OWN_TO_DO.search(seen.folded):
        return TASK_NOTE, STATED
    return _SILENT


def _is_reference(seen: _Seen) -> _Verdict:
    address = cues.ADDRESS.search(seen.sentence)
    if address and cues.POINTS_TO.search(seen.folded) and not cues.LOCAL.match(address[0]):
        return REFERENCE, STATED
    return _SILENT


def _is_fact(seen: _Seen) -> _Verdict:
    said = cues.IS_SO.search(seen.folded)
    is_so = (said and said.start() > 0) or (cues.TOPIC.search(seen.folded) and _is_in_the_present(seen.folded))
    if not is_so or cues.NOT_A_FACT.search(seen.folded) or not cues.CONCRETE.search(seen.sentence):
        return _SILENT
    return FACT, STATED


_FINAL_N, _FINAL_B = 4, 17  # of the twenty-eight ends that a Hangul syllable can have


def _is_in_the_present(folded: str) -> bool:
    """Whether a Korean sentence ends in a verb of the present tense: `-ㄴ다`, `-는다`, `-ㅂ니다`, `-습니다`."""
    ending = folded.rstrip(" .!")
    if ending.endswith("니다"):
        return _final(ending[-3:-2]) == _FINAL_B
    return ending.endswith("다") and _final(ending[-2:-1]) == _FINAL_N


def _final(letter: str) -> int:
    return (ord(letter) - 0xAC00) % 28 if "\uac00" <= letter <= "\ud7a3" else 0


_RULES = (
    _is_blocked, _is_dead_end, _is_intent, _is_conditional, _is_hypothesis, _is_decision, _is_insight, _is_to_do,
    _is_reference, _is_fact,
)  # fmt: skip


# -- Tools ---------------------------------------------------------------------------------------------------

_OPENED = re.compile(r"\b(?:gh|glab) (?:pr|issue|mr) create\b")
_OPENED_AT = re.compile(r"https?://[^\s<>\"']+/(?:pull|issues|merge_requests)/\d+\b")


def _of_tool(source: Source) -> list[Statement]:
    """Of what a tool printed only the address of the issue or pull request that a command has just opened."""
    if not _OPENED.search(source.command):
        return []
    found = _OPENED_AT.search(source.text)
    return [Statement(REFERENCE, f"Opened {found[0]}", found[0], (found[0],))] if found else []


# -- Sentences -----------------------------------------------------------------------------------------------

_FENCED = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_MARK = re.compile(r"^\s*(?:(?:[-*+•▪◦]|\d{1,2}[.)]|#{1,6})\s+|\[[ x]\]\s+)*")
_END = re.compile(
    r"(?<!\be\.g)(?<!\bi\.e)(?<!\bvs)(?<!\betc)(?<!\bcf)(?<!\bno)(?<!\bapprox)[.!?。！？]+[\"'”’)\]*_]*(?=\s|$)"
)
_EMPHASIS = re.compile(r"^(?:\*\*|__|\*|_)+|(?:\*\*|__|\*|_)+$")
_CODE = re.compile(
    r"^[\s$>%#]*(?:[\w./-]+ (?:-{1,2}\w|&&)|[{}<>|=();/\\@]"
    r"|(?:import|from|def|class|const|let|var|return|export|git|npm|pip|make|cd|ls|sudo|docker|SELECT|INSERT)"
    r" [^ ]+(?:$| [^a-z가-힣]))|[;{}]\s*$|^\W*\|.*\|\s*$|=>|==|::"
)
_TIMED = re.compile(r"^\s*(?:\[?\d{4}-\d\d-\d\d|\d\d:\d\d|(?:ERROR|WARN(?:ING)?|INFO|DEBUG|TRACE)\b)")


def sentences(text: str) -> Iterator[str]:
    """The sentences of a text, as they stand in it: code, logs, quotations and tables left out, list marks stripped."""
    for line in _FENCED.sub("\n", text).split("\n"):
        line = line.strip()
        if not line or line.startswith((">", "|")) or _TIMED.match(line):
            continue
        line = line[len(_match(_MARK, line)) :]
        if not _CODE.search(line):
            yield from filter(_is_readable, _parted(line))


def _match(pattern: re.Pattern[str], line: str) -> str:
    found = pattern.match(line)
    return found[0] if found else ""


def _parted(line: str) -> Iterator[str]:
    start = 0
    for end in _END.finditer(line):
        yield _bare(line[start : end.end()])
        start = end.end()
    yield _bare(line[start:])


def _bare(sentence: str) -> str:
    return _EMPHASIS.sub("", sentence.strip()).strip()


def _is_readable(sentence: str) -> bool:
    wide = sum(1 + (letter >= "\u1100") for letter in sentence)
    return wide >= SHORTEST and len(sentence) <= LONGEST and " " in sentence


# -- What blocks what ----------------------------------------------------------------------------------------

_PRONOUN = frozenset("i we it this that they you he she everything all work i'm we're he's there the".split())
_LEAD = re.compile(
    r"^(?:(?:so|but|and|also|now|still|currently|however|unfortunately|meanwhile|note that)[, ]+)+", re.IGNORECASE
)
_ARTICLE = re.compile(r"^(?:the|a|an|our|my|their|some|its)\s+", re.IGNORECASE)
_WAITS = re.compile(
    r"^(?P<task>.*?)\s*\b(?:is|are|was|am|remains?|got)?\s*(?:still |currently |also )*"
    r"(?:blocked (?:by|on|until)|waiting (?:for|on)|stuck (?:on|until|waiting for))\s+(?P<by>.+)$",
    re.IGNORECASE,
)
_STATED = re.compile(r"^(?P<task>.*?)\s+(?:is|are|remains?) (?:still )?blocked\s*[:：]\s*(?P<by>.+)$", re.IGNORECASE)
_CANNOT = re.compile(r"^(?P<task>.*?)\s+(?:can't|cannot|can’t|can not)\s+[\w ]+?\s+until\s+(?P<by>.+)$", re.IGNORECASE)
_KO_TOPIC = r"^(?:(?P<task>[^,]{2,60}?)(?:은|는|이|가)\s+)?"
_KO_WAITS = (
    re.compile(_KO_TOPIC + r"(?P<by>.+?(?:이|가) 없(?:어서|어|기 때문에|는 탓에))\s*(?:막혀|막혔|대기|멈춰)"),
    re.compile(_KO_TOPIC + r"(?P<by>.+?)\s*(?:때문에|탓에|에)\s*(?:막혀|막혔)"),
    re.compile(
        r"^(?P<by>.+?(?:(?:이|가) 없어서|때문에|탓에)) (?P<task>.{2,40}?)(?:이|가|은|는)"
        r" (?:멈춰|막혀|막혔|보류|중단|지연)"
    ),
    re.compile(_KO_TOPIC + r"(?P<by>.+?)기 전(?:까지|에)는"),
    re.compile(_KO_TOPIC + r"(?P<by>.+?)(?:을|를)\s*기다[리려]"),
    re.compile(_KO_TOPIC + r"(?P<by>.+?)\s*때까지 (?:대기|기다|진행할 수 없|못)"),
)
_KO_LACK = re.compile(r"(?:이|가) 없(?:어서|어|기 때문에|는 탓에)$")


def blocked(sentence: str) -> tuple[str, str]:
    """The task that a sentence says is blocked, and the words for what blocks it; empty where it does not say."""
    plain = _LEAD.sub("", " ".join(sentence.split())).rstrip(".!。")
    if not cues.BLOCKED.search(plain.casefold()):
        return "", ""
    for pattern in (_STATED, _CANNOT, _WAITS, *_KO_WAITS):
        found = pattern.match(plain)
        if found:
            return _subject(found["task"] or ""), _blocker(found["by"])
    return "", ""


def _subject(words: str) -> str:
    words = _ARTICLE.sub("", re.split(r",\s+(?:but|and|so)\s+", words)[-1].strip(" ,:"))
    is_name = words and words.casefold().split()[0] not in _PRONOUN and len(words.split()) <= 8
    return words if is_name else ""


def _blocker(words: str) -> str:
    words = re.split(r"\s*[,;]\s+|\s+(?:so|and then|before we|because|but)\s+", words.strip())[0]
    words = re.sub(r"\s*\([^)]*\)", "", words)
    words = re.sub(r"\s*(?:때문에|탓에)$", "", _KO_LACK.sub(" 없음", words))
    return _ARTICLE.sub("", words).strip(" ,:")


def settles(sentence: str, condition: str) -> bool:
    """Whether a sentence says that what a condition waited for has come: it names all of it, and that it is there."""
    folded = sentence.casefold()
    if not cues.SETTLED.search(folded) or cues.NOT_SETTLED.search(folded) or cues.QUESTION.search(folded):
        return False
    wanted = _names(condition)
    return bool(wanted) and wanted <= _names(sentence)


_IDLE = frozenset(
    "the a an our my is are of for from to by on in new missing absent lacking available until we get gets has have had"
    " been it"
    " no not there 없음 없다 새 새로운 위해 위한".split()
)
PARTICLE = re.compile(r"(?<=[가-힣a-z0-9])(?:에서|에게|으로|까지|부터|에는|은|는|이|가|을|를|의|에|와|과|로|도|만)$")


def _names(text: str) -> set[str]:
    return {PARTICLE.sub("", word) for word in normalised(text).split()} - _IDLE
