"""A single die late in a game of two dice: what programs are asked in a match, when it holds, and what is recorded."""

from typing import Any, cast

import pytest

from gtp_variants.arena.config.match_config import GameSettings
from gtp_variants.arena.run.referee import Referee, RefereeVerdict, _replay
from gtp_variants.gtp.client.player import GtpPlayer
from gtp_variants.players import bots
from gtp_variants.players.player import Player
from gtp_variants.players.table import Table
from gtp_variants.records.json import from_json, to_json
from gtp_variants.records.notation import write_game
from gtp_variants.records.record import Record, verify
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, SET_DICE, WHITE, pack
from gtp_variants.rules.dice import read_dice
from gtp_variants.rules.dice_stream import DiceStream
from tests.gtp.client.sample_engine import InProcess, SampleEngine

SPEC = "aleago:size=5,dice=2d3"


class Negotiator(SampleEngine):
    """An engine that proposes a single die once it sees enough stones, and accepts or declines one."""

    def __init__(self, proposal: str = "", accepts: str = "", knows_dice: bool = True) -> None:
        extra = ["variant-propose", "variant-accept", *["aleago-set_dice"] * knows_dice]
        super().__init__("aleago", "", *extra)
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
    # Nothing is left to agree on.
    assert not any(line.startswith("variant-propose") for line in black.heard[asked:])
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
