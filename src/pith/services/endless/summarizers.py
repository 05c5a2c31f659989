"""Who puts groups of events into words here: rules always; a model where one was switched on, within its budget."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from pith.domain import secrets
from pith.domain.context import without_own
from pith.domain.ports import Summarizer
from pith.domain.summarising import Extractive, Material, Sentence, fitted
from pith.errors import PithError
from pith.services.config import Settings
from pith.services.knowledge.extractors import DailyBudget
from pith.store.database import Db

LONGEST = 300  # characters of one sentence of a model
SWITCH = "endless.consolidation.useLLMSummarization"


@dataclass
class Told:
    """A summary before it is written: its sentences and whose they are."""

    sentences: list[Sentence]
    summarizer: str
    version: str


@dataclass
class Writers:
    """The summarizers in the order in which they are asked; one that cannot answer is asked no more in this run."""

    asked: list[Summarizer] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def tell(self, events: Sequence[Material], topics: Collection[str]) -> Told:
        """The sentences of the first that tells any of these events; rules tell what a model cannot."""
        for one in list(self.asked):
            try:
                sentences = sound(one.summarise(events, topics), events)
            except PithError as error:
                self.problems.append(f"{one.name}: {error}")
                self.asked.remove(one)
                continue
            if sentences:
                return Told(sentences, one.name, one.version)
        rules = Extractive()
        return Told(rules.summarise(events, topics), rules.name, rules.version)


def chosen(db: Db, settings: Settings) -> Writers:
    """The summarizers of a project."""
    if not settings.get(SWITCH):
        return Writers()
    from pith.adapters.summarizer_http import HttpSummarizer

    key = os.environ.get(str(settings.get("extract.model.keyVariable")), "")
    budget = DailyBudget(db, int(settings.get("extract.model.dailyTokens")))
    url, name = str(settings.get("extract.model.url")), str(settings.get("extract.model.name"))
    try:
        return Writers([HttpSummarizer(url, name, budget, key)])
    except PithError as error:
        return Writers(problems=[str(error)])


def sound(sentences: Sequence[Sentence], events: Sequence[Material]) -> list[Sentence]:
    """What a summarizer said, as far as it cites events that it was given: masked, on one line, within the limit."""
    known = {event.id for event in events}
    found: dict[str, Sentence] = {}
    for one in sentences:
        text = " ".join(secrets.mask(secrets.without_private(without_own(one.text))[0])[0].split())[:LONGEST]
        text = text.replace("[mem:", "(mem:")  # a citation is ours to give
        if text and one.event in known:
            found.setdefault(text.casefold(), Sentence(text, one.event))
    return fitted(found.values())
