"""States of a vector job, what may go wrong with one, and when it is tried again."""

from __future__ import annotations

import itertools

import pytest

from pith.domain import outbox
from pith.domain.outbox import InvalidTransition, Permanent, Retryable, RetryPolicy


def test_V03_a_job_moves_only_along_the_six_moves():
    legal = {
        ("pending", "processing"), ("processing", "done"), ("processing", "failed"), ("processing", "pending"),
        ("failed", "pending"), ("done", "pending"),
    }  # fmt: skip
    for before, after in itertools.product(outbox.STATES, repeat=2):
        if (before, after) in legal:
            outbox.check_move(before, after)
        else:
            with pytest.raises(InvalidTransition, match=f"from {before} to {after}"):
                outbox.check_move(before, after)


def test_V08_three_tries_more_wait_1_5_and_30_seconds():
    policy = RetryPolicy()
    assert [policy.may_retry(count, outbox.RETRYABLE) for count in range(5)] == [True, True, True, False, False]
    assert [policy.wait(count) for count in range(4)] == [1, 5, 30, 30]


def test_V08_what_a_provider_asks_for_wins_and_the_policy_can_be_set():
    assert RetryPolicy().wait(0, retry_after=60) == 60
    policy = RetryPolicy(1, (2.5,))
    assert (policy.may_retry(0, outbox.RETRYABLE), policy.may_retry(1, outbox.RETRYABLE)) == (True, False)
    assert policy.wait(0) == policy.wait(7) == 2.5


def test_V08_permanent_errors_are_classes_of_their_own_and_never_tried_again():
    assert outbox.kind_of(Permanent("The text is too long.")) == outbox.kind_of(ValueError("NaN")) == "permanent"
    assert outbox.kind_of(Retryable("Busy.", retry_after=3)) == outbox.kind_of(OSError("reset")) == "retryable"
    assert not RetryPolicy().may_retry(0, outbox.PERMANENT)
