"""A finished game played again from its events, by rules and dice that no player ever held.

A bot in the referee's own process could reach the referee by looking through the interpreter. What it changed there
does not agree with the events any more, or with what fresh rules say of them; and then the game counts for nobody.
"""

from gtp_variants.errors import VariantsError
from gtp_variants.players.table import Table
from gtp_variants.rules import parse
from gtp_variants.rules.dice.stream import DiceStream
from gtp_variants.rules.game import Game


def replay_table(spec: str, table: Table, secret: bytes) -> tuple[Table, str]:
    """A table at which the same events happened, and in words what is different there, "" for nothing.

    After an event that cannot have happened the replay stops.
    """
    game, dice = table.game, DiceStream(secret)
    again = Table.of(Game(parse(spec), game.setup, game.first), lambda: dice, table.draws.told)
    for index, event in enumerate(game.events):
        try:
            if index == len(again.game.events):
                again.game.play(event.actor, event.action)
                again.draws.throw()
        except VariantsError as error:
            return again, f"event {index + 1}: {error}"
        if again.game.events[index] != event:
            return again, f"event {index + 1}: the dice show something else"
    if again.position != table.position:
        return again, "the events lead to another position"
    return again, ""
