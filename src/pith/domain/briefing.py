"""Which sentences of a turn that nobody has read yet may have decided something, or left it open. On the hook's path.

The worker reads with care (extraction.py); a session that begins before it has run is told what plainly says so.
Substrings only: compiling the worker's patterns would cost a hook more than the whole brief.
"""

from __future__ import annotations

DECIDED, OPEN = "decided", "open"

_CUES = {
    DECIDED: (
        "we decided", "i decided", "decided to ", "we agreed", "agreed to ", "decision:", "let's use ", "let us use ",
        "we will use ", "we'll use ", "from now on", "기로 했", "기로 하자", "기로 정했", "로 결정", "으로 정했",
        "결정:", "쪽으로 정했", "기로 합의",
    ),
    OPEN: (
        "todo", "still need", "still has to", "still have to", "remaining:", "blocked by", "blocked on", "waiting for",
        "next step", "open question", "not done yet", "남은 일", "남았", "아직 ", "막혀 있", "막혔", "기다리는 중",
        "할 일", "해야 한다", "해야 합니다",
    ),
}  # fmt: skip
LONGEST = 300  # characters of a sentence that is told
_READ = 4_000  # characters of a turn


def telling(text: str) -> list[tuple[str, str]]:
    """Sentences with what each is (decided, open), in the order of the text; questions and long ones left out."""
    found = []
    for sentence in _sentences(text[:_READ]):
        folded = sentence.casefold()
        if len(sentence) > LONGEST or folded.endswith(("?", "까", "까요", "나요")) or folded.startswith("if "):
            continue
        kind = next((kind for kind, cues in _CUES.items() if any(cue in folded for cue in cues)), "")
        if kind:
            found.append((kind, sentence))
    return found


def _sentences(text: str) -> list[str]:
    found = []
    for line in text.split("\n"):
        start = 0
        for at, letter in enumerate(line):
            if letter in ".!?。！？" and line[at + 1 : at + 2] in ("", " "):
                found.append(line[start : at + 1].strip(" -*•>#"))
                start = at + 1
        found.append(line[start:].strip(" -*•>#"))
    return [sentence for sentence in found if sentence]
