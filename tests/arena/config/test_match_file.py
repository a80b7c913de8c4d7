"""Match files: their values, and the report of all faults at once, each with its path and the nearest key."""

from importlib.resources import files
from pathlib import Path

import pytest

from gtp_variants import configs
from gtp_variants._version import __version__
from gtp_variants.arena.config import player_config, resolve
from gtp_variants.arena.config.match_config import MatchConfig, Sprt
from gtp_variants.arena.config.player_config import BotConfig, ProgramConfig, identity
from gtp_variants.errors import ConfigError
from gtp_variants.players.bot_description import BotDescription
from gtp_variants.players.clock import TimeControl
from gtp_variants.rules import parse

GOOD = """
arena: 1
players: {a: {command: bot:greedy}, b: {command: bot:uniform}}
defaults: {variant: "aleago:size=9"}
tournament: {type: playoff, pairs: 3}
"""


def faults(text: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        resolve.read(text)
    return list(caught.value.faults)


def read(text: str) -> MatchConfig:
    return resolve.read(text)


def test_smallest_match_file_is_read() -> None:
    config = resolve.read(GOOD, "first")
    (matchup,) = config.matchups
    assert (config.name, config.folder, config.concurrency) == ("first", Path("out/first"), 1)
    assert (matchup.id, matchup.names, matchup.pairs) == ("a-b", ("a", "b"), 3)
    assert matchup.game.spec.startswith("aleago:size=9,dice=1d4,")


@pytest.mark.parametrize("name", configs.names())
def test_built_in_configs_are_read(name: str) -> None:
    assert resolve.load(configs.path(name)).matchups


def test_missing_home_folder_is_reported_with_its_path() -> None:
    text = GOOD + 'openings: {file: "~nobodyhere/a.sgf"}\noutputs: {dir: "~nobodyhere/out"}\n'
    openings, outputs = sorted(faults(text))
    assert "openings.file: ~nobodyhere/a.sgf: there is no home folder for ~nobodyhere" in openings
    assert "outputs.dir: ~nobodyhere/out: there is no home folder for ~nobodyhere" in outputs


def test_all_faults_are_reported_at_once() -> None:
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
        "players.b.command: unknown bot 'gredy'",
        "players.d/e: 'd/e': expected letters",
        "players.d/e.command: unknown parameter 'x'",
        "defaults.options.dise: unknown option of aleago; did you mean dice?",
        "defaults.options.size: 99: expected 1 to 25",
        "defaults.move_limit: expected a whole number of 1 or more, not '1e3'",
        "defaults.on_move_limit: expected score, void or draw, not 'scores'; did you mean score?",
        "tournament.type: expected playoff, roundrobin, gauntlet, swiss, knockout, halving or tune, not 'playof'; did",
        "tournament.players[1]: no player is called 'bb'; did you mean b?",
        "tournament.pairs: expected a whole number of 1 or more, not '0'",
        "outputs.dirr: unknown key; did you mean dir?",
    ]:
        assert [fault for fault in found if fault.startswith(start)], f"{start}\n{found}"
    assert len(found) == 14


BEHIND = """arena: 1
plaers:
  a: {command: bot:gredy}
  b: {comand: bot:uniform, limts: {tme: 1s}}
defaults: {variant: "aleago:size=9", move_limt: 0}
tournement:
  type: playof
  pairs: 3
  players: [a, c]
outputs: {dir: out}
outputs: {sgf: maybe}
"""


def test_faults_below_a_misspelt_key_have_their_place(tmp_path: Path) -> None:
    file = tmp_path / "small.yaml"
    file.write_text(BEHIND)
    with pytest.raises(ConfigError) as caught:
        resolve.load(file)
    assert [fault.removeprefix(f"{file}:").partition(";")[0][:60] for fault in caught.value.faults] == [
        "2:1: plaers: unknown key",
        "3:16: players.a.command: unknown bot 'gredy', known: greedy m"[:60],
        "4:7: players.b.comand: unknown key",
        "4:28: players.b.limts: unknown key",
        "4:36: players.b.limits.tme: unknown key",
        "5:38: defaults.move_limt: unknown key",
        "5:49: defaults.move_limit: expected a whole number of 1 or mo"[:60],
        "6:1: tournement: unknown key",
        "7:9: tournament.type: expected playoff, roundrobin, gauntlet,"[:60],
        "9:16: tournament.players[1]: no player is called 'c'",
        "11:1: outputs: is given twice, on lines 10 and 11",
        "11:16: outputs.sgf: expected per-game, collection or none, no"[:60],
    ]


def test_invalid_yaml_is_reported_with_its_place(tmp_path: Path) -> None:
    file = tmp_path / "small.yaml"
    for text, place in (("a: [1\nb", "2:2: "), ("a: b\nc: \xff", "2:4: byte 8: not UTF-8")):
        file.write_bytes(text.encode("latin-1"))
        with pytest.raises(ConfigError) as caught:
            resolve.load(file)
        assert caught.value.faults[0].startswith(f"{file}:{place}"), caught.value.faults


def line(text: str) -> str:
    """Return `GOOD` with this line instead of the line that has the same key."""
    key = text.partition(":")[0]
    return "\n".join([each for each in GOOD.splitlines() if not each.startswith(key + ":")] + [text])


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("stop: {sprt: {elo0: 0}}", "stop.sprt.elo1: is missing; how much stronger"),
        ("stop: {sprt: {elo0: 5, elo1: 5}}", "stop.sprt.elo1: expected more than elo0, which is 5"),
        ("stop: {sprt: {elo1: 5, alpha: 0.7}}", "stop.sprt.alpha: expected a number between 0 and 0.5, not 0.7"),
        ("stop: {sprt: {elo1: 5, model: logistik}}", "did you mean logistic?"),
        ("stop: {sprt: {elo1: 5, players: [a, c]}}", "stop.sprt.players[1]: no player is called 'c'; known: a, b"),
        ("stop: {elo_error: -3}", "stop.elo_error: expected a number above 0, not -3"),
        ("openings: {plies: 3}", "openings.file: is missing"),
        ("openings: {file: x.sgf}", "openings.file: 'x.sgf' cannot be read"),
        ("executor: dusk", "executor: expected local, dask, dask:tls://HOST:PORT or dask:tcp://HOST:PORT, not 'dusk'"),
        ("outputs: {db: no}", "outputs.db: expected true or the name of a file"),
        ("outputs: {report: {format: [pdf]}}", "outputs.report.format[0]: expected text, json or html, not 'pdf'"),
        (
            "players: {a: {command: bot:mcts:level=3,resign=false}, b: {command: bot:uniform}}",
            "players.a.command: ends before 'resign=false'; quote a command that has commas",
        ),
        ("players: {a: {command: []}, b: {command: bot:uniform}}", "players.a.command: expected a program"),
        ('players: {a: {command: "x \'"}, b: {command: bot:uniform}}', "players.a.command: cannot be read: No closing"),
        (
            "players: {a: {command: bot:greedy, cwd: /}, b: {command: bot:uniform}}",
            "players.a.cwd: belongs to programs",
        ),
        ("players: {a: {command: x, cwd: /no}, b: {command: bot:uniform}}", "players.a.cwd: there is no folder /no"),
        ("players: {a: {command: x, restart: maybe}, b: {command: bot:uniform}}", "players.a.restart: expected game"),
        (
            "players: {a: {command: x, limits: {tme: 1s}}, b: {command: bot:uniform}}",
            "limits.tme: unknown key; did you",
        ),
        ("defaults: {variant: go, limits: {time: 30}}", "defaults.limits.time: expected none, or a time such as 10m"),
        ("defaults: {variant: go, handicap: 99}", "defaults.handicap: go on this board has no handicap of 99 stones"),
        ("defaults: {variant: pentalath, handicap: 2}", "defaults.handicap: pentalath on this board has no handicap"),
        ("defaults: {variant: go, illegal: warn}", "defaults.illegal: expected loss, not 'warn'"),
        (
            "defaults: {variant: go, score: players}",
            "defaults.score: expected referee, not 'players': the rules count",
        ),
        ("defaults: {variant: go, on_crash: replay:x}", "defaults.on_crash: expected loss, replay:N or stop"),
        ("defaults: {variant: go, tiebreak: black_moves}", "defaults.tiebreak: applies only to a match of two games"),
        ("tournament: {type: gauntlet, pairs: 3}", "tournament.seeds: is missing"),
        (
            "tournament: {type: gauntlet, pairs: 3, seeds: [a, b]}",
            "tournament.players: expected players besides the seeds",
        ),
        ("tournament: {type: swiss, pairs: 3}", "tournament.rounds: is missing; 2 players can meet in up to 1 rounds"),
        ("tournament: {type: swiss, rounds: 2}", "tournament.rounds: expected at most 1"),
        ("tournament: {type: playoff, pairs: 3, rounds: 2}", "tournament.rounds: belongs to a swiss, not to a playoff"),
        ("defaults: {variant: 'aleago:size=99,dise=1', komi: yes}", "defaults.variant: size=99: expected 1 to 25"),
        ("defaults: {variant: 'aleago:size=99,dise=1', komi: yes}", "defaults.variant: 'dise': unknown option"),
        ("defaults: {variant: 'aleago:size=99,dise=1', komi: yes}", "defaults.options.komi: yes: expected a number"),
        (
            'defaults: {variant: "pentalath:players=3"}',
            "tournament.players: expected at least 3 players, as this game is for 3",
        ),
    ],
)
def test_fault_is_reported_with_its_path(text: str, fault: str) -> None:
    found = faults(line(text))
    assert any(fault in each for each in found), found


def test_programs_have_their_keys_and_limits() -> None:
    config = read("""
        arena: 1
        players:
          gnugo:
            command: "gnugo --mode gtp --seed {seed} --name 'a b'"
            env: {OMP_NUM_THREADS: 1, DEBUG: no}
            startup: komi 7.5
            restart: never
            limits: {time: 30s+1s, margin: 250ms}
            stderr: discard
            aliases: {cputime: gomill-cpu_time}
            threads: 2
          mine: {command: [python3, -m, mine]}
          ours: {command: "bot:mcts:playouts=3", limits: {time: 10:00}}
        defaults: {variant: go, limits: {time: 1m+5x30s, startup: 5s, command: 2m}}
        tournament: {type: roundrobin, pairs: 1}
        """)
    gnugo, mine, ours = (config.players[name] for name in ("gnugo", "mine", "ours"))
    assert isinstance(gnugo, ProgramConfig)
    assert gnugo.command == ("gnugo", "--mode", "gtp", "--seed", "{seed}", "--name", "a b")
    assert (gnugo.env, gnugo.startup) == ({"OMP_NUM_THREADS": "1", "DEBUG": "no"}, ("komi 7.5",))
    assert (gnugo.restart, gnugo.stderr, gnugo.threads) == ("never", "discard", 2)
    assert gnugo.limits.control == TimeControl("fischer", 30, increment_s=1)
    assert (gnugo.limits.margin_s, gnugo.limits.startup_s, gnugo.limits.command_s) == (0.25, 5, 120)
    assert isinstance(mine, ProgramConfig)
    assert mine.command == ("python3", "-m", "mine")
    assert mine.limits.control == TimeControl("byoyomi", 60, period_s=30, periods=5)
    assert isinstance(ours, BotConfig)
    assert (ours.bot, ours.limits.control) == ("mcts:playouts=3", TimeControl("absolute", 600))


def test_sprt_is_about_the_only_two_players_by_default() -> None:
    config = read(line("stop: {sprt: {elo1: 20, alpha: .1}, games: 400}"))
    assert config.stops.sprt == Sprt(("a", "b"), 0, 20, 0.1)
    assert config.stops.games == 400


def test_yaml_values_are_read_as_they_are_written() -> None:
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


def test_repeated_keys_are_reported_with_other_faults() -> None:
    text = """arena: 1
players:
  a: {command: bot:greedy}
  b: {command: bot:gredy,
    command: bot:gredy}
  a: {command: bot:uniform}
defaults: &base {variant: aleago, move_limit: 0}
defaults: {<<: *base, <<: *base}
tournament: {type: playoff, matchups: [{players: [a, b], pairs: 1, pairs: 2, pair: 3}]}
"""
    found = faults(text)
    assert found[:5] == [
        "players.b.command: is given twice, on lines 4 and 5",
        "players.a: is given twice, on lines 3 and 6",
        "defaults: is given twice, on lines 7 and 8",
        "defaults.<<: is given twice, on line 8",
        "tournament.matchups[0].pairs: is given twice, on line 9",
    ]
    for start in ["players.b.command: unknown bot", "defaults.move_limit: ", "tournament.matchups[0].pair: unknown"]:
        assert [fault for fault in found if fault.startswith(start)], found


def test_key_over_a_merged_one_is_not_repeated() -> None:
    read(GOOD + "concurrency: 1\n" + "outputs: {<<: {sgf: none}, sgf: per-game}\n")


def test_anchors_and_merge_keys_are_read() -> None:
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
def test_text_that_is_no_match_file_is_rejected(text: str) -> None:
    assert faults(text)


def test_round_robin_pairs_all_players_once() -> None:
    config = read(GOOD.replace("playoff", "roundrobin").replace("{a:", "{c: {command: bot:greedy}, a:"))
    assert [matchup.names for matchup in config.matchups] == [("c", "a"), ("c", "b"), ("a", "b")]


def test_game_without_score_is_void_at_the_move_limit() -> None:
    text = GOOD.replace("aleago:size=9", "pentalath")
    assert read(text).matchups[0].game.on_move_limit == "void"
    (fault,) = faults(text.replace('pentalath"', 'pentalath", on_move_limit: score'))
    assert fault == "defaults.on_move_limit: pentalath has no score; expected void or draw"


def test_tries_are_limited_only_when_configured() -> None:
    config = read(GOOD)
    assert config.matchups[0].game.try_limit is None
    assert "try_limit" not in config.settings(config.matchups[0])
    text = GOOD.replace('"aleago:size=9"', '"phantom:size=9", try_limit: 100')
    assert text != GOOD
    config = read(text)
    assert config.matchups[0].game.try_limit == config.settings(config.matchups[0])["try_limit"] == 100
    assert read(text.replace("100", "none")).matchups[0].game.try_limit is None
    (fault,) = faults(text.replace("100", "0"))
    assert fault == "defaults.try_limit: expected a whole number of 1 or more, not '0'"


def test_named_rules_are_read_like_other_options() -> None:
    for variant in ('"phantom:size=9,rules=olympiad"', '"phantom:size=9", options: {rules: olympiad}'):
        config = read(GOOD.replace('"aleago:size=9"', variant))
        assert parse(config.matchups[0].game.spec) == parse("phantom:rules=olympiad")
    (fault,) = faults(GOOD.replace('"aleago:size=9"', '"phantom", options: {rules: club}'))
    assert fault == (
        "defaults.options.rules: club: expected olympiad, openspiel, japanese, korean, chinese, chinese-ogs, "
        "chinese-kgs, aga, bga, aga-button or french"
    )


def test_built_in_bot_changes_identity_with_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    player = BotConfig("a", "greedy")
    before = identity(player)["version"]
    changed = tmp_path / "greedy.py"
    changed.write_text("another")
    monkeypatch.setattr(player_config, "describe", lambda name: BotDescription((), True, 1, changed))
    assert before.startswith(f"gtp-variants {__version__} sha256:")
    assert identity(player)["version"] != before


def test_bot_is_identified_by_the_content_of_its_files(tmp_path: Path) -> None:
    found = []
    weights = files("gtp_variants.ai.nets") / "weights"
    for folder, game in (("here", "go"), ("there", "go"), ("there", "aleago")):
        file = tmp_path / folder / "mine.safetensors"
        file.parent.mkdir(exist_ok=True)
        file.write_bytes((weights / f"{game}.safetensors").read_bytes())
        found.append(identity(BotConfig("a", f"mcts:playouts=5,net={file}")))
    here, there, other = found
    assert here == there != other
    assert here["bot"] == "mcts:playouts=5,net=mine.safetensors"
    assert "files" not in identity(BotConfig("a", "mcts:playouts=5"))


def test_bot_file_is_relative_to_the_match_and_part_of_its_settings(tmp_path: Path) -> None:
    bot = tmp_path / "mine.py"
    bot.write_text("import gtp_variants as gv\nclass Mine(gv.Seat):\n    pass\n")
    file = tmp_path / "match.yaml"
    file.write_text(GOOD.replace("bot:greedy", "bot:mine.py:Mine"))
    config = resolve.load(file)
    before = config.settings(config.matchups[0])
    bot.write_text(bot.read_text() + "# changed\n")
    assert config.settings(config.matchups[0]) != before
    assert str(tmp_path) not in str(before)


def test_report_every_accepts_zero_but_no_negative_number() -> None:
    config = read(GOOD + "outputs: {report: {every: 0}}\n")
    assert config.outputs.report.every == 0
    assert faults(GOOD + "outputs: {report: {every: -1}}\n") == [
        "outputs.report.every: expected a whole number of 0 or more, not '-1'"
    ]


def test_player_without_a_block_is_reported_without_a_command() -> None:
    text = GOOD.replace("playoff", "roundrobin").replace("{a:", "{d: , a:")
    assert faults(text) == ["players.d.command: is missing"]
