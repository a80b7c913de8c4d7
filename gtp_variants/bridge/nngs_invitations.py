"""Games that we ask for on NNGS and IGS: who looks for one, `match` and `nmatch`, and what is answered.

Who is logged in is listed by `who`, two in a line, each with marks, the games they look on at and play, their name, how
long they are idle, and their rank; `!` marks who looks for a game::

    27   Q! --   -- alpha       4s      5k* |    X --    2 bravo      12s     NR  |
    27                 ********   2 Players 1 Total Games ********
"""

import re
from collections.abc import Awaitable, Callable
from secrets import choice

from gtp_variants.bridge.core.config import read_rank
from gtp_variants.bridge.core.server import (
    InvitationRefused,
    Invitations,
    Seeker,
    SeekersSeen,
    ServerEvent,
    Terms,
)
from gtp_variants.bridge.nngs_past import same_name
from gtp_variants.rules.actions import BLACK, WHITE

_LOOKS = "!"
# Stones in a period of byo-yomi where none are said.
_STONES = 25
_LISTED = re.compile(r"([A-Z! ]{2,3})\s+(?:--|\d+)\s+(?:--|\d+)\s+(\S+)\s+\S+\s+(NR|\?\?\?|\d+[kdp])")
_LISTED_ALL = re.compile(r"\*{3,}\s*\d+ Players")
_DECLINED = re.compile(r"(\S+) declines your request for a match\.")
_LETTERS = {BLACK: "B", WHITE: "W"}


class NngsInvitations(Invitations):
    """Whom we asked for a game, and who looks for one. `is_me` knows our own names, `write` sends a line."""

    def __init__(self, write: Callable[[str], Awaitable[None]], is_me: Callable[[str], bool], *, is_igs: bool) -> None:
        self._write, self._is_me, self._is_igs = write, is_me, is_igs
        self._invited = ""
        # Those who were listed so far, None where no list is awaited.
        self._seekers: list[Seeker] | None = None

    async def look_for_seekers(self) -> None:
        # That IGS lists by this word those alone who look for a game is a guess; they have the same mark.
        self._seekers = []
        await self._write("who l")

    async def invite(self, user: str, terms: Terms) -> None:
        self._invited = user
        letter, control = _LETTERS.get(terms.colour or 0), terms.control
        main_s, period_s = round(control.main_s), round(control.period_s)
        if self._is_igs:
            numbers = f"0 {terms.size} {main_s} {period_s} {control.stones or _STONES} 0 0 0"
            await self._write(f"nmatch {user} {letter or 'N'} {numbers}")
        else:
            await self._write(f"match {user} {letter or choice('BW')} {terms.size} {main_s // 60} {period_s // 60}")

    async def withdraw(self, user: str) -> None:
        self._invited = ""
        # IGS is not known to have a word for it.
        if not self._is_igs:
            await self._write(f"withdraw {user}")

    # -- what is answered ----------------------------------------------------------------------------------------------

    def read_list(self, text: str) -> list[ServerEvent]:
        """A line of those who are logged in; the last one counts them."""
        if self._seekers is None:
            return []
        for marks, name, rank in _LISTED.findall(text):
            if _LOOKS in marks and not self._is_me(name):
                self._seekers.append(Seeker(name, _rank_of(rank)))
        if _LISTED_ALL.search(text) is None:
            return []
        seekers, self._seekers = tuple(self._seekers), None
        return [SeekersSeen(seekers)]

    def read_notice(self, text: str) -> list[ServerEvent]:
        """A line for people, in which somebody may decline."""
        found = _DECLINED.match(text)
        return self._end(is_absent=False) if found is not None and same_name(found[1], self._invited) else []

    def read_error(self, text: str) -> list[ServerEvent]:
        """An error, which names whom we asked in quotes where they are gone, busy, or not open to matches."""
        is_theirs = self._invited and f'"{self._invited.lower()}"' in text.lower()
        return self._end(is_absent=True) if is_theirs else []

    def _end(self, *, is_absent: bool) -> list[ServerEvent]:
        invited, self._invited = self._invited, ""
        return [InvitationRefused(invited, is_absent)]


def _rank_of(word: str) -> float | None:
    """A rank such as 5k or 2d, None for NR and what is not known."""
    try:
        return float(read_rank(word))
    except ValueError:
        return None
