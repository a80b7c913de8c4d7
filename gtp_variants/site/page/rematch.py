"""Rematches: the same game again, with the colours passed on: Black becomes White."""

import json
from collections.abc import Iterable

from gtp_variants.players.agreements import PERSON
from gtp_variants.players.hosted_game import HostedGame
from gtp_variants.rules.words import COLOUR_LETTERS
from gtp_variants.site.http import PageRefused
from gtp_variants.site.page.listeners import PageListener
from gtp_variants.site.page.page_game import PageGame, begin_again
from gtp_variants.site.page.seat_locks import SeatClaim, claim_seat, new_token

# Maximum consecutive rematches, and games remembered for late requests.
_MOST_REMATCHES, _MOST_REMEMBERED = 20, 1000


class Rematches:
    """Rematch requests, and the games that followed.

    Each game has one rematch, and a chain of rematches is limited, since a rematch needs no server token.
    """

    def __init__(self) -> None:
        # By name of the game, the socket through which each colour asked.
        self._wishes: dict[str, dict[int, PageListener]] = {}
        self._followed: dict[str, tuple[str, dict[int, SeatClaim]]] = {}

    def wishes(self, name: str) -> list[int]:
        """Return the colours that want a rematch."""
        return sorted(self._wishes.get(name, {}))

    def withdraw(self, listener: PageListener) -> None:
        """Withdraw the requests made through a socket that has closed."""
        wishes = self._wishes.get(listener.game.name, {})
        for colour in [colour for colour, each in wishes.items() if each is listener]:
            del wishes[colour]

    def forget(self, name: str) -> None:
        """Forget the requests at a game without listeners."""
        self._wishes.pop(name, None)

    def wish(self, listener: PageListener, tokens: Iterable[str]) -> bool:
        """Ask for a rematch from all seats of a person. Return True once all players have asked.

        A request after the rematch began is answered with an invitation to it. Raises PageRefused.
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
        """Invite the listeners of a game to its rematch; players get the keys of their seats."""
        wishes = self._wishes.pop(old.name, {})
        self._followed[old.name] = new.name, claims
        while len(self._followed) > _MOST_REMEMBERED:
            del self._followed[next(iter(self._followed))]
        for each in here:
            self._invite(each, [colour for colour, who in wishes.items() if who is each])

    def shut(self, name: str, colour: int) -> None:
        """Drop the claim on a seat of a rematch after a recovery word has replaced it."""
        for followed, claims in self._followed.values():
            if followed == name:
                claims.pop(colour, None)

    def _invite(self, listener: PageListener, held: Iterable[int]) -> None:
        """Send a listener to the rematch, with what opens the seats of those who held some before."""
        name, claims = self._followed[listener.game.name]
        colours = listener.game.hosted.rules.colours
        seats = [colours[(colours.index(each) + 1) % len(colours)] for each in held]
        theirs = {COLOUR_LETTERS[colour]: claims[colour] for colour in seats if colour in claims}
        told = {
            "type": "again",
            "game": name,
            "seats": {letter: claim.token for letter, claim in theirs.items()},
            "recovery": {letter: claim.recovery for letter, claim in theirs.items()},
        }
        listener.send(json.dumps(told))


def play_again(old: PageGame) -> tuple[PageGame, dict[int, SeatClaim]]:
    """Create the rematch of a game, and return it with what opens its seats, by new colour."""
    hosted, name = old.hosted, new_token()
    colours = hosted.rules.colours
    seats = {colour: hosted.seats[colours[index - 1]] for index, colour in enumerate(colours)}
    claims = {colour: claim_seat(name, colour) for colour, seat in seats.items() if seat.kind == PERSON}
    record = begin_again(hosted.table.game)
    notes = {key: value for key, value in hosted.notes.items() if key == "chat"}
    notes["rematches"] = hosted.notes.get("rematches", 0) + 1
    game = HostedGame.new(record, seats, hosted.policy, hosted.clocks.control, notes=notes)
    locks = {colour: lock for colour, (lock, _) in claims.items()}
    return PageGame(name, game, locks), {colour: claim for colour, (_, claim) in claims.items()}
