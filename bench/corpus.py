"""A made-up home of transcripts of any size: a third conversation, a third tool output, a third base64.

    python bench/corpus.py FOLDER MEGABYTES

writes one transcript of each host, half of the size each. The same size gives the same bytes.
"""

from __future__ import annotations

import base64
import json
import random
import sys
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

ENGLISH = (
    "the cart total is off by one won when two coupons meet rounding happens before shipping is added so move"
    " it into money.py and keep a regression test for order refunds retry the payment webhook only when its"
    " signature is valid otherwise log reject and alert we decided against a queue as one worker is enough"
).split()
KOREAN = (
    "장바구니 합계가 쿠폰을 두 장 쓰면 1원 틀립니다 배송비를 더하기 전에 반올림하도록"
    " 바꾸고 회귀 테스트를 남겨 주세요 환불 승인취소는 결제 웹훅에서 서명을 확인한"
    " 뒤에만 다시 시도하기로 결정했습니다 로그에 주문번호를 남기지 마세요"
).split()
PATHS = (
    "shop/cart/money.py",
    "shop/coupons/engine.py",
    "shop/refunds/views.py",
    "tests/test_cart.py",
    "docs/결제.md",
)


def write(folder: Path, megabytes: float, seed: int = 7, hosts: Sequence[str] = ("claude", "codex")) -> list[Path]:
    """Write the corpus as the homes `claude/` and `codex/`, or one of them, and return its files."""
    chance = random.Random(seed)
    claude = folder / "claude/projects/-home-me-shop" / f"{_id(chance)}.jsonl"
    codex = folder / "codex/sessions/2026/11/02" / f"rollout-2026-11-02T09-00-00-{_id(chance)}.jsonl"
    made = {"claude": (claude, _claude(chance, claude.stem)), "codex": (codex, _codex(chance, codex.stem[-36:]))}
    for path, records in (made[host] for host in hosts):
        path.parent.mkdir(parents=True, exist_ok=True)
        _fill(path, records, int(megabytes * 1_000_000 / len(hosts)))
    return [made[host][0] for host in hosts]


def _fill(path: Path, records: Iterator[dict[str, Any]], size: int) -> None:
    with path.open("wb") as file:
        while size > 0:
            line = json.dumps(next(records), ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
            size -= len(line)
            file.write(line)


def _id(chance: random.Random) -> str:
    return str(uuid.UUID(int=chance.getrandbits(128), version=4))


def _talk(chance: random.Random, words: int) -> str:
    return " ".join(chance.choices(ENGLISH if chance.random() < 0.5 else KOREAN, k=words))


def _exchange(chance: random.Random) -> tuple[str, str]:
    return _talk(chance, chance.choice((8, 20, 60))), _talk(chance, chance.choice((30, 120, 400)))


def _output(chance: random.Random) -> str:
    lines = chance.choice((8, 40, 40, 120, 600))
    return "\n".join(f"{chance.choice(PATHS)}:{n}: {_talk(chance, 8)}" for n in range(lines))


def _blob(chance: random.Random) -> str:
    return base64.b64encode(chance.randbytes(chance.choice((30_000, 90_000, 900_000)))).decode()


def _balanced(chance: random.Random, makers: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Contents of three sorts, always of the one that has the fewest bytes so far."""
    sizes = dict.fromkeys(makers, 0)
    while True:
        sort = min(sizes, key=lambda name: sizes[name])
        made = makers[sort](chance)
        sizes[sort] += len(json.dumps(made, ensure_ascii=False).encode()) + 400
        yield sort, made


def _moment(n: int) -> str:
    minutes, second = divmod(n, 60)
    hours, minute = divmod(minutes, 60)
    days, hour = divmod(hours, 24)
    day = f"2026-{1 + days // 28 % 12:02d}-{1 + days % 28:02d}"
    return f"{day}T{hour:02d}:{minute:02d}:{second:02d}.{n % 1000:03d}Z"


MAKERS = {
    "talk": lambda chance: (
        _talk(chance, chance.choice((8, 20, 60))),
        _talk(chance, chance.choice((30, 120, 400))),
    ),
    "output": _output,
    "blob": _blob,
}


def _claude(chance: random.Random, session: str) -> Iterator[dict[str, Any]]:
    n = 0

    def record(kind: str, content: Any, **more: Any) -> dict[str, Any]:
        nonlocal n
        n += 1
        return {
            "parentUuid": None,
            "isSidechain": False,
            "userType": "external",
            "cwd": "/home/me/shop",
            "sessionId": session,
            "version": "2.1.240",
            "gitBranch": "main",
            "type": kind,
            "message": {"role": kind, "content": content},
            "uuid": _id(chance),
            "timestamp": _moment(n),
            **more,
        }

    for sort, made in _balanced(chance, MAKERS):
        if sort == "talk":
            yield record("user", made[0], promptId=_id(chance), promptSource="typed")
            yield record("assistant", [{"type": "text", "text": made[1]}])
            yield {"type": "last-prompt", "lastPrompt": made[0][:40], "sessionId": session}
        elif sort == "output":
            call = f"toolu_{n}"
            asked = {"command": f"rg -n round {chance.choice(PATHS)}"}
            yield record("assistant", [{"type": "tool_use", "id": call, "name": "Bash", "input": asked}])
            result = {"type": "tool_result", "tool_use_id": call, "content": made[:2_000], "is_error": False}
            yield record("user", [result], toolUseResult={"stdout": made, "stderr": "", "interrupted": False})
        else:
            source = {"type": "base64", "media_type": "image/png", "data": made}
            yield record("user", [{"type": "image", "source": source}])


def _codex(chance: random.Random, session: str) -> Iterator[dict[str, Any]]:
    n = 0

    def line(kind: str, **payload: Any) -> dict[str, Any]:
        nonlocal n
        n += 1
        return {"timestamp": _moment(n), "type": kind, "payload": payload}

    meta = {"id": session, "timestamp": _moment(0), "cwd": "/home/me/shop", "source": "cli"}
    yield line("session_meta", **meta, git={"branch": "main", "commit_hash": "0" * 40})
    for sort, made in _balanced(chance, MAKERS):
        if sort == "talk":
            yield line("event_msg", type="task_started", turn_id=_id(chance))
            yield line("event_msg", type="user_message", message=made[0], images=[])
            yield line("event_msg", type="agent_message", message=made[1])
            said = [{"type": "output_text", "text": made[1]}]
            yield line("response_item", type="message", role="assistant", content=said)
            yield line("event_msg", type="token_count", info={"total_token_usage": {"input_tokens": n}})
        elif sort == "output":
            asked = json.dumps({"cmd": f"rg -n round {chance.choice(PATHS)}"})
            yield line("response_item", type="function_call", name="exec_command", arguments=asked, call_id=f"c{n}")
            told = f"Process exited with code 0\nOutput:\n{made}"
            yield line("response_item", type="function_call_output", call_id=f"c{n - 1}", output=told)
        elif chance.random() < 0.5:
            yield line("response_item", type="reasoning", summary=[], encrypted_content=made)
        else:
            shown = [{"type": "input_image", "image_url": f"data:image/png;base64,{made}"}]
            yield line("response_item", type="message", role="user", content=shown)


if __name__ == "__main__":
    for written in write(Path(sys.argv[1]), float(sys.argv[2])):
        print(f"{written} {written.stat().st_size:,} bytes")
