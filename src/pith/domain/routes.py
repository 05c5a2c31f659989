"""How much effort a request deserves: a level from L0 to L4, what it must yield, and why, by rules in two languages."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pith.errors import PithError

LAYERS = ("L0", "L1", "L2", "L3", "L4")

ANSWER, EDIT, IMPLEMENTATION = "answer", "edit", "implementation"
REVIEW, VALIDATION, RESEARCH = "review", "validation", "research"
CONTRACTS = (ANSWER, EDIT, IMPLEMENTATION, REVIEW, VALIDATION, RESEARCH)

NOT_RECOMMENDED, RECOMMENDED, REQUIRED = "not_recommended", "recommended", "required"


class UnsupportedLayer(PithError):
    """A level that is none of L0 to L4."""

    code = "VALIDATION_ERROR"
    hint = "Use one of L0, L1, L2, L3, L4."
    http_status = 400


@dataclass(frozen=True, slots=True)
class Contract:
    """What is agreed about one request: its level, and what is to come out of it."""

    layer: str
    output_contract: str

    @property
    def tool_budget(self) -> str:
        return {"L0": "T0", "L1": "T1" if self.output_contract == EDIT else "T2", "L4": "T3"}.get(self.layer, "T2")

    @property
    def memory(self) -> str:
        return f"MB{self.layer[1]}"

    @property
    def route(self) -> str:
        level = self.layer[1]
        return f"L{level}/P{level}/{self.tool_budget}/V{level}/A0/M0/{self.memory}"

    @property
    def quest_policy(self) -> str:
        return {"L0": NOT_RECOMMENDED, "L1": NOT_RECOMMENDED, "L2": RECOMMENDED}.get(self.layer, REQUIRED)

    @property
    def reason_summary(self) -> str:
        return _REASONS[self.layer].format(kind=self.output_contract)

    def as_json(self) -> dict[str, str]:
        """The contract as an answer and a trace hold it."""
        level = self.layer[1]
        return {
            "route": self.route,
            "layer": self.layer,
            "procedure": f"P{level}",
            "tool_budget": self.tool_budget,
            "verification": f"V{level}",
            "delegation": "A0",
            "mcp": "M0",
            "memory": self.memory,
            "output_contract": self.output_contract,
            "quest_policy": self.quest_policy,
            "reason_summary": self.reason_summary,
        }


_REASONS = {
    "L0": "direct answer or source-light response; quest is not created by default",
    "L1": "small local task with touched-surface verification; quest is not created by default",
    "L2": "bounded {kind} work with targeted verification; quest is recommended",
    "L3": "multi-step or uncertain {kind} work with stronger verification; quest is required",
    "L4": "high-risk or broad {kind} work requiring staged verification; quest is required",
}


def contract(request: str, layer: str | None = None, output_contract: str | None = None) -> Contract:
    """The contract for a request; what is given stands. Raises UnsupportedLayer and UnsupportedContract."""
    if layer is not None and layer not in LAYERS:
        raise UnsupportedLayer(f"Unsupported layer: {layer}")
    if output_contract is not None and output_contract not in CONTRACTS:
        raise UnsupportedContract(f"Unsupported output contract: {output_contract}")
    expected = output_contract or expected_output(request)
    return Contract(layer or level(request, expected), expected)


class UnsupportedContract(PithError):
    """An output that is none of the known ones."""

    code = "VALIDATION_ERROR"
    hint = f"Use one of {', '.join(CONTRACTS)}."
    http_status = 400


def expected_output(request: str) -> str:
    """What a request asks for; the first rule that fits decides, and work that fits none is an implementation."""
    text = request.strip()
    return next((expected for expected, words in _OUTPUTS if _has(words, text)), IMPLEMENTATION)


def level(request: str, expected: str) -> str:
    """The level of a request: 0 for a question, 4 for what can do harm, in between by what it touches."""
    if expected in (ANSWER, RESEARCH):
        return "L0"
    if _has(_RISKY, request):
        return "L4"
    if expected == REVIEW or _has(_BROAD, request):
        return "L3"
    if _has(_TINY, request):
        return "L1" if expected in (EDIT, IMPLEMENTATION) else "L2"
    return "L2"


def _has(words: str, text: str) -> bool:
    return re.search(words, text, re.IGNORECASE) is not None


# English words stand whole (their endings are spelled out); Korean ones are stems, since particles follow them.
_REVIEW = r"\b(?:review|audit|inspect|critique)(?:s|ed|ing)?\b|검토|리뷰|점검해|감사해"
_VALIDATION = r"\b(?:validat|verif)(?:e|es|ed|ing|y|ies|ied|ying|ation)\b|검증|확인해"
_RESEARCH = r"\b(?:research|investigate|compare|survey)\b|조사해|비교해|알아봐"
_QUESTION = (
    r"^(?:what|why|how|who|when|where|which|is|are|does|do|did|can|could|should)\b.*\?\s*$|"
    r"^(?:explain|describe|summari[sz]e|tell me|show me)\b|"
    r"(?:뭐|무엇|어디|언제|누가|왜|어떻게)[^.\n]*(?:\?|나요|까요|인가|야|지)\s*\??\s*$|설명해|알려\s?줘|요약해"
)
_EDIT = r"\b(?:fix|rename|typo|change|edit|tweak|bump)(?:s|es|ed|d|ing)?\b|고쳐|수정해|이름을 바꿔|바꿔\s?줘|오타를"
_OUTPUTS = (
    (ANSWER, _QUESTION), (REVIEW, _REVIEW), (VALIDATION, _VALIDATION), (RESEARCH, _RESEARCH), (EDIT, _EDIT),
)  # fmt: skip
_RISKY = (
    r"\b(?:migrat(?:e|es|ion|ions|ing)|payments?|billing|auth|authentication|authori[sz]ation|security|credentials?|"
    r"encryption|production|deploy(?:s|ed|ing|ment)?|rollback|drop|destructive|whole|entire|everything|rewrite|"
    r"breaking change|personal data)\b|"
    r"결제|정산 시스템|인증|인가|보안|암호화|개인\s?정보|마이그레이션|이관|배포|"
    r"운영 (?:환경|서버|데이터)|전체|전면|모두 (?:바꾸|삭제|지우)"
)
_BROAD = (
    r"\b(?:architecture|architectural|design|refactor(?:s|ed|ing)?|split|redesign|across|several|multi-step|investigate|"
    r"unknown|uncertain|concurrency|performance)\b|"
    r"설계|구조를|리팩터|리팩토|아키텍처|여러|동시성|성능|불확실|위험"
)
_TINY = r"\b(?:typo|typos|comment|whitespace|spelling|wording)\b|오타|주석|띄어쓰기|맞춤법|문구"
