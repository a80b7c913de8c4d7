"""Cheating bots: attempts to learn secrets of a match or to change it."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import gtp_variants as gv
from gtp_variants.arena.config import resolve
from gtp_variants.arena.config.match_config import GameSettings
from gtp_variants.arena.config.player_config import BotConfig
from gtp_variants.arena.run.worker import Worker
from gtp_variants.arena.schedule import Fixture, derive, units
from gtp_variants.arena.store import MatchStore
from gtp_variants.records.sgf.games import from_sgf
from gtp_variants.rules import parse
from tests.arena import matches

pytestmark = pytest.mark.usefixtures("in_one_process")

# Writes the throws of a game into a file, and predicts the next game's throws from them.
REMEMBERS = """
import json
import sys
from pathlib import Path
import gtp_variants as gv

FILE = Path(__file__).with_name("memory.json")

class Remembers(gv.Seat):
    def sit(self, rules, colour, seed):
        super().sit(rules, colour, seed)
        self.memory = json.loads(FILE.read_text()) if FILE.exists() else {}
        self.guesses, self.draws = [], {}

    def choose(self, view, clock):
        turn, draw = str(view.position.turn), view.position.draws[0]
        if turn in self.memory:
            self.guesses.append(self.memory[turn] == draw)
        self.draws[turn] = draw
        return super().choose(view, clock)

    def leave(self, outcome):
        now = json.loads(FILE.read_text()) if FILE.exists() else {"guesses": []}
        FILE.write_text(json.dumps({**now, **self.draws, "guesses": now["guesses"] + self.guesses}))
"""


@pytest.mark.long
@pytest.mark.parametrize("dice", [None, "own", "shared"])
def test_first_game_reveals_the_dice_of_the_second_only_when_shared(tmp_path: Path, dice: str | None) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(REMEMBERS)
    guesses = []
    for seed in range(4):
        players = dict.fromkeys(("one", "two"), f"bot:{bot}:Remembers")
        gv.match("aleago:size=7,dice=1d4", players, pairs=1, seed=seed, dice=dice)
        memory = tmp_path / "memory.json"
        guesses += json.loads(memory.read_text())["guesses"]
        memory.unlink()
    assert len(guesses) > 100
    if dice == "shared":
        assert all(guesses)
    else:
        # A quarter is right by chance; this limit is six standard deviations higher.
        assert sum(guesses) / len(guesses) < 0.25 + 6 * (3 / 16 / len(guesses)) ** 0.5


# Replaces the news filter in its rules, and looks for other rules in everything else that it gets.
LISTENS = """
from pathlib import Path
import gtp_variants as gv

class Listens(gv.Seat):
    def sit(self, rules, colour, seed):
        super().sit(rules, colour, seed)
        self.bug(rules)

    def bug(self, rules):
        true = type(rules).hears
        def hears(before, event, after, colour):
            with Path(__file__).with_name("heard").open("a") as file:
                file.write(f"{after.stones}\\n")
            return true(rules, before, event, after, colour)
        rules.__dict__["hears"] = hears

    def choose(self, view, clock):
        for each in getattr(view.choices, "args", ()):
            if hasattr(each, "hears"):
                self.bug(each)
        return super().choose(view, clock)
"""
# Changes the komi in its rules, and gives itself more time.
CHANGES = """
import gtp_variants as gv

class Changes(gv.Seat):
    def sit(self, rules, colour, seed):
        super().sit(rules, colour, seed)
        rules.__dict__["komi"] = -1000 if colour == 1 else 1000

    def choose(self, view, clock):
        for each in getattr(view.choices, "args", ()):
            if hasattr(each, "komi"):
                each.__dict__["komi"] = self.rules.komi
        object.__setattr__(clock, "left_s", 1e9)
        object.__setattr__(clock.control, "main_s", 1e9)
        return super().choose(view, clock)

    def leave(self, outcome):
        object.__setattr__(outcome, "winner", self.colour)
"""
# Finds the referee on the stack; only running the bot in its own process would prevent that.
LOOKS_UP = """
import sys
import gtp_variants as gv

class LooksUp(gv.Seat):
    def choose(self, view, clock):
        frame = sys._getframe()
        while frame is not None:
            table = frame.f_locals.get("table")
            if table is not None and hasattr(table, "game"):
                {attack}
            frame = frame.f_back
        return super().choose(view, clock)
"""


@pytest.mark.parametrize("spec", ["phantom:size=5", "go:size=5"])
def test_changed_rules_reveal_nothing_to_a_player(tmp_path: Path, spec: str) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(LISTENS)
    found = gv.match(spec, {"spy": f"bot:{bot}:Listens", "uniform": "bot:uniform"}, pairs=1, seed=1)
    assert all(game.kind == "played" and not game.failures for game in found.games)
    assert not (tmp_path / "heard").exists()


@pytest.mark.parametrize("spec", ["aleago:size=5,dice=1d2", "go:size=5", "phantom:size=5"])
def test_players_change_only_their_copies_of_rules_clock_and_outcome(tmp_path: Path, spec: str) -> None:
    (tmp_path / "cheat.py").write_text(CHANGES)
    honest, found = (
        gv.match(spec, {"cheat": f"bot:{bot}", "uniform": "bot:uniform"}, pairs=1, seed=1)
        for bot in ("uniform", tmp_path / "cheat.py")
    )
    assert [(game.result, game.fingerprint, game.kind) for game in found.games] == [
        (game.result, game.fingerprint, "played") for game in honest.games
    ]


ATTACKS = [
    ("table.game.rules.__dict__['komi'] = -1000", "the result is "),
    ("object.__setattr__(table.position, 'turn', table.position.turn + 2)", "event "),
    ("object.__setattr__(table.position, 'taken', (0, 9, 9, 9))", "the events lead to another position"),
]
WHY = "the referee's game is not what fresh rules make of its events: "


@pytest.mark.parametrize(("attack", "why"), ATTACKS)
def test_bot_loses_when_it_changes_the_referee_in_its_process(tmp_path: Path, attack: str, why: str) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(LOOKS_UP.format(attack=attack))
    players = {"cheat": f"bot:{bot}:LooksUp", "uniform": "bot:uniform"}
    found = gv.match("aleago:size=5,dice=1d2", players, pairs=1, seed=1, trusted=["cheat"])
    assert [(game.status, game.result, game.winner) for game in found.games] == [
        ("forfeit:tampering", "W+F", "uniform"),
        ("forfeit:tampering", "B+F", "uniform"),
    ]
    for game in found.games:
        assert game.why.startswith(WHY + why)
        assert game.why.endswith("; in its process: cheat")
        assert f"Forfeit: {game.id}: {game.why}" in str(found)
    assert "failures: cheat 2 tampering" in str(found)


def test_game_is_void_when_two_bots_could_have_changed_the_referee(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(LOOKS_UP.format(attack=ATTACKS[0][0]))
    players = dict.fromkeys(("cheat", "other"), f"bot:{bot}:LooksUp")
    found = gv.match("go:size=5", players, pairs=1, seed=1, trusted=list(players))
    assert [(game.kind, game.result, game.winner, game.failures) for game in found.games] == [
        ("void", "void", None, ())
    ] * 2
    for game in found.games:
        assert f"Void: {game.id}: {game.why}" in str(found)
        assert game.why.endswith("; in its process: cheat and other") or "other and cheat" in game.why
    assert "move limit" not in str(found)


@pytest.mark.slow
@pytest.mark.parametrize("attack", [attack for attack, _ in ATTACKS])
def test_isolated_bot_cannot_find_the_referee(tmp_path: Path, attack: str) -> None:
    (tmp_path / "bot.py").write_text(LOOKS_UP.format(attack=attack))
    (tmp_path / "honest.py").write_text("import gtp_variants as gv\n\nclass LooksUp(gv.Seat):\n    pass\n")
    honest, found = (
        gv.match("aleago:size=5,dice=1d2", {"cheat": f"bot:{file}", "uniform": "bot:uniform"}, pairs=1, seed=1)
        for file in (tmp_path / "honest.py", tmp_path / "bot.py")
    )
    assert [(game.fingerprint, game.result, game.kind) for game in found.games] == [
        (game.fingerprint, game.result, "played") for game in honest.games
    ]
    assert "Processes: uniform in the referee's own process; every other player in a separate process" in str(found)
    assert [player["process"] for player in found.as_json()["players"]].count("own") == 1


def test_files_do_not_reveal_dice_without_a_seed(tmp_path: Path) -> None:
    def secrets_of(seed: int | None, name: str) -> list[bytes]:
        gv.match("aleago:size=5,dice=1d2", ["uniform", "greedy"], pairs=2, seed=seed, store=tmp_path / name)
        with MatchStore(tmp_path / name) as store:
            keys = [str(seed), store.seed(), *(str(each["seed"]) for each in store.settings().values())]
            found = {id: from_sgf(store.record(id)).secret or b"" for id in store.rows()}
        derived = {derive(key, "dice", id) for key in keys for id in found}
        return [secret for secret in found.values() if secret in derived]

    assert secrets_of(None, "fresh.db") == []
    # With a seed, anybody who knows it can repeat the match.
    assert len(secrets_of(1, "given.db")) == 4


@pytest.mark.slow
@pytest.mark.parametrize("has_fresh_seed", [True, False])
def test_replayed_game_has_other_dice(tmp_path: Path, has_fresh_seed: bool) -> None:
    (tmp_path / "breaks.py").write_text(
        "import gtp_variants as gv\nfrom pathlib import Path\n"
        "class Breaks(gv.Seat):\n"
        "    def choose(self, view, clock):\n"
        "        with Path(__file__).with_name('seen').open('a') as file:\n"
        "            print(view.turn, view.position.draws[0], file=file)\n"
        "        if view.turn > 20: raise KeyError\n"
        "        return super().choose(view, clock)\n"
    )
    players = BotConfig("bad", str(tmp_path / "breaks.py")), BotConfig("good", "uniform")
    game = GameSettings(parse("aleago:size=9,dice=1d6").spec, replays=2)
    worker = Worker(tmp_path / "logs")
    try:
        row = worker.play(Fixture("m", 1, "a", "seed", players, game, has_fresh_seed=has_fresh_seed)).row
    finally:
        worker.close()
    assert [failure[:2] for failure in row.failures] == [("bad", "crash")] * 3
    lines = (tmp_path / "seen").read_text().splitlines()
    attempts = [lines[:11], lines[11:22], lines[22:]]
    assert [line.split()[0] for line in attempts[0]] == [line.split()[0] for line in attempts[2]]
    assert len({tuple(attempt) for attempt in attempts}) == 3


# At each move, searches all files of the match for its opponent's answers.
READS_LOGS = """
from pathlib import Path
import gtp_variants as gv

class ReadsLogs(gv.Seat):
    parameters = {"folder": str}
    def choose(self, view, clock):
        said = [file.read_text(errors="replace") for file in Path(self.folder).rglob("*") if file.is_file()]
        if any("genmove" in text for text in said if "SQLite" not in text):
            Path(__file__).with_name("found").touch()
        return super().choose(view, clock)
"""


@pytest.mark.slow
def test_program_logs_are_written_only_after_the_game(tmp_path: Path) -> None:
    (tmp_path / "reads.py").write_text(READS_LOGS)
    engine = f"{sys.executable} -m gtp_variants gtp --bot uniform"
    file = matches.write_match(
        tmp_path,
        {"cheat": f"bot:{tmp_path / 'reads.py'}:ReadsLogs:folder={tmp_path / 'out'}", "engine": engine},
        1,
        spec="phantom:size=5",
        outputs=f"dir: {tmp_path / 'out'}, gtp_log: always",
    )
    assert matches.run(str(file), "--quiet", "--max-games", "1") == matches.COMPLETE
    assert not (tmp_path / "found").exists()
    (talk,) = (tmp_path / "out" / "logs").rglob("engine-w.gtp")
    assert "genmove" in talk.read_text()


def test_runner_does_not_know_the_dice_of_games_in_progress(here: Path) -> None:
    config = resolve.load(matches.write_match(here, pairs=1, more=""))
    fresh = replace(config, seed="known", has_fresh_seeds=True)
    assert [fixture.seed for unit in units(fresh, {}) for fixture in unit.fixtures(fresh)] == ["", ""]
