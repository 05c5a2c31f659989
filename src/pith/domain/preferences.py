# ruff: noqa: E501 -- a pattern is easier to read in one line than broken where a line ends
"""Standing preferences: what a person wants done always, told apart from what they want done now. English and Korean.

Precision before reach: what is found is a candidate, and holds only once the person confirms it. Text inside code,
quotations and what follows "the page says:" is not the person's own and is never read. Offsets count code points of
the stored text, so that what was confirmed can be re-read to the letter.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from pith.domain import cues
from pith.domain.evidence import EXACT, quote_hash
from pith.domain.knowledge import derived_id

VERSION = "1"  # another version finds others: all prompts are read again

PROJECT, EVERYWHERE = "project", "everywhere"
SCOPES = (PROJECT, EVERYWHERE)
CANDIDATE, CONFIRMED, WITHDRAWN = "candidate", "confirmed", "withdrawn"

LONGEST = 300  # characters of a preference
SHORTEST = 6  # a Hangul syllable counts as two
MOST = 12  # preferences of one prompt: a longer list is a document
_READ = 20_000  # characters of a prompt that is looked at
_TYPED = 2_500  # characters; of a longer prompt, most is pasted: only its first and last paragraph are read


@dataclass(frozen=True, slots=True)
class Preference:
    """A standing preference that a person decided on."""

    preference_id: str
    text: str
    scope: str
    state: str
    said_at: str | None
    confirmed_at: str | None
    withdrawn_at: str | None
    event_id: str
    evidence: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Wish:
    """Where a text says what its author wants always; the words themselves stand in the text."""

    start: int
    end: int
    text: str

    @property
    def id(self) -> str:
        return id_of(self.text)

    @property
    def hash(self) -> str:
        return quote_hash(self.text)

    def evidence(self, event_id: str) -> dict[str, Any]:
        """The record of where it stands, as an entry keeps it."""
        return {
            "event_id": event_id, "start": self.start, "end": self.end,
            "quote_hash": self.hash, "method": EXACT, "confidence": 1.0,
        }  # fmt: skip


def id_of(text: str) -> str:
    """The id of a preference: the same words are the same preference, in whatever case and spacing, in every store."""
    folded = " ".join(unicodedata.normalize("NFC", text).casefold().split())
    return derived_id("preference", folded.rstrip(" .!。"))


def find(text: str) -> list[Wish]:
    """The standing preferences that the author of a text states, in its order, each once."""
    found: dict[str, Wish] = {}
    if len(text) > _READ or not _MAYBE.search(text):
        return []
    for start, end, own in _sentences(text):
        if states(own):
            wish = Wish(start, end, text[start:end])
            found.setdefault(wish.id, wish)
    return list(found.values()) if len(found) <= MOST else []


def states(sentence: str) -> bool:
    """Whether a sentence says what its author wants always, and is neither a question, a report nor about this once."""
    folded = " ".join(sentence.casefold().split())
    wide = sum(1 + (letter >= "\u1100") for letter in folded)
    if wide < SHORTEST or len(sentence) > LONGEST or " " not in folded:
        return False
    if cues.QUESTION.search(folded) or _ONCE.search(folded) or _REPORTED.search(folded):
        return False
    return bool(_ENGLISH.search(folded) or (_KOREAN.search(folded) and not _KO_DESCRIBED.search(folded)))


# -- English -------------------------------------------------------------------------------------------------

# What an agent can be told to do. "always fails", "always green" and "never mind" are no orders.
_VERB = (
    r"(?:add|address|amend|annotate|answer|append|ask|assume|avoid|back up|base|be (?:brief|concise|careful|explicit|honest|terse|polite|short|direct|consistent)"
    r"|begin|branch|break|build|bump|call|change|check|cite|clean|close|comment|commit|compile|confirm|copy|cover|create|credit|default|define|delete"
    r"|deploy|describe|disable|do|document|double-check|draw|edit|end|ensure|exclude|explain|fetch|fix|follow|force-push|format|generate|give|group|guess|handle"
    r"|hard-?code|ignore|import|include|indent|inline|install|invent|keep|leave|limit|lint|link|list|load|lock|log|look|make|mark|measure|mention|merge|mix|mock"
    r"|modify|move|name|offer|open|order|pass|paste|pin|plan|point|prefer|prefix|print|propose|pull|push|put|quote|read|rebase|refactor|refer|regenerate"
    r"|release|remember|remind|remove|rename|reply|report|respond|restart|return|reuse|review|rewrite|round|run|save|say|search|send|separate|set|show|sign"
    r"|silence|skip|sort|speak|specify|split|squash|stage|start|state|stick|stop|store|suggest|summari[sz]e|suppress|tag|talk|tell|test|touch|translate|treat|try|type"
    r"|update|upgrade|use|validate|verify|wait|work|wrap|write)"
)
_LEAD = r"^(?:(?:please|and|also|but|so|ok(?:ay)?|oh|yes|no|again|then|one more thing|note|rule|important|btw|by the way)[,:;.]? |[-–—] )*"
_NOT = r"(?:do not|don't|don’t|never)"
_STANDING = r"(?:always|from now on|from here on(?: out)?|going forward|in (?:the )?future|every time|each time|at all times|ever again|without exception)"


class _Pattern:
    """A regular expression that is compiled when it is first asked: all of these take 60 ms, and most commands ask none."""

    __slots__ = ("_compiled", "_flags", "_text")

    def __init__(self, text: str, flags: int = 0) -> None:
        self._text, self._flags = text, flags
        self._compiled: re.Pattern[str] | None = None

    def _ready(self) -> re.Pattern[str]:
        if self._compiled is None:
            self._compiled = re.compile(self._text, self._flags)
        return self._compiled

    def search(self, text: str, *bounds: int) -> re.Match[str] | None:
        return self._ready().search(text, *bounds)

    def match(self, text: str, *bounds: int) -> re.Match[str] | None:
        return self._ready().match(text, *bounds)

    def finditer(self, text: str, *bounds: int) -> Iterator[re.Match[str]]:
        return self._ready().finditer(text, *bounds)

    def sub(self, by: Callable[[re.Match[str]], str], text: str) -> str:
        return self._ready().sub(by, text)


_ENGLISH = _Pattern(
    "|".join(
        (
            # Always run the tests before committing. Never use any.
            rf"{_LEAD}(?:always|never(?: ever)?) (?:please )?(?!give up\b|say never\b|look on\b){_VERB}\b(?!-)",
            # Please always ..., and in this repo always ...
            rf"^(?:in (?:this|the|our|my|all|every|any) [\w' -]{{2,40}}|when(?:ever)? [^,]{{3,80}}|before [^,]{{3,60}}|after [^,]{{3,60}}|if [^,]{{3,80}}|for (?:this|all|every|any) [^,]{{2,40}}),? (?:please )?(?:always|never) {_VERB}\b",
            # From now on use tabs. Going forward, please don't ...
            rf"{_LEAD}(?:from now on|from here on(?: out)?|going forward|in (?:the )?future|for the future),? (?:please |i want you to |i'd like you to |you (?:should|must|will|can) |we (?:will |should |must )?|let's )?(?:also |only |always |just )?(?:{_NOT} )?(?:ever )?{_VERB}\b",
            rf"{_LEAD}(?:{_NOT} )?(?:ever )?{_VERB} [^,]*\b(?:from now on|going forward|in (?:the )?future|every (?:single )?time|each time|at all times|without exception)(?:,? please)?[ .!]*$",
            # Don't ever ..., don't ... again, don't ... without asking me
            rf"{_LEAD}(?:do not|don't|don’t) ever (?:again )?{_VERB}\b",
            rf"{_LEAD}(?:do not|don't|don’t|never) {_VERB} .*\b(?:ever again|again|anymore|any more)[ .!,]*(?:please)?[ .!]*$",
            rf"{_LEAD}(?:do not|don't|don’t|never) {_VERB} .*\b(?:without (?:asking|my (?:ok|okay|approval|permission|consent))|unless i (?:ask|say|tell|explicitly))\b",
            # I prefer tabs over spaces. I always want ... We always use pnpm.
            r"\bi (?:(?:generally|usually|always|really|much|strongly|personally) )*prefer (?!the (?:first|second|third|last|former|latter|other)|this|that|it\b|option|approach|version|to wait|not to (?:do|go|wait))\w",
            r"^(?:my|our) (?:(?:general|standing|strong) )?preference (?:is|are)\b(?! the| this| that| option)",
            r"\bi (?:always|never) (?:want|like)(?: you)? (?:to |a |the |an |\w+)",
            r"\bi(?:'d| would)? (?:want|like|need|expect) you to (?:always|never)\b",
            rf"\byou (?:should|must|have to|need to|can|may|are to) (?:always|never) {_VERB}\b",
            r"\bwe (?:always|never|only ever) (?:use|write|commit|squash|rebase|push|name|prefix|indent|format|test|pin|log|merge|sign|deploy|document|mock|work|branch|keep|put|store)\b(?! (?:this|that|these|those|it|them)\b)",
            # I'd like you to use async from now on. All code must always ... Prefer tabs over spaces. Do ..., always.
            rf"\bi(?:'d| would)? (?:want|like|need) you to (?:not )?{_VERB} [^,]*\b(?:from now on|going forward|in (?:the )?future|every time)[ .!]*$",
            r"^(?:all|every|each) (?!time)[\w -]{2,40} (?:should|must) (?:always|never) \w",
            rf"{_LEAD}prefer (?!the (?:first|second|third|last|former|latter|other)|this|that|it\b|option|approach|version)[^.,]+ (?:over|to|instead of) \w",
            rf"{_LEAD}(?:we )?(?:(?:do not|don't|don’t|never) )?{_VERB} .*, (?:always|ever)[ .!]*$",
            # Remember to always ..., make sure you always ...
            rf"{_LEAD}(?:remember|make sure|be sure|keep in mind)(?: that)?(?: you| to| i want you to)*(?: should| must)? (?:always|never) \w",
            # Whenever you change the schema, add a migration. Before every commit, run the linter.
            rf"{_LEAD}(?:whenever|every time|each time|any time) (?:you|we|i) [^,]{{3,80}}, (?:please |also |always )?(?:{_NOT} )?{_VERB}\b",
            rf"{_LEAD}(?:before|after|with|for|in|on) (?:each|every|any|all) [^,]{{3,40}}, (?:please |also |always |you (?:should|must) )?(?:{_NOT} )?{_VERB}\b",
            rf"{_LEAD}(?:please )?{_VERB} [^,;]*\b(?:before|after|with|for) (?:each|every) (?:single )?(?:commit|change|release|push|deploy(?:ment)?|pull request|pr|merge|edit|migration|session|answer|reply|refactor(?:ing)?)[ .!]*$",
            rf"^(?:as a (?:general )?rule|by default|unless i say otherwise|in general),? (?:please |always |never |i want you to )?(?:{_NOT} )?{_VERB}\b",
        )
    )
)
_ONCE = _Pattern(
    r"\b(?:for now|right now|this time|this once|just once|today|tonight|tomorrow|at the moment|for the moment|for a moment|yet|until (?:i|we|the|it|that|then|you)|while (?:it|i|the)|never ?mind|temporarily)\b"
    r"|이번(?:에|만|엔| 한)|오늘|지금은|일단|당장|우선은|잠깐|임시로|내일|한 번만|아직"
)
# Somebody else says so, or it is told how things are.
_REPORTED = _Pattern(
    r"\b(?:says|said|wrote|writes|claims|claimed|states|recommends|recommended|suggests|suggested|told (?:me|us)|according to|used to|supposed to|keeps? \w+ing)\b"
    r"|\b(?:it|this|that|they|he|she|which|who|the \w+) (?:would |will |can |could |should )?(?:always|never)\b"
    r"|\b(?:fails?|crash(?:es)?|breaks?|hangs?|happens?|errors?|appears?)\b.*\b(?:every|each) (?:single )?time\b"
    r"|\balways (?:been|the same|a|an|on|off)\b|\bnever (?:been|worked|seen|happened|got)\b"
    r"|(?:라고|다고|라는데|다는데|래요|대요|라며|다며|라던데|다던데|라고 ?(?:써|적혀|되어|나와|하는|합니다|한다|했))"
)

# -- Korean --------------------------------------------------------------------------------------------------

# How a request or an order ends. A bare `-해요` or `-한다` also tells how things are, and is none.
_KO_DO = (
    r"(?:[가-힣] ?(?:줘|주세요|줄래요?|주십시오|주길(?: 바라|바랍|바래)?[가-힣]*|주면 (?:좋겠|돼|됩)[가-힣]*|주시[가-힣]*|달라)|줘|주세요|하세요|으세요|[가-힣]세요|하십시오|[가-힣]십시오"
    r"|해라|어라|아라|써라|둬라|하자|쓰자|두자|가자|[가-힣]자|할 ?것|[을를] ?것|쓸 ?것|[가-힣] 것|하도록(?: 해)?|도록 (?:해|하세요|합시다)|합시다|읍시다|[가-힣]시다|바랍니다|바래요?|부탁(?:해|해요|합니다|드립니다|드려요)"
    r"|(?:답|대답|설명|확인|작성|사용|실행|커밋|테스트|정리|표시|요약|검토|유지|추가|분리|통일|번역|보고|말|질문|명시|기록|검증|제안|시작)해|물어봐|알려|적어|남겨|써|지켜|돌려|붙여|넣어|따라)"
)
_KO_NOT = r"(?:지 ?(?:마|말|말아|마라|말자|말 ?것|마세요|마십시오|말고|말아 ?줘|말아 ?주세요|말아요|마요|말아라|말아 ?줄래|않았으면 (?:좋겠|해)[가-힣]*|않도록(?: 해 ?줘| 해 ?주세요| 해)?|않기)|금지(?:야|예요|입니다|다|해)?|안 ?돼(?:요)?|안 ?됩니다|하지 않는다)"
_KO_END = r"(?:요|다)?[ .!~ㅎ^]*$"
_KO_EVENT = r"(?:커밋|푸시|배포|릴리[스즈]|변경|수정|작업|머지|병합|리뷰|풀 ?리퀘스트|pr|답변|답|응답|세션|함수|파일|코드|테스트|리팩터링|리팩토링|마이그레이션|빌드)"

_KOREAN = _Pattern(
    "|".join(
        (
            # 항상 한국어로 답해 줘
            rf"(?:^|[ ,])(?:항상|언제나|늘|매번|무조건|어떤 경우에도|어떤 경우든) .*(?:{_KO_DO}|{_KO_NOT}){_KO_END}",
            rf"(?:{_KO_DO}|{_KO_NOT})[,.]? (?:항상|언제나|매번|늘|절대(?:로)?|앞으로(?:는|도|계속)?|다음부터(?:는)?)[ .!]*$",
            # 앞으로는 탭을 쓰지 마
            rf"(?:^|[ ,])(?:앞으로(?:는|도|계속)?|이제부터(?:는)?|이제는|다음부터(?:는|도)?|차후(?:에는)?|향후(?:에는)?)[, ].*(?:{_KO_DO}|{_KO_NOT}){_KO_END}",
            rf"(?:^|[ ,])지금부터(?:는)?[, ].*(?:{_KO_NOT}|만 (?:{_KO_DO})|으?로 (?:{_KO_DO})){_KO_END}",
            # 절대 main에 푸시하지 마, 다시는 ... 하지 마
            rf"(?:^|[ ,])(?:절대(?:로)?|다시는|두 번 다시|결코|함부로|멋대로|마음대로|내 허락 ?없이|허락 ?없이|물어보지 않고|묻지 않고|말없이) .*{_KO_NOT}{_KO_END}",
            # 커밋할 때마다 테스트를 돌려 줘, 배포 전에는 반드시 ...
            rf"(?:^|[ ,])\S*(?:때마다|때는 (?:항상|반드시|꼭|무조건)|때 (?:항상|반드시|무조건)) .*(?:{_KO_DO}|{_KO_NOT}){_KO_END}",
            rf"(?:^|[ ,]){_KO_EVENT}(?:할 때는|하기 전에는|하기 전엔|하기 전에|한 뒤에는|한 후에는|하고 나면|전에는|전엔| 전에는| 전엔| 전에| 후에는| 뒤에는|마다|할 때) .*(?:항상|반드시|꼭|무조건|먼저) .*(?:{_KO_DO}|{_KO_NOT}){_KO_END}",
            rf"(?:^|[ ,]){_KO_EVENT}마다 .*(?:{_KO_DO}|{_KO_NOT}){_KO_END}",
            # 기본적으로 ... 해 줘
            rf"^(?:기본적으로|원칙적으로|기본은|별말 없으면|별다른 말이 없으면|따로 말하지 않으면|내가 말하지 않는 한) .*(?:{_KO_DO}|{_KO_NOT}){_KO_END}",
            # 나는 탭보다 스페이스를 선호해
            r"(?:^|[ ,])(?:나는|난|저는|전|우리는|우린|저희는|제가|내가)? ?[^,.]*(?<!첫 번째)(?:를|을|이|가|쪽을|편을|걸|것을|게) (?:더 |훨씬 |항상 |늘 )*선호(?:해|해요|합니다|한다|하는 편)[가-힣]*[ .!]*$",
            r"(?:^|[ ,])(?:나는|난|저는|전) [^,.]*(?:보다|쓰는|하는|다는|없는|있는)[^,.]* (?:것을|걸|게|것이|쪽이|편이|을|를) (?:더 )?(?:좋아(?:해|해요|합니다|한다)|싫어(?:해|해요|합니다|한다))[ .!]*$",
            r"^(?:나는|난|저는|전) (?!이 |그 |저 )[^,.]*(?:을|를) (?:정말 |아주 |제일 )?싫어(?:해|해요|합니다|한다)[ .!]*$",
        )
    )
)
# "항상 실패하는 테스트를 고쳐 줘": the word tells of what is to be mended; "두 번째 안을 선호해": of a choice made once.
_KO_DESCRIBED = _Pattern(
    r"(?:항상|언제나|늘|매번|무조건|절대(?:로)?) (?:[^ ]+ ){0,2}?[^ ]*(?:하는|되는|나는|지는|뜨는|죽는|걸리는|있는|없는|않는|오는|나오는|느린|같은|깨지는|터지는|멈추는|생기는|보이는|실패한|하던|되던|나던|도는|남는) "
    r"|(?:항상|매번|늘|언제나) .*(?:실패|에러|오류|느려|느리|깨지|깨져|멈춰|멈추|터져|죽어|안 돼|안돼|안 되|뜨고|나고|걸려).*(?:고쳐|확인해|봐|수정해|찾아|알려|해결)"
    # Why something is so, and what is to be built so, are about this once.
    r"|(?:^|[ ,])(?:왜|어째서|얼마나|무슨 이유)"
    r"|^(?:이|그|저|해당) (?!프로젝트|저장소|레포|리포)[^ ]+(?<!에서)(?<!에)(?:은|는|이|가|을|를) "
    r"|(?:보이|되|나오|뜨|열리|닫히|남|켜지|꺼지|작동하|동작하|반환하|움직이|돌아가)게 "
    r"|(?:도록|게) ?(?:수정|고쳐|고치|바꿔|바꾸|변경|만들|해결|구현|개선)|무조건 .*말고 "
    r"|(?:항상|언제나|늘|매번) .*[가-힣]지 (?:확인|알려|봐|찾아|살펴|조사|검토)"
    r"|(?:^|[ ,])(?!내가|네가|니가|제가|우리가|당신이)[가-힣a-z]+(?:이|가) [^,]*때마다"
    r"|[가-힣](?:는|은|던) (?:코드|기능|함수|로직|스크립트|버튼|훅|핸들러|옵션|메서드|클래스|화면|페이지|api|테스트)(?:을|를)? .*(?:추가|만들|구현|작성|넣|짜)"
    r"|(?:첫|두|세|네) ?번째|(?:[1-9]|[a-d])(?:번|안)(?:을|이|으로|를)? |이 ?(?:방법|방식|안|쪽)(?:을|이)? 선호|그 ?(?:방법|방식|안|쪽)(?:을|이)? 선호"
    r"|앞으로 (?:가|이동|스크롤|넘|당|옮|빼)|앞으로(?:의)? (?:계획|일정|할 일|과제|방향|작업)"
)

# Without one of these no pattern fits: most prompts are done with at once.
_MAYBE = _Pattern(
    r"\b(?:always|never|ever|from now|from here|going forward|future|every|each|again|any ?more|unless|without|prefer(?:ence)?|when(?:ever)?|any|all"
    r"|before|after|default|rule|general|at all times)\b"
    r"|항상|언제나|늘 |매번|무조건|어떤 경우|앞으로|이제|다음부터|차후|향후|지금부터|절대|다시는|두 번 다시|결코|함부로|멋대로|마음대로|허락|묻지|물어보지|말없이"
    r"|때|전[에엔]|후에|뒤에|마다|하고 나면|기본|원칙|별말|별다른|따로|내가|선호|좋아|싫어",
    re.IGNORECASE,
)

# -- The author's own sentences ------------------------------------------------------------------------------

# Blanked out with as many characters: what is left keeps its place.
_FOREIGN = _Pattern(
    r"^[ \t]*(?P<fence>```|~~~)[\s\S]*?(?:^[ \t]*(?P=fence)[ \t]*$|\Z)"
    r"|<(?P<tag>[A-Za-z][\w-]*)(?:\s[^<>]*)?>[\s\S]*?</(?P=tag)>"
    r"|^[ \t]*[>|].*$"
    r"|^(?: {4,}|\t).*$"
    r"|`[^`\n]*`"
    r"|\"[^\"\n]{2,}\"|“[^”\n]*”|«[^»\n]*»|「[^」\n]*」|『[^』\n]*』|‘[^’\n]*’"
    r"|(?<![\w'])'[^'\n]{2,}'(?![\w'])",
    re.MULTILINE,
)
# What follows such a line was written by somebody else.
_INTRODUCED = _Pattern(
    r"(?:^|\b)(?:says?|said|wrote|writes|reads?|returned|printed|output|logs?|error|response|result|page|site|website|article|post|blog|readme|docs?"
    r"|documentation|tutorial|manual|e-?mail|message|comment|issue|ticket|review|snippet|file|contents?|text|transcript|prompt|pasted|paste|this|below|following|here it is|here is what (?:it|they|he|she)[\w ]*)\s*:\s*$"
    r"|(?:내용|로그|출력|결과|응답|오류|에러|페이지|사이트|글|문서|기사|블로그|메일|이메일|메시지|댓글|이슈|티켓|리뷰|파일|본문|원문|다음|아래|답변|프롬프트|설명)(?:은|는|이|가|을|를|에|에는|에 따르면|입니다|이다|이야)?(?: (?:이래|이렇습니다|이렇다|이래요|같아|같습니다|다음과 같습니다|다음과 같아|나와|나왔어|보세요|봐|봐 줘|참고))?[.]?\s*[:：]\s*$",
    re.IGNORECASE,
)
_MARK = _Pattern(r"\s*(?:(?:[-*+•▪◦]|\d{1,2}[.)]|#{1,6})\s+|\[[ x]\]\s+)*[*_\s]*")
_END = _Pattern(r"(?<!\be\.g)(?<!\bi\.e)(?<!\bvs)(?<!\betc)[.!?。！？]+[)\]*_]*(?=\s|$)")
_CODE = _Pattern(
    r"^[\s$>%#]*(?:[\w./-]+ (?:-{1,2}\w|&&)|[{}<>|=();/\\@]|(?:import|from|def|class|const|let|var|return|export|git|npm|pip|sudo|docker|SELECT|INSERT) [^ ]+(?:$| [^a-z가-힣]))|[;{}]\s*$|=>|=="
    r"|^\s*(?:\[?\d{4}-\d\d-\d\d|\d\d:\d\d|(?:ERROR|WARN(?:ING)?|INFO|DEBUG|TRACE)\b)"
)


def _sentences(text: str) -> Iterator[tuple[int, int, str]]:
    """Where each sentence of the author's own stands, and its words with what is foreign in them left out."""
    own = _FOREIGN.sub(lambda found: re.sub(r"[^\n]", "\0", found[0]), text)
    for low, high in _typed(own):
        at = low
        for line in own[low:high].split("\n"):
            if _INTRODUCED.search(line):
                return
            if not _CODE.search(line):
                yield from _parted(own, at, at + len(line))
            at += len(line) + 1


def _typed(own: str) -> list[tuple[int, int]]:
    """The part of a prompt that was typed rather than pasted."""
    if len(own) <= _TYPED:
        return [(0, len(own))]
    first, last = own.find("\n\n"), own.rfind("\n\n")
    ends = [(0, first), (last, len(own))] if first >= 0 else []
    return [(low, high) for low, high in ends if high - low <= _TYPED]


def _parted(own: str, low: int, high: int) -> Iterator[tuple[int, int, str]]:
    mark = _MARK.match(own, low, high)
    start = mark.end() if mark else low
    for end in [*(found.end() for found in _END.finditer(own, start, high)), high]:
        words = own[start:end]
        bare = words.strip(" \t\r*_")
        if bare:
            begin = start + words.index(bare)
            yield begin, begin + len(bare), bare.replace("\0", " ")
        start = end
