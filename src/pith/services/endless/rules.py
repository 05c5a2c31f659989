"""What the settings say of endless mode, in the units that it reckons in. On the hook's path."""

from __future__ import annotations

from pith.domain.endless import CANDIDATE_DAYS, DAY_MS, HOUR_MS, Triggers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pith.services.config import Settings

CANDIDATE_MS = CANDIDATE_DAYS * DAY_MS


class Rules:
    """The window, its size and floor; when consolidation is due; what is seamless; all times in milliseconds."""

    __slots__ = ("decay_hours", "floor", "most", "seamless", "triggers", "window_ms")

    def __init__(self, settings: Settings) -> None:
        get = settings.get
        self.window_ms = int(float(get("endless.workingSet.timeWindowHours")) * HOUR_MS)
        self.most = int(get("endless.workingSet.maxEvents"))
        self.floor = float(get("endless.workingSet.minRelevanceScore"))
        self.triggers = Triggers(
            int(get("endless.consolidation.triggerIntervalMs")),
            int(get("endless.consolidation.triggerEventCount")),
            int(get("endless.consolidation.triggerIdleMs")),
            int(get("endless.consolidation.minEvents")),
        )
        self.seamless = float(get("endless.continuity.minScoreForSeamless"))
        self.decay_hours = float(get("endless.continuity.topicDecayHours"))
