"""Tests for leaks: pairs of games of Go Fantôme that differ only in facts hidden from a seat."""

from random import Random
from typing import Any

from gtp_variants.ai.belief.worlds import Worlds
from gtp_variants.gtp.client.player import NewsCommands
from gtp_variants.gtp.engine.engine import GtpEngine
from gtp_variants.gtp.engine.engine_bot import NamedBot
from gtp_variants.gtp.engine.session import Session
from gtp_variants.players.bots import load
from gtp_variants.players.table import Table
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.rules.colour_names import COLOUR_LETTERS
from gtp_variants.rules.dice_stream import DiceStream
from gtp_variants.rules.game import Game, random_game
from gtp_variants.rules.rules import Rules

SPECS = (
    "phantom:size=5",
    "phantom:size=4,impossible=private",
    "phantom:size=4,atari=all",
    "phantom:size=5,self_atari=new_only,announce=joined,lang=fr",
    "phantom:size=3,repetition=psk",
    "phantom:size=4,rules=olympiad",
    "phantom:size=4,rules=openspiel",
)
BOTS = ("uniform", "greedy", "phantom:worlds=2,playouts=20")
# Commands that tell a seat what it may know; C is its colour.
OPEN_TO_A_SEAT = ("variant-state C", "phantom-view C", "variant-legal_moves C", "phantom-odds C")


class Leak(Exception):
    """Two games that sound alike to a seat do not look alike to it."""


def unfinished(spec: str, seed: int) -> Game:
    """A game of some tries that is not over."""
    rules = parse(spec)
    game = random_game(rules, seed, Random(seed).randint(4, 40))
    while game.outcome is not None:
        game = Game.replay(rules, game.events[:-1])
    return game


def another(game: Game, colour: int, seed: int) -> Game:
    """Another game that sounds the same to a seat, one that comes to another board if there is one at hand."""
    worlds = Worlds(game.rules, colour, 5, seed, 2)
    for news in game.heard(colour):
        worlds.hear(news)
    games = worlds.games()
    different = [one for one in games if one.events != game.events] or games
    return next((one for one in different if one.position.stones != game.position.stones), different[0])


def seen(game: Game, colour: int, number: int) -> dict[str, Any]:
    """All that a seat, and whoever sits on it, gets out of a game."""
    rules: Rules = game.rules
    told = game.heard(colour)
    found: dict[str, Any] = {"news": told, "view": rules.view(told, colour)}
    script = NewsCommands(rules, [])
    for news in told:
        script.hear(news)
    found["what is written to an engine"] = script.lines
    if rules.is_final(game.position):
        return found
    session = Session(rules.spec, bot=NamedBot("uniform"))
    session.table.game = game
    engine = GtpEngine(session)
    for command in OPEN_TO_A_SEAT:
        found[command] = engine.answer(command.replace("C", COLOUR_LETTERS[colour]).encode())
    for name in BOTS if game.position.mover == colour else ():
        table = Table.of(game, lambda: DiceStream("none"), {})
        table.seat(colour, load(name), f"seed {number}")
        found[f"move of {name}"] = table.choose(colour)
    return found


def compare_pair(number: int) -> bool:
    """Compare pair number `number`, which is always the same; whether the two games differ. Raises Leak."""
    rng = Random(number)
    rules = parse(SPECS[number % len(SPECS)])
    game = random_game(rules, rng.getrandbits(32), rng.randint(4, 40))
    colour = rng.choice((BLACK, WHITE))
    other = another(game, colour, number)
    first, second = seen(game, colour, number), seen(other, colour, number)
    for key, value in first.items():
        if second.get(key) != value:
            raise Leak(f"pair {number}, {rules.spec}, seat {colour}, {key}: {value!r} and {second.get(key)!r}")
    return bool(game.position.stones != other.position.stones)
