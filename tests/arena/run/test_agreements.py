"""Agreements in a match: what programs are asked, when an agreement holds, and what is recorded."""

from typing import Any, cast

import pytest

from gtp_variants.arena.config.match_config import GameSettings
from gtp_variants.arena.run.referee import Referee, RefereeVerdict, _replay
from gtp_variants.gtp.client.player import GtpPlayer, MoveCommands
from gtp_variants.players import bots
from gtp_variants.players.agreements import Agreement
from gtp_variants.players.player import Player
from gtp_variants.players.table import Table
from gtp_variants.records.json import from_json, to_json
from gtp_variants.records.notation import read_move, write_game
from gtp_variants.records.record import Record, verify
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, RESUME, SET_DICE, TURN, WHITE, pack
from gtp_variants.rules.colour_names import read_colour
from gtp_variants.rules.dice import read_dice
from gtp_variants.rules.dice_stream import DiceStream
from gtp_variants.rules.views import News
from tests.gtp.client.sample_engine import InProcess, SampleEngine

SPEC = "aleago:size=5,dice=2d3"
# Black's wall on row 2 and White's on row 3 of five columns; White's stone on A1 is dead.
WALLS = "A2 A3 B2 B3 C2 C3 D2 D3 E2 E3 pass A1 pass pass".split()


class Negotiator(SampleEngine):
    """An engine that proposes a single die once it sees enough stones, and accepts or declines one."""

    def __init__(self, proposal: str = "", accepts: str = "", knows_dice: bool = True, game: str = "aleago") -> None:
        extra = ["variant-propose", "variant-accept", *["aleago-set_dice"] * knows_dice]
        super().__init__(game, "", *extra)
        self.proposal, self.accepts = proposal, accepts
        self.heard: list[str] = []

    def answer(self, command: str, *words: str) -> str:
        if command.startswith(("variant-propose", "variant-accept", "aleago")):
            self.heard.append(" ".join([command, *words]))
        if command == "variant-propose":
            return self.proposal if sum(map(bool, self.game.position.stones)) >= 4 else ""
        if command == "genmove" and self.game.rules.is_suspended(self.game.position):
            return "pass"
        if command == "variant-accept":
            return self.accepts
        if command == "aleago-set_dice":
            self.game.play(self.game.position.mover, pack(SET_DICE, read_dice(words[0]).code))
            return ""
        return super().answer(command, *words)


class Engines:
    """One engine in this process."""

    def __init__(self, engine: Negotiator) -> None:
        self.peer = InProcess(engine)

    def take(self, colour: int, seed: str) -> Any:
        return self.peer

    def give_back(self, *about: object) -> None:
        pass


def play(black: Negotiator | str, white: Negotiator | str) -> tuple[Table, RefereeVerdict]:
    def seat(player: Negotiator | str) -> Player:
        return bots.load(player) if isinstance(player, str) else GtpPlayer(cast("Any", Engines(player)))

    table = Table(parse(SPEC), lambda: DiceStream("secret"))
    players = {BLACK: seat(black), WHITE: seat(white)}
    return table, Referee(table, players, {BLACK: "1", WHITE: "2"}, GameSettings(table.rules.spec)).run()


def changes(table: Table) -> list[tuple[str, str]]:
    return [event for event in write_game(table.game) if event[1].startswith("set_dice")]


@pytest.mark.parametrize("white", [Negotiator(accepts="true"), "uniform"], ids=["program", "bot"])
def test_players_who_agree_throw_one_die_from_the_first_unseen_draw_on(white: Negotiator | str) -> None:
    black = Negotiator("set_dice 1d3")
    table, verdict = play(black, white)
    assert (verdict.kind, verdict.failures) == ("played", ())
    # Black had seen its own draw when it proposed; White's, the next one, is thrown with one die.
    assert changes(table) == [("w", "set_dice 1d3")]
    words = write_game(table.game)
    at = words.index(("w", "set_dice 1d3"))
    assert all(len(faces.split()) == 2 for actor, faces in words[:at] if actor == "chance")
    assert all(len(faces.split()) == 1 for actor, faces in words[at:] if actor == "chance" and faces != "settle")
    asked = black.heard.index("aleago-set_dice 1d3")
    assert black.heard[asked + 1].split()[:2] == ["aleago-draw", "w"]
    # Nothing is left to agree on but to play on, after the passes.
    assert [line for line in black.heard[asked:] if line.startswith("variant-propose")] == ["variant-propose b"]
    dice = DiceStream("secret")
    record = Record(table.game, "secret", dice.commitment, dice.secret)
    assert verify(from_json(to_json(record))).ok
    assert _replay(table.rules.spec, table, b"secret")[1] == ""


@pytest.mark.parametrize(
    ("black", "white"),
    [
        (Negotiator("set_dice 1d3"), Negotiator(accepts="false")),
        (Negotiator("set_dice 1d3"), Negotiator(accepts="true", knows_dice=False)),
        (Negotiator("set_dice 1d3", knows_dice=False), Negotiator(accepts="true")),
        (Negotiator("set_dice 1d6"), Negotiator(accepts="true")),
        (Negotiator(), Negotiator(accepts="true")),
        ("uniform", Negotiator(accepts="true")),
    ],
)
def test_the_dice_stay_unless_both_agree(black: Negotiator | str, white: Negotiator | str) -> None:
    table, verdict = play(black, white)
    assert (verdict.kind, verdict.failures, changes(table)) == ("played", (), [])


class Mover(Negotiator):
    """An engine that plays given moves, then passes. It proposes at the start, and after passes."""

    def __init__(self, moves: str, proposal: str = "", accepts: str = "", game: str = "go") -> None:
        super().__init__(proposal, accepts, game=game)
        self.commands.append("variant-resume")
        self.moves = moves.split()

    def answer(self, command: str, *words: str) -> str:
        rules, position = self.game.rules, self.game.position
        match command:
            case "variant-set":
                self.heard.append(words[0])
            case "variant-propose":
                self.heard.append(command)
                return self.proposal if position.turn == 1 or rules.is_suspended(position) else ""
            case "variant-resume":
                self.heard.append(command)
                self.game.play(position.mover, RESUME)
                return ""
            case "genmove":
                if position.mover != read_colour(words[0]):
                    self.game.play(read_colour(words[0]), TURN)
                move = self.moves.pop(0) if self.moves else "pass"
                self.game.play(read_colour(words[0]), read_move(rules.board, move))
                return move
        return super().answer(command, *words)


def play_moves(spec: str, black: Mover | str, white: Mover | str) -> tuple[Table, RefereeVerdict]:
    table = Table(parse(spec), lambda: DiceStream("secret"))
    players = {
        colour: bots.load(each) if isinstance(each, str) else GtpPlayer(cast("Any", Engines(each)))
        for colour, each in ((BLACK, black), (WHITE, white))
    }
    verdict = Referee(table, players, {BLACK: "1", WHITE: "2"}, GameSettings(spec)).run()
    record = from_json(to_json(Record(table.game)))
    assert (record.game, _replay(spec, table, b"secret")[1]) == (table.game, "")
    return table, verdict


BLACKS, WHITES = "A2 B2 C2 D2 E2", "A3 B3 C3 D3 E3 A1"


def test_stones_are_dead_that_one_program_calls_dead_and_the_other_accepts() -> None:
    black, white = Mover(BLACKS, "dead A1"), Mover(WHITES, accepts="true")
    table, verdict = play_moves("go:size=5,komi=0,dead=agreed", black, white)
    assert (verdict.kind, verdict.outcome and verdict.outcome.sgf) == ("played", "W+5")
    assert [event for event in write_game(table.game) if "dead" in event[1]] == [("b", "dead A1")]
    assert white.heard.count("variant-accept w dead A1") == 1


@pytest.mark.parametrize("answer", ["false", "what?", ""])
def test_stones_live_that_the_other_does_not_call_dead(answer: str) -> None:
    table, verdict = play_moves("go:size=5,komi=0,dead=agreed", Mover(BLACKS, "dead A1"), Mover(WHITES, accepts=answer))
    assert (verdict.outcome and verdict.outcome.sgf, table.position.dead) == ("W+11", frozenset())


@pytest.mark.parametrize(
    "proposal", ["dead B1", "dead Z9", "dead A3 x", "deadly", "resign", "white_passes 6", "match 2"]
)
def test_what_cannot_be_agreed_on_is_ignored(proposal: str) -> None:
    table, verdict = play_moves("go:size=5,dead=agreed", Mover(BLACKS, proposal), Mover(WHITES, accepts="true"))
    assert (verdict.kind, verdict.failures, table.position.dead) == ("played", (), frozenset())


def test_a_bot_accepts_the_stones_that_a_search_calls_dead_and_no_others() -> None:
    table = Table(parse("go:size=5,komi=0,dead=agreed"), lambda: DiceStream("secret"))
    for word in WALLS:
        table.play(table.position.mover, read_move(table.rules.board, word))
    assert table.suspended
    fair = {text: Agreement.read(table, text).is_fair(table) for text in ("dead A1", "dead", "dead A1 A3", "resume")}
    assert fair == {"dead A1": True, "dead": False, "dead A1 A3": False, "resume": True}


def test_play_goes_on_where_both_agree_and_engines_are_told() -> None:
    black, white = Mover(f"{BLACKS} pass pass B1", "resume"), Mover(WHITES, accepts="true")
    table, verdict = play_moves("go:size=5,komi=0,dead=none", black, white)
    # Black, whose turn it was, takes the stone on A1. Once more they play on; then nothing new can happen.
    events = write_game(table.game)
    assert events[events.index(("b", "resume")) + 1] == ("b", "B1")
    assert (verdict.outcome and verdict.outcome.sgf) == "W+5"
    assert black.heard.count("variant-resume") == white.heard.count("variant-resume") == 2


@pytest.mark.parametrize(
    "white", [Mover("pass B3", accepts="true", game="alter-igo"), "uniform"], ids=["program", "bot"]
)
def test_players_agree_on_whites_passes_before_the_first_move(white: Mover | str) -> None:
    black = Mover("A1 A2 resign", "white_passes 6", game="alter-igo")
    table, _ = play_moves("alter-igo:size=3", black, white)
    assert write_game(table.game)[0] == ("b", "white_passes 6")
    assert table.rules.values["white_passes"] == 6
    assert [spec.count("white_passes=6") for spec in black.heard if spec.startswith("alter-igo")] == [0, 1]
    if isinstance(white, Mover):
        assert write_game(table.game)[2] == ("w", "pass")
    # White may propose it too; one agreement is enough.
    other = Mover("A1", "white_passes 2", accepts="true", game="alter-igo")
    table, _ = play_moves("alter-igo:size=3", Mover("A1", accepts="true", game="alter-igo"), other)
    assert write_game(table.game)[:2] == [("w", "white_passes 2"), ("b", "A1")]


@pytest.mark.parametrize(
    ("spec", "known", "told"),
    [
        ("aleago:size=5", "variant-resume aleago-resume", ["variant-resume"]),
        ("aleago:size=5", "aleago-resume", ["aleago-resume"]),
        ("aleago:size=5", "", []),
        # In other games an engine of an earlier version refuses this command.
        ("go:size=5", "aleago-resume", []),
        ("go:size=5", "variant-resume aleago-resume", ["variant-resume"]),
    ],
)
def test_engines_hear_that_play_goes_on_by_a_command_that_they_have(spec: str, known: str, told: list[str]) -> None:
    rules = parse(spec)
    script = MoveCommands(rules, [], known.split().__contains__)
    script.hear(News(BLACK, RESUME, after=rules.start()))
    assert script.lines == [(name,) for name in told]
