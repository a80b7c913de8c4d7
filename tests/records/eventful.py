"""Random records with every kind of event that a record can contain, for round trips and damage tests."""

from contextlib import suppress
from random import Random
from typing import Any

from gtp_variants.errors import VariantsError
from gtp_variants.records.record import Record, Time
from gtp_variants.rules.actions import (
    BLACK,
    CHANCE,
    FLAG,
    FORFEIT,
    MARK_DEAD,
    PASS,
    RESIGN,
    RESUME,
    SET_DICE,
    SETTLE,
    SWAP,
    TURN,
    pack,
)
from gtp_variants.rules.dice import DiceKind
from gtp_variants.rules.dice_stream import DiceStream
from gtp_variants.rules.game import Game
from gtp_variants.rules.rules import Rules

_WORDS = ("Ada", 'Zoé "Z"', "棋士", "]\\", "a\nb", "", "(;B[aa])", ":")


def eventful_game(rules: Rules, rng: Random, most: int) -> Game:
    """Return a game of about `most` events at most: legal actions, refused tries and all other requests."""
    game = Game(rules)
    if rng.random() < 0.2:
        with suppress(VariantsError):
            game = Game(rules, *_setup(rules, rng))
    leaves = rng.random() < 0.5
    while len(game.events) < most and not rules.is_final(game.position):
        if rng.random() < 0.08 or rules.is_over(game.position):
            with suppress(VariantsError):
                game.play(*_anything(rules, game.position, rng))
            most -= 1
            continue
        _step(game, rng)
    if leaves:
        with suppress(VariantsError):
            game.play(rng.choice(rules.colours), rng.choice((RESIGN, FLAG, FORFEIT)))
    return game


def _step(game: Game, rng: Random) -> None:
    position = game.position
    actions = game.rules.actions(position)
    if position.to_play == CHANCE:
        game.play(CHANCE, rng.choices(actions, game.rules.odds(position))[0])
    elif actions:
        game.play(position.to_play, rng.choice(actions))


def _setup(rules: Rules, rng: Random) -> tuple[dict[int, int], int | None]:
    points = rng.sample(range(len(rules.board)), rng.randint(0, len(rules.board) // 4))
    colours = [BLACK] if rng.random() < 0.5 else rules.colours
    return {point: rng.choice(colours) for point in points}, rng.choice((None, *rules.colours))


def _anything(rules: Rules, position: Any, rng: Random) -> tuple[int, int]:
    """Return an actor and an action that are rarely seen and often not allowed."""
    point = rng.randrange(len(rules.board))
    code = DiceKind(rng.randint(1, 3), rng.choice((2, 4, 6, 10))).code
    action = rng.choice(
        (PASS, PASS, SWAP, RESUME, RESUME, SETTLE, TURN, TURN, pack(SET_DICE, code), pack(MARK_DEAD, point), point)
    )
    dice = getattr(position, "dice", None)
    if position.to_play == CHANCE and dice is not None and rng.random() < 0.5:
        return CHANCE, dice.outcomes
    return rng.choice((position.mover, rng.choice(rules.colours))), action


def eventful_record(rules: Rules, rng: Random, most: int) -> Record:
    """Return a record of such a game, sometimes with names, a secret, given draws or times."""
    game = eventful_game(rules, rng, most)
    dice = DiceStream(rng.randbytes(rng.choice((0, 8, 32))))
    kind = rng.choice((None, "secret", "shared"))
    numbers = [number for number in range(len(game.events)) if rng.random() < 0.5]
    return Record(
        game,
        kind,
        commitment=dice.commitment if kind == "secret" else None,
        secret=rng.choice((dice.secret, None)) if kind == "secret" else None,
        told=frozenset(rng.sample(range(1, 200), rng.choice((0, 0, 3)))),
        players={colour: rng.choice(_WORDS) for colour in rules.colours if rng.random() < 0.7},
        result=rng.choice((None, None, "B+R", "Void", "W+0.5", "?")),
        comment=rng.choice(_WORDS),
        main_s=rng.choice((None, 600, 0.5, rng.random() * 1e6)),
        overtime=rng.choice(("", "3x30 byo-yomi", "25/600 Canadian")),
        times={number: _time(rng) for number in numbers} if rng.random() < 0.5 else {},
    )


def _time(rng: Random) -> Time:
    seconds = (None, 0.0, 7, rng.random(), rng.random() * 1e4, 1e-9)
    return Time(rng.choice(seconds), rng.choice(seconds), rng.choice((None, 0, 5)))
