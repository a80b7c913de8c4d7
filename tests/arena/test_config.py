"""Match files: every fault at once with its path and nearest key; values mean what a person means."""

from pathlib import Path

import pytest

from gtp_variants import configs
from gtp_variants.arena import config as configuration
from gtp_variants.arena.config import LATER, MatchConfig
from gtp_variants.errors import ConfigError

GOOD = """
arena: 1
players: {a: {command: bot:greedy}, b: {command: bot:uniform}}
defaults: {variant: "aleago:size=9"}
tournament: {type: playoff, pairs: 3}
"""


def faults(text: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        configuration.read(text)
    return list(caught.value.faults)


def read(text: str) -> MatchConfig:
    return configuration.read(text)


def test_the_least_that_is_a_match() -> None:
    config = configuration.read(GOOD, "first")
    (matchup,) = config.matchups
    assert (config.name, config.folder, config.concurrency) == ("first", Path("out/first"), 1)
    assert (matchup.id, matchup.players, matchup.pairs) == ("a-b", ("a", "b"), 3)
    assert matchup.game.spec.startswith("aleago:size=9,dice=1d4,")


@pytest.mark.parametrize("name", configs.names())
def test_our_configs_are_matches(name: str) -> None:
    assert configuration.load(configs.path(name)).matchups


def test_every_fault_is_told_at_once() -> None:
    found = faults("""
        arena: 2
        nmae: x
        players:
          a: {comand: bot:greedy}
          b: {command: bot:gredy}
          d/e: {command: "bot:greedy:x=1"}
        defaults: {variant: aleago, options: {dise: 1d6, size: 99}, move_limit: 1e3, on_move_limit: scores}
        tournament: {type: playof, players: [a, bb], pairs: 0}
        outputs: {dirr: x}
        """)
    for start in [
        "arena: expected 1, not '2'",
        "nmae: unknown key; did you mean name?",
        "players.a.comand: unknown key; did you mean command?",
        "players.a.command: is missing",
        "players.b.command: unknown bot 'gredy'",
        "players.d/e: 'd/e': expected letters",
        "players.d/e.command: unknown parameter 'x'",
        "defaults.options.dise: unknown option of aleago; did you mean dice?",
        "defaults.options.size: 99: expected 1 to 25",
        "defaults.move_limit: expected a whole number of 1 or more, not '1e3'",
        "defaults.on_move_limit: expected score, void or draw, not 'scores'; did you mean score?",
        "tournament.type: expected playoff or roundrobin, not 'playof'; did you mean playoff?",
        "tournament.players[1]: no player is called 'bb'; did you mean b?",
        "tournament.pairs: expected a whole number of 1 or more, not '0'",
        "outputs.dirr: unknown key; did you mean dir?",
    ]:
        assert [fault for fault in found if fault.startswith(start)], f"{start}\n{found}"
    assert len(found) == 15


@pytest.mark.parametrize(
    ("line", "path"),
    [
        ("stop: {sprt: {elo0: 0}}", "stop"),
        ("openings: {file: x.sgf}", "openings"),
        ("executor: local", "executor"),
        ("outputs: {db: true}", "outputs.db"),
        ("players: {a: {command: gnugo --mode gtp}, b: {command: bot:uniform}}", "players.a.command"),
        ("players: {a: {command: [pachi]}, b: {command: bot:uniform}}", "players.a.command"),
        ("players: {a: {command: bot:greedy, threads: 2}, b: {command: bot:uniform}}", "players.a.threads"),
        ("defaults: {variant: go, limits: {time: 1m}}", "defaults.limits"),
        ("defaults: {variant: go, handicap: 2}", "defaults.handicap"),
        ("defaults: {variant: go, illegal: warn}", "defaults.illegal"),
        ("defaults: {variant: go, on_crash: stop}", "defaults.on_crash"),
        ("defaults: {variant: go, score: players}", "defaults.score"),
        ("tournament: {type: gauntlet, pairs: 3}", "tournament.type"),
        ('defaults: {variant: "pentalath:players=3"}', "defaults.variant"),
    ],
)
def test_what_this_version_cannot_do_is_refused_as_such(line: str, path: str) -> None:
    key = line.partition(":")[0]
    kept = "\n".join(each for each in GOOD.splitlines() if not each.startswith(key + ":"))
    (fault,) = faults(f"{kept}\n{line}\n")
    assert fault.startswith(path + ":")
    assert LATER in fault


def test_values_mean_what_a_person_means() -> None:
    config = read("""
        arena: 1
        name: 1.10
        seed: 10:00
        players: {no: {command: bot:greedy}, 007: {command: bot:uniform}}
        defaults: {variant: aleago, komi: 6.50, options: {agreement: no, star: yes}}
        tournament: {type: playoff, players: [no, 007], pairs: 3}
        """)
    assert (config.name, config.seed, list(config.players)) == ("1.10", "10:00", ["no", "007"])
    assert "agreement=false" in config.matchups[0].game.spec
    assert "star=true" in config.matchups[0].game.spec
    assert "komi=6.5," in config.matchups[0].game.spec


def test_keys_given_twice_are_all_named() -> None:
    assert faults("a: 1\nb: {c: 1,\n  c: 2}\na: 3\n") == [
        "line 4: 'a' is given twice, first on line 1",
        "line 3: 'c' is given twice, first on line 2",
    ]


def test_anchors_and_merge_keys_work() -> None:
    config = read("""
        arena: 1
        players: {a: {command: bot:greedy}, b: {command: bot:uniform}}
        defaults: &base {variant: go, move_limit: 50}
        tournament:
          type: playoff
          pairs: 2
          matchups:
            - {players: [a, b]}
            - {players: [a, b], pairs: 5, game: {<<: *base, move_limit: 60}}
            - {players: [b, a], game: {options: {size: 9}}}
        """)
    assert [(each.id, each.pairs, each.game.move_limit) for each in config.matchups] == [
        ("a-b", 2, 50),
        ("a-b-2", 5, 60),
        ("b-a", 2, 50),
    ]
    assert config.matchups[2].game.spec.startswith("go:size=9")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "3",
        "[a]",
        "a: [1\nb",
        "a: !!python/object:os.system x",
        "? [a]\n: 1",
        "\x00",
        "a: &a [*a]",
        "a: *b",
        "---\n---\n",
    ],
)
def test_what_is_no_match_file_is_a_fault(text: str) -> None:
    assert faults(text)


def test_a_round_robin_meets_everybody_once() -> None:
    config = read(GOOD.replace("playoff", "roundrobin").replace("{a:", "{c: {command: bot:greedy}, a:"))
    assert [matchup.players for matchup in config.matchups] == [("c", "a"), ("c", "b"), ("a", "b")]


def test_a_game_without_score_is_void_at_the_limit() -> None:
    text = GOOD.replace("aleago:size=9", "pentalath")
    assert read(text).matchups[0].game.on_move_limit == "void"
    (fault,) = faults(text.replace('pentalath"', 'pentalath", on_move_limit: score'))
    assert fault == "defaults.on_move_limit: pentalath has no score; expected void or draw"


def test_a_bot_in_a_file_is_sought_beside_the_match_and_belongs_to_its_settings(tmp_path: Path) -> None:
    bot = tmp_path / "mine.py"
    bot.write_text("import gtp_variants as gv\nclass Mine(gv.Seat):\n    pass\n")
    file = tmp_path / "match.yaml"
    file.write_text(GOOD.replace("bot:greedy", "bot:mine.py:Mine"))
    config = configuration.load(file)
    before = config.settings(config.matchups[0])
    bot.write_text(bot.read_text() + "# changed\n")
    assert config.settings(config.matchups[0]) != before
    assert str(tmp_path) not in str(before)
