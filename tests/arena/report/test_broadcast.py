"""`match --watch`: games in progress on a page, and a match that has lost its server."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gtp_variants.cli import main
from gtp_variants.players.publisher import Address
from tests.site.page.serving import KEY, PATIENCE_S, Site, site

BOT = """\
import time

class Slow:
    def sit(self, rules, colour, seed): self.rules = rules
    def hear(self, news): pass
    def choose(self, view, clock):
        time.sleep(0.05)
        return next(p for p in self.rules.actions(view.position) if view.position.turn < 14 or p == -1)
    def leave(self, outcome): pass
"""
FILE = """\
arena: 1
name: evening
seed: x
concurrency: {jobs}
players: {{one: {{command: "bot:{bot}:Slow"}}, two: {{command: "bot:{bot}:Slow"}}}}
defaults: {{variant: "{spec}"}}
tournament: {{type: roundrobin, pairs: 2}}
outputs: {{dir: {folder}, report: {{format: [html]}}}}
"""


@pytest.fixture(scope="module")
def served() -> Iterator[Site]:
    with site() as running:
        yield running


def match_file(folder: Path, spec: str = "aleago:size=5,dice=1d3", jobs: int = 2) -> str:
    bot = folder / "slow.py"
    bot.write_text(BOT)
    file = folder / "match.yaml"
    file.write_text(FILE.format(bot=bot, spec=spec, folder=folder / "games", jobs=jobs))
    return str(file)


@pytest.mark.slow
def test_games_in_progress_are_on_the_page(served: Site, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = match_file(tmp_path)
    seen: dict[str, set[int]] = {}
    statuses: list[int] = []
    line = Address(served.base, KEY).line
    playing = threading.Thread(target=lambda: statuses.append(main(["match", file, "--watch", line])))
    playing.start()
    while playing.is_alive():
        for game in served.ask("/api/live").json["games"]:
            seen.setdefault(game["name"], set()).add(game["turn"])
        time.sleep(0.05)
    playing.join(PATIENCE_S)
    assert statuses == [0]
    assert {"one-two/0001a", "one-two/0001b"} <= set(seen)
    assert any(len(turns) > 1 for turns in seen.values())
    assert f"games are shown at {served.base}" in capfd.readouterr().err
    shown: list[Any] = served.ask("/api/live").json["games"]
    for game in shown:
        assert game["over"]
        assert game["source"] == "evening"
        record = served.ask(f"/api/games/{game['game']}/record.json").json
        kept = (tmp_path / "games" / f"{game['name']}.sgf").read_text()
        assert record["secret"] is None
        assert record["commitment"] in kept
        assert record["result"]


@pytest.mark.slow
def test_match_continues_with_one_warning_when_the_server_is_gone(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with site() as served:
        line = Address(served.base, KEY).line
    assert main(["match", match_file(tmp_path, "go:size=5"), "--quiet", "--watch", line]) == 0
    assert len(list((tmp_path / "games" / "one-two").glob("*.sgf"))) == 4
    assert capfd.readouterr().err.count("no server shows the games") == 1


def test_invalid_address_is_rejected(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["match", match_file(tmp_path), "--watch", "nowhere"]) == 2
    assert "expected an address" in capsys.readouterr().err


def test_watch_is_rejected_with_other_actions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["match", match_file(tmp_path), "show", "--watch", "nowhere"])
    assert "--watch is for run" in capsys.readouterr().err
