"""Offers of games in the lobby: to everybody who is there, or to one player as a challenge."""

import itertools

from gtp_variants.base.json_values import Json
from gtp_variants.errors import NotationError
from gtp_variants.rules import parse
from gtp_variants.site.access.accounts import BOT, GUEST
from gtp_variants.site.lobby.account_game import rules_to_host
from gtp_variants.site.lobby.guests import Guest, LoginStage, Seek
from gtp_variants.site.lobby.lobby import Lobby, Pair
from gtp_variants.site.page.page_game import describe_control, read_control
from gtp_variants.site.refusals import PageRefused

_LONGEST_SPEC = 1000
_HIGHEST = 9999


class Seeks:
    """The offers in a lobby. Each player has at most one, which ends when they leave or begin a game."""

    def __init__(self, lobby: Lobby) -> None:
        self._lobby = lobby
        self._numbers = itertools.count(1)

    def offer(self, guest: Guest, asked: Json) -> None:
        """Offer a game. A bot that is free accepts at once. Raises VariantsError for an invalid or impossible offer."""
        seek = self._read(guest, asked)
        if not seek.to:
            guest.seek = seek
            return
        other = next((each for each in self._lobby.guests.values() if each.name.lower() == seek.to.lower()), None)
        if other is None or other is guest:
            raise PageRefused("page.not_here", name=seek.to)
        can_play = not self._lobby.entrance.is_draining and self._lobby.offered.can_play(other, seek.spec)
        if other.kind != BOT:
            guest.seek = seek
        # The protocol, which bots speak, has no words for periods.
        elif other.stage == LoginStage.WAITING and seek.control.kind in ("absolute", "fischer") and can_play:
            self._begin(seek, guest, other)
        else:
            raise PageRefused("page.bot_cannot", name=other.name)

    def accept(self, guest: Guest, number: object) -> None:
        """Begin the game of an offer. Raises PageRefused if it is gone or not for this player."""
        offering = [] if self._lobby.entrance.is_draining else self._lobby.guests.values()
        found = next((each for each in offering if each.seek and each.seek.number == number), None)
        if found is None or found.seek is None or found is guest or found.seek.to not in ("", guest.name):
            raise PageRefused("page.offer_gone")
        seek = found.seek
        if seek.is_rated and guest.kind == GUEST:
            raise PageRefused("page.rated_accounts")
        if not seek.low <= self._lobby.accounts.rating(guest.name, parse(seek.spec).name).value <= seek.high:
            raise PageRefused("page.other_ratings", low=seek.low, high=seek.high)
        self._begin(seek, found, guest)

    def _begin(self, seek: Seek, *players: Guest) -> None:
        for player in players:
            player.stage = LoginStage.WAITING
        black, white = self._lobby.draw_colours(seek.spec, *(each.name for each in players))
        self._lobby.begin(Pair(seek.spec, black, white), control=seek.control, is_rated=seek.is_rated)

    def _read(self, guest: Guest, asked: Json) -> Seek:
        spec, to = asked.get("spec"), asked.get("to", "")
        if not isinstance(spec, str) or len(spec) > _LONGEST_SPEC or not isinstance(to, str):
            raise NotationError(f"spec, to: expected strings, the first of at most {_LONGEST_SPEC} letters")
        low, high = asked.get("low", 0), asked.get("high", _HIGHEST)
        if type(low) is not int or type(high) is not int or not 0 <= low <= high <= _HIGHEST:
            raise NotationError(f"low, high: expected whole numbers up to {_HIGHEST}")
        rules, control = rules_to_host(spec), read_control(asked.get("clock"))
        if control.kind == "none":
            raise NotationError("clock: expected a clock")
        is_rated = asked.get("rated") is not False and guest.kind != GUEST
        return Seek(next(self._numbers), rules.spec, rules.title, control, is_rated, low, high, to)

    def describe(self) -> list[Json]:
        """Return the offers as JSON, the latest last."""
        found = [(each.seek, each) for each in self._lobby.guests.values() if each.seek is not None]
        return [
            {
                "seek": seek.number,
                "by": guest.name,
                "spec": seek.spec,
                "title": seek.title,
                "clock": describe_control(seek.control),
                "rated": seek.is_rated,
                "low": seek.low,
                "high": seek.high,
                "to": seek.to,
            }
            for seek, guest in sorted(found, key=lambda each: each[0].number)
        ]
