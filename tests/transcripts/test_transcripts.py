"""Every console session in the documentation happens as it is written."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from transcripts import runner

ROOT = Path(__file__).parents[2]
UPDATE = os.environ.get("PITH_UPDATE_TRANSCRIPTS") == "1"  # read now: in a test, pith's variables are gone


def _files() -> list[Path]:
    found = [ROOT / "README.md", *ROOT.glob("docs/**/*.md"), *ROOT.glob("tests/transcripts/*.md")]
    return [path for path in found if any(runner.steps(path.read_text(encoding="utf-8")))]


@pytest.mark.parametrize("path", _files(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_console_session_happens_as_it_is_written(path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    place = runner.place_for(home, ROOT / "samples")
    text = path.read_text(encoding="utf-8")
    wrong = runner.replay(text, place)
    if wrong and UPDATE:
        path.write_text(runner.rewritten(text, wrong, place.citations), encoding="utf-8")
        pytest.fail(f"{path.name} was rewritten in {len(wrong)} places; read the difference, then run again.")
    assert not wrong, f"{path.name} tells another story.\n\n" + "\n\n".join(map(str, wrong))
