"""What a text is about: its telling words, without the common ones of the project and without Korean particles.

A topic is a key, by which two texts are found to be about the same (a stem, a Korean noun, an identifier), and the form
in which it is shown. How common a word is, the store knows; it is passed in. On the hook's path.
"""

from __future__ import annotations

import re
from math import log

from pith.domain import words
from pith.domain.stems import STOP, particle_length

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

MOST = 8  # topics of one text
READ = 1_200  # characters of a text that are looked at
COMMON, FEW = 0.15, 25  # a word is common in more than these few events and this share of all
_SHORTEST, _LONGEST = 3, 40

# What sessions of every project are full of: it tells nothing about what one of them is about.
IDLE = frozenset(
    """
    out off up down back through around away against file code use make exit fail pass second minute hour time add
    fix chang updat run work get set see look need want try check new old now then next first last line name valu
    function class method test error issu problem thing way part case dai todai yesterdai said sai tell ask answer
    question step todo done pleas thank good great right wrong better best same other also still onli more most let
    go come put take keep start stop begin end open clos read write show find found know think mean seem like
    instead becaus sinc while befor after between dure over under again alreadi yet here yes okai sure well much lot
    few both each everi all some ani one two three output result return import from print true false null none self
    def int str len command bash edit grep pytest git commit push pull diff src lib app index main init readm decid
    decis agre reason caus remain wait block finish complet creat remov delet move renam call help plan 파일 코드
    수정 추가 확인 작업 부분 내용 경우 사용 변경 테스트 오류 에러 문제 방법 방식 이유 원인 결과 결정 진행 완료 상태
    처리 실행 생성 삭제 필요 가능 관련 다음 이전 처음 마지막 오늘 어제 내일 지금 아까 먼저 다시 모두 전부 하나 둘 셋
    우리 정도 아직 이미 바로 같이 함께 계속 그냥 대신 말고 통해 이후 현재 기존 새로 새로운 아래 위치 함수 클래스
    메서드 값 이름 설명 질문 답변 요청 부탁 감사 생각 의미 사실 대한 관해 그것 이것 저것 여기 거기 저기 무엇 누구
    언제 어디 남은 남음 할일 일단 say give gave sense number never alwai long safe context minut makes made whole
    twice four five place please 그래 가끔 있게 없게 그게 그건 이건 저건 이제 지난 매번 항상 그때 나중 무조건 확실
    그대로 정말 아마 조금 많이
    """.split()
)
# How verbs and adjectives end; a Korean word that ends so, and carries no particle, is no noun.
_VERBAL = tuple(
    """
    니다 습니까 어요 아요 해요 세요 에요 예요 네요 죠 지요 까요 나요 었다 았다 였다 했다 한다 된다 는다 진다 없다
    있다 왔다 갔다 졌다 렸다 겼다 꿨다 혔다 운다 쓴다 간다 온다 인다 린다 킨다 긴다 지만 면서 으면 려면 다면 어서
    아서 는데 은데 도록 려고 니까 거나 든지 어야 아야 어도 아도 었던 았던 려서 워서 와서 줄까 할까 볼까 될까 을까
    기기 됐어 했어 왔어 갔어 났어 있어 없어 하자 쓰자 두자 가자 보자 꾸자 되자 놓자 리자 하게 되게 없이 있는 없는
    같은
    """.split()
)
_DIRECTORIES = frozenset("src lib app test tests spec docs doc main packages internal pkg cmd home users work".split())
_STRETCH = re.compile(r"\w[\w./:@+#-]*")
# Nouns, or ends of them, that look as if they bore a particle.
_WHOLE = tuple(
    "시도 속도 빈도 용도 의도 온도 제도 난도 요도 성도 밀도 강도 각도 한도 뢰도 페이지 이미지 메시지 패키지 공지 유지"
    " 평가 추가 증가 허가 회의 동의 정의 경로 도로 목록 차이 높이 길이".split()
)
_LONG_PARTICLES = ("까지", "부터", "에서", "으로", "마다", "만큼", "처럼")
_SOLITARY = ("에", "은", "는", "을", "를", *_LONG_PARTICLES)

_memory: dict[str, tuple[tuple[str, str, tuple[str, ...]], ...]] = {}
_MEMORY_LIMIT = 50_000


class Topic:
    """A key that is compared, the form that is shown, the terms by which the store knows it, how often it was said."""

    __slots__ = ("key", "said", "shown", "terms")

    def __init__(self, key: str, shown: str, terms: tuple[str, ...]) -> None:
        self.key, self.shown, self.terms, self.said = key, shown, terms, 1


def candidates(text: str) -> dict[str, Topic]:
    """The words of a text that may be topics, by key."""
    found: dict[str, Topic] = {}
    for stretch in _STRETCH.findall(words.normal(text[:READ])):
        made = _memory.get(stretch)
        for key, shown, terms in _remember(stretch) if made is None else made:
            known = found.get(key)
            if known is None:
                found[key] = Topic(key, shown, terms)
                continue
            known.said += 1
            if (len(shown), shown) < (len(known.shown), known.shown):
                known.shown = shown
    return found


def _remember(stretch: str) -> tuple[tuple[str, str, tuple[str, ...]], ...]:
    """What a stretch of letters gives, worked out once: most of them come again and again."""
    if len(_memory) >= _MEMORY_LIMIT:
        _memory.clear()
    parts = _parts(stretch) if "/" in stretch else (stretch,)
    topics = [_topic(word, part) for part in parts for word in words.question(part)]
    made = _memory[stretch] = tuple((one.key, one.shown, one.terms) for one in topics if one is not None)
    return made


def _parts(path: str) -> list[str]:
    """The telling parts of a path: its name without the ending, and its folder."""
    *folders, name = path.replace("\\", "/").rstrip("/.:").split("/")
    stem, dot, ending = name.rpartition(".")
    told = [part for part in folders[-1:] if part.casefold() not in _DIRECTORIES]
    told.append(stem if dot and ending.isascii() and len(ending) < 6 else name)
    return re.sub(r"[^\w]|_", " ", " ".join(told)).split()


def of_files(paths: Iterable[str]) -> dict[str, Topic]:
    """What the names of files tell: the parts of the name and of its folder, but for those that every project has."""
    return candidates(" ".join(part for path in paths for part in _parts(path)))


def _topic(word: words.Word, stretch: str) -> Topic | None:
    if word.is_cjk:
        run = _run_of(word.text, stretch)
        noun = _verbal_noun(word.text, run)
        return Topic(noun, noun, word.parts) if _is_noun(noun, run) else None
    key = word.whole or word.text
    if key in IDLE or not _SHORTEST <= len(key) <= _LONGEST or not any(letter.isalpha() for letter in key):
        return None
    if key.startswith("http") or (key.isascii() and key.isalnum() and _is_random(key)):
        return None
    form = stretch.rstrip("./:@-").casefold()
    return Topic(key, form if form.isascii() and form.isalpha() else key, (word.whole,) if word.whole else word.parts)


def _verbal_noun(noun: str, run: str) -> str:
    """The noun of `수정해`; and `재시도` and `쿠폰함` whole, though their ends may be particle or ending elsewhere."""
    if len(noun) > 2 and noun.endswith("해"):
        return noun[:-1]
    is_whole = run.endswith(_WHOLE) or (run == noun + "함" and noun not in IDLE)
    return run if is_whole else noun


def _run_of(noun: str, stretch: str) -> str:
    """The run of a stretch that a noun was cut from: the noun, and what is written on behind it."""
    at = stretch.find(noun)
    end = at + len(noun)
    while end < len(stretch) and words.is_cjk(stretch[end]):
        end += 1
    return stretch[at:end]


def _is_noun(noun: str, run: str) -> bool:
    """Whether a Korean (or other CJK) word may be a noun: it bore a particle, or does not end as verbs do."""
    if len(noun) < 2 or len(noun) > 12 or noun in IDLE or noun in STOP or run in IDLE:
        return False
    if not "가" <= noun[-1] <= "힣":
        return True  # Kana and Han: no endings are known
    if noun.endswith(_VERBAL) or run.endswith(_VERBAL) or "때문" in noun:
        return False
    if not run[len(run) - particle_length(run) :]:
        return not noun.endswith(_SOLITARY)  # it is cut from two syllables or more only
    ended = ("습", "었", "았", "였", "했", "됐", "겠", "렸", "졌")
    return not noun.endswith((*ended, *_LONG_PARTICLES)) and noun + "다" not in run


def _is_random(key: str) -> bool:
    """Whether letters and digits are mixed as in hashes and keys."""
    return len(key) > 6 and sum(letter.isdigit() for letter in key) > 2


class Commonness:
    """How common words are here, looked up once each."""

    __slots__ = ("_frequency", "_known", "total")

    def __init__(self, total: int, frequency: Callable[[str], int]) -> None:
        self.total, self._frequency = total, frequency
        self._known: dict[str, int] = {}

    def of(self, topic: Topic) -> int:
        """In how many events all of it may stand."""
        return min((self._count(term) for term in topic.terms), default=0)

    def weight(self, topic: Topic) -> float:
        """What the topic is worth: rarity and how often it was said; nothing where it is common."""
        frequency = self.of(topic)
        if frequency > FEW + COMMON * self.total:
            return 0.0
        rarity = log(1 + (self.total + 1) / (frequency + 0.5))
        return rarity * (1 + log(topic.said)) * (0.5 if frequency <= 1 and self.total > 1 else 1.0)

    def _count(self, term: str) -> int:
        known = self._known.get(term)
        if known is None:
            known = self._known[term] = self._frequency(term)
        return known


UNKNOWN = Commonness(0, lambda _: 0)


def chosen(found: Mapping[str, Topic], common: Commonness = UNKNOWN, most: int = MOST) -> dict[str, str]:
    """The most telling topics: key -> form, the most telling first."""
    weighed = [(common.weight(topic), topic) for topic in found.values()]
    weighed = [(weight, topic) for weight, topic in weighed if weight > 0]
    weighed.sort(key=lambda one: (-one[0], one[1].key))
    return {topic.key: topic.shown for _, topic in weighed[:most]}


def overlap(one: Iterable[str], other: Iterable[str]) -> float:
    """How much two sets share: |A and B| / max(|A|, |B|); nothing where one is empty."""
    a, b = set(one), set(other)
    return len(a & b) / max(len(a), len(b)) if a and b else 0.0
