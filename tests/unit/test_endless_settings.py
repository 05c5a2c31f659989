"""The settings of endless mode: every key of its source, defaults, ranges, and one word that decides."""

from __future__ import annotations

from pathlib import Path

import pytest

from pith.errors import SettingInvalid
from pith.services import config
from pith.services.config import ENVIRONMENT, HOME, PROJECT, Layer, Settings
from pith.services.settings import SETTINGS, named

SOURCE = {
    "mode": "session",
    "endless.enabled": False,
    "endless.workingSet.maxEvents": 100,
    "endless.workingSet.timeWindowHours": 24,
    "endless.workingSet.minRelevanceScore": 0.5,
    "endless.consolidation.triggerIntervalMs": 3_600_000,
    "endless.consolidation.triggerEventCount": 100,
    "endless.consolidation.triggerIdleMs": 1_800_000,
    "endless.consolidation.useLLMSummarization": False,
    "endless.continuity.minScoreForSeamless": 0.7,
    "endless.continuity.topicDecayHours": 48,
}


def test_M01_every_key_of_the_source_is_there_with_its_default():
    assert {name: SETTINGS[name].default for name in SOURCE} == SOURCE
    assert SETTINGS["endless.consolidation.minEvents"].default == 10


def test_M01_names_may_be_written_in_either_case():
    assert named("endless.consolidation.use_llm_summarization").name == "endless.consolidation.useLLMSummarization"
    assert named("endless.working_set.max_events") is SETTINGS["endless.workingSet.maxEvents"]
    assert SETTINGS["endless.consolidation.useLLMSummarization"].variable.endswith("USE_LLM_SUMMARIZATION")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("mode", "forever"),
        ("endless.enabled", "yes"),
        ("endless.workingSet.maxEvents", 0),
        ("endless.workingSet.minRelevanceScore", 1.5),
        ("endless.workingSet.timeWindowHours", 0),
        ("endless.consolidation.triggerEventCount", 2.5),
        ("endless.continuity.topicDecayHours", -1),
    ],
)
def test_M01_a_value_out_of_range_is_an_error_that_names_the_key(key, value):
    with pytest.raises(SettingInvalid, match=key.replace(".", r"\.")):
        named(key).check(value)


def test_M01_an_unknown_key_is_an_error_that_names_the_nearest():
    with pytest.raises(SettingInvalid, match=r"endless\.workingSet\.maxEvents"):
        named("endless.workingSet.maxEvent")


def _loaded(home: Path, text: str) -> Settings:
    home.mkdir(parents=True, exist_ok=True)
    (home / "config.toml").write_text(text, encoding="utf-8")
    return config.load(str(home))


@pytest.mark.parametrize("text", ['mode = "endless"', "[endless]\nenabled = true"])
def test_M01_mode_and_its_synonym_both_switch_on(pith_home, text):
    settings = _loaded(pith_home, text)
    assert settings.is_endless
    assert settings.problems == []


@pytest.mark.parametrize(
    ("text", "is_endless"),
    [
        ('mode = "endless"\n[endless]\nenabled = false', True),
        ('mode = "session"\n[endless]\nenabled = true', False),
    ],
)
def test_M01_a_contradiction_is_an_error_and_mode_decides(pith_home, text, is_endless):
    settings = _loaded(pith_home, text)
    assert settings.is_endless is is_endless
    [problem] = settings.problems
    assert "`endless.enabled`" in problem
    assert "`mode` decides" in problem


def test_M01_the_same_word_twice_is_no_contradiction(pith_home):
    assert _loaded(pith_home, 'mode = "endless"\n[endless]\nenabled = true').problems == []


def test_M01_the_stronger_source_decides_whichever_word_it_uses():
    weak = Layer(HOME, "", {"mode": "endless"}, [])
    strong = Layer(PROJECT, "", {"endless.enabled": False}, [])
    assert not Settings([strong, weak]).is_endless
    assert Settings([Layer(ENVIRONMENT, "", {"mode": "endless"}, []), strong]).is_endless
    assert not Settings([]).is_endless


def test_M01_a_contradiction_in_the_environment_is_told(pith_home, monkeypatch):
    monkeypatch.setenv("PITH_MODE", "session")
    monkeypatch.setenv("PITH_ENDLESS_ENABLED", "true")
    assert any("`mode` decides" in problem for problem in config.load(str(pith_home)).problems)


def test_M01_a_repository_cannot_switch_it_on(pith_home, tmp_path):
    shared = tmp_path / "root" / ".orange-hyper"
    shared.mkdir(parents=True)
    (shared / "config.json").write_text('{"pith": {"mode": "endless"}}', encoding="utf-8")
    settings = config.load(str(pith_home), None, str(tmp_path / "root"))
    assert not settings.is_endless
    assert any("`mode`" in problem for problem in settings.problems)
