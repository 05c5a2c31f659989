"""The replaying of console sessions, tried on sessions that need no pith."""

from __future__ import annotations

from pathlib import Path

import pytest

from transcripts import runner

SESSION = """\
# A session

```console
$ echo one; echo two
one
two
$ mkdir 쿠폰함
$ cd 쿠폰함 && pwd
/home/me/shop/쿠폰함
$ git rev-parse --abbrev-ref HEAD
main
$ cat <<'END'
> 배송지 변경
> END
배송지 변경
```

Between the blocks the folder and the files stay.

```console
$ pwd
[..]/쿠폰함
$ seq 9
1
...
9
$ exit 3
[exit 3]
```

```console no-run
$ rm -rf /everything
```
"""


@pytest.fixture
def place(home: Path, tmp_path: Path) -> runner.Place:
    return runner.place_for(home, tmp_path / "no-samples")


def test_a_session_that_happens_as_written_has_no_mismatch(place):
    assert runner.replay(SESSION, place) == []


def test_a_block_marked_no_run_is_only_read():
    assert not any("everything" in step.command for step in runner.steps(SESSION))


@pytest.mark.parametrize(
    "written",
    ["```console\n$ echo one\ntwo\n```\n", "```console\n$ echo one\n```\n", "```console\n$ exit 2\n```\n",
     "```console\n$ seq 3\n1\n...\n2\n```\n", "```console\n$ echo one\none\n\n```\n"],
)  # fmt: skip
def test_a_session_that_happens_otherwise_is_told_with_its_line(place, written):
    (mismatch,) = runner.replay(written, place)
    assert str(mismatch).startswith("line 2: $ ")


def test_samples_stand_in_the_repository_and_git_does_not_see_them(home, tmp_path):
    samples = tmp_path / "samples"
    samples.mkdir()
    (samples / "a.jsonl").write_text("{}\n", encoding="utf-8")
    place = runner.place_for(home, samples)
    assert runner.replay("```console\n$ ls samples\na.jsonl\n$ git status --short\n```\n", place) == []


def test_a_citation_is_a_name_for_the_one_that_was_really_given(place):
    session = """\
```console
$ echo "[mem:abcdef] coupon"
[mem:k7q2mf] coupon
$ echo mem:k7q2mf shown
mem:k7q2mf shown
```
"""
    assert runner.replay(session, place) == []
    assert place.citations == {"mem:k7q2mf": "mem:abcdef"}


def test_one_citation_cannot_stand_for_two(place):
    session = "```console\n$ echo mem:aaaaaa mem:bbbbbb\nmem:k7q2mf mem:k7q2mf\n```\n"
    assert len(runner.replay(session, place)) == 1


def test_an_update_writes_what_happened_and_keeps_wildcards_that_fit(place):
    written = "Text.\n\n```console\n$ seq 3\n[..]1\n9\n$ echo left alone\nleft [..]\n```\nEnd.\n"
    wrong = runner.replay(written, place)
    updated = runner.rewritten(written, wrong, place.citations)
    assert updated == "Text.\n\n```console\n$ seq 3\n[..]1\n2\n3\n$ echo left alone\nleft [..]\n```\nEnd.\n"


def test_an_update_of_a_right_session_changes_nothing(place):
    assert runner.rewritten(SESSION, runner.replay(SESSION, place), place.citations) == SESSION
