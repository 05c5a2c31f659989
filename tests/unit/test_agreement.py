"""When two statements say the same, are at odds, or have nothing to do with each other."""

from __future__ import annotations

import pytest

from pith.domain.agreement import APART, AT_ODDS, SAME, compare


@pytest.mark.parametrize(
    ("older", "newer", "stand"),
    [
        ("Backups are kept for 5 years.", "backups are kept for 5 years", SAME),
        ("Backups are kept for 5 years.", "Backups are kept for 6 years.", AT_ODDS),
        ("백업은 5년 보관한다.", "백업은 6년 보관한다.", AT_ODDS),
        ("The worker retries three times.", "The worker retries five times.", AT_ODDS),
        ("Backups are kept for 5 years.", "Logs are kept for 6 years.", APART),
        ("Production runs on PostgreSQL 15.", "Staging runs on PostgreSQL 14.", APART),
        ("운영 서버는 PostgreSQL 15를 쓴다.", "스테이징 서버는 PostgreSQL 14를 쓴다.", APART),
        ("The orders API supports paging.", "The orders API does not support refunds.", APART),
    ],
)
def test_statements_are_at_odds_only_where_one_says_all_that_the_other_says(older, newer, stand):
    assert compare(older, newer) == stand


@pytest.mark.parametrize(
    ("older", "newer", "stand"),
    [
        ("Let's use a token bucket for mail.", "We use a leaky bucket instead of a token bucket.", AT_ODDS),
        ("큐는 Redis를 쓰기로 했다.", "큐는 Redis 대신 RabbitMQ를 쓰기로 했다.", AT_ODDS),
        ("We decided to use Redis for the queue.", "We decided not to use Redis for the queue.", AT_ODDS),
        ("Use a token bucket, not a fixed window.", "We chose a table instead of a fixed window.", APART),
        ("We decided to use Redis for the queue.", "We decided to use PostgreSQL for orders.", APART),
    ],
)
def test_a_later_decision_replaces_what_it_rules_out(older, newer, stand):
    assert compare(older, newer, decides=True) == stand
