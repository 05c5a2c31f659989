"""Repairs killed at every SQL statement and file change: made again, they leave nothing for the doctor to tell."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from crash.sweep import sweep
from pith.domain import words
from pith.domain.events import HOOK, PROMPT, Sighting
from pith.services import capture, spool
from pith.services.doctor import examination
from pith.services.doctor.patient import admit
from pith.services.workspace import open_workspace
from pith.store import search

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="children are forked")


@pytest.fixture(params=[False, pytest.param(True, marks=pytest.mark.long)], ids=["sample", "all"])
def every(request: pytest.FixtureRequest) -> bool:
    """A sample of the points every day, all of them in a long run."""
    return bool(request.param)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with three events; batches of one, so that there is a state between two."""
    folder = tmp_path / "쇼핑몰"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PATH", os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    monkeypatch.setattr(search, "_BATCH", 1)
    with open_workspace() as ws:
        for number, text in enumerate(("쿠폰함은 비어 있다", "The coupon box is empty.", "배송지 변경")):
            capture.keep(ws.db, said(text, number))
    return folder


def said(text: str, number: int) -> Sighting:
    at = f"2026-01-02T03:04:0{number}.000Z"
    return Sighting(PROMPT, "session-1", text, at, host="claude", channel=HOOK, record=f"record-{number}")


def codes() -> list[str]:
    with admit(deep=True) as patient:
        return [finding.code for finding in examination.examine(patient).findings]


def damage() -> None:
    """Words that are missing, a citation that is gone, an event that waits, a file that anybody may read."""
    with open_workspace() as ws:
        spool.put(ws.folder, [said("대기 중", 7)])
        search.remove(ws.db, 2, words.terms("The coupon box is empty."))
        ws.db.execute("DELETE FROM citations WHERE id = (SELECT min(id) FROM citations)")
        os.chmod(ws.db.path, 0o644)


def test_repairs_killed_anywhere_are_made_again_and_leave_nothing_to_tell(project, pith_home, every):
    damage()
    assert codes()

    def repair() -> None:
        examination.repair_all(["OPEN_TO_OTHERS", "SPOOL_WAITING", "CITATION_MISSING", "TEXT_DIFFERS"], deep=True)

    for number, step in sweep(repair, pith_home, every=every):
        examination.repair_all(examination.repairable(found()), deep=True)
        assert codes() == [], f"killed before step {number}: {step}"


def found() -> tuple[examination.Finding, ...]:
    with admit(deep=True) as patient:
        return examination.examine(patient).findings
