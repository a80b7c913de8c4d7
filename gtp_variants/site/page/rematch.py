"""Rematches: a game once more, with the seats passed on: who had Black has White."""

import json
from collections.abc import Iterable, Mapping, Sequence

from gtp_variants.players.agreements import PERSON, Participant
from gtp_variants.players.hosted_game import HostedGame
from gtp_variants.rules.colour_names import COLOUR_LETTERS
from gtp_variants.site.http import PageRefused
from gtp_variants.site.page.listeners import PageListener
from gtp_variants.site.page.page_game import PageGame, begin_again
from gtp_variants.site.page.seat_locks import SeatClaim, claim_seat, new_token

# So often in a row, and so many games are remembered that were played once more.
_MOST_REMATCHES, _MOST_REMEMBERED = 20, 1000


class Rematches:
    """Who would play a game that is over once more, and the games that followed.

    A game is played once more only once, and so often in a row: nobody shows the word that begins games.
    """

    def __init__(self) -> None:
        # Through which socket each colour says so.
        self._wishes: dict[str, dict[int, PageListener]] = {}
        self._followed: dict[str, tuple[str, dict[int, SeatClaim]]] = {}

    def wishes(self, name: str) -> list[int]:
        """The colours that would play a game once more."""
        return sorted(self._wishes.get(name, {}))

    def withdraw(self, listener: PageListener) -> None:
        """A socket is gone, and with it what was wished through it."""
        wishes = self._wishes.get(listener.game.name, {})
        for colour in [colour for colour, each in wishes.items() if each is listener]:
            del wishes[colour]

    def forget(self, name: str) -> None:
        """Nobody is at a game any more."""
        self._wishes.pop(name, None)

    def wish(self, listener: PageListener, tokens: Iterable[str]) -> bool:
        """Somebody would play once more from all seats they hold; whether now all would, and nothing followed yet.

        Who comes late is told of the game that followed. Raises PageRefused.
        """
        game = listener.game
        if not game.hosted.is_over or listener.colour is None or listener.colour not in game.hosted.rules.colours:
            raise PageRefused("page.not_over")
        held = {listener.colour, *map(game.find_holder, tokens)}
        if game.name in self._followed:
            self._invite(listener, [colour for colour in game.hosted.people if colour in held])
            return False
        if game.hosted.notes.get("rematches", 0) >= _MOST_REMATCHES:
            raise PageRefused("page.again_enough")
        wishes = self._wishes.setdefault(game.name, {})
        wishes |= {colour: listener for colour in game.hosted.people if colour in held}
        return set(game.hosted.people) <= set(wishes)

    def follow(self, old: PageGame, new: PageGame, claims: dict[int, SeatClaim], here: Iterable[PageListener]) -> None:
        """A game followed another: those at the old one are told, who plays with the keys of their seats."""
        wishes = self._wishes.pop(old.name, {})
        self._followed[old.name] = new.name, claims
        while len(self._followed) > _MOST_REMEMBERED:
            del self._followed[next(iter(self._followed))]
        for each in here:
            self._invite(each, [colour for colour, who in wishes.items() if who is each])

    def shut(self, name: str, colour: int) -> None:
        """Somebody came back to a seat by a recovery word: what was told of it at the game before opens nothing now."""
        for followed, claims in self._followed.values():
            if followed == name:
                claims.pop(colour, None)

    def _invite(self, listener: PageListener, held: Iterable[int]) -> None:
        """Tell of the game that followed, with what opens the seats there of those who held some before."""
        name, claims = self._followed[listener.game.name]
        colours = listener.game.hosted.rules.colours
        seats = [next_colour(colours, each) for each in held]
        theirs = {COLOUR_LETTERS[colour]: claims[colour] for colour in seats if colour in claims}
        told = {
            "type": "again",
            "game": name,
            "seats": {letter: claim.token for letter, claim in theirs.items()},
            "recovery": {letter: claim.recovery for letter, claim in theirs.items()},
        }
        listener.send(json.dumps(told))


def pass_on(seats: Mapping[int, Participant], colours: Sequence[int]) -> dict[int, Participant]:
    """The seats with everybody one colour on in the order of turns, the last at the first colour."""
    return {colour: seats[colours[index - 1]] for index, colour in enumerate(colours)}


def next_colour(colours: Sequence[int], colour: int) -> int:
    """Where somebody sits in the next game."""
    return colours[(colours.index(colour) + 1) % len(colours)]


def play_again(old: PageGame) -> tuple[PageGame, dict[int, SeatClaim]]:
    """A new game between the same, and what opens the seats of people in it, by their new colour."""
    hosted, name = old.hosted, new_token()
    seats = pass_on(hosted.seats, hosted.rules.colours)
    claims = {colour: claim_seat(name, colour) for colour, seat in seats.items() if seat.kind == PERSON}
    record = begin_again(hosted.table.game)
    notes = {key: value for key, value in hosted.notes.items() if key == "chat"}
    notes["rematches"] = hosted.notes.get("rematches", 0) + 1
    game = HostedGame.new(record, seats, hosted.policy, hosted.clocks.control, notes=notes)
    locks = {colour: lock for colour, (lock, _) in claims.items()}
    return PageGame(name, game, locks), {colour: claim for colour, (_, claim) in claims.items()}
