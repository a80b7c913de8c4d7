"""What the pages show, from an archive: each function makes one page, or gives None where there is nothing to show."""

from collections.abc import Collection, Sequence

from gtp_variants.records.drawing.replay_page import replay
from gtp_variants.server.access.accounts import BOT, PERSON
from gtp_variants.server.site import pages
from gtp_variants.server.site.archive import Archive, GameLine
from gtp_variants.server.tournaments.standing import Tournament


def standings(
    archive: Archive, here: Collection[str], running: Sequence[GameLine], tournaments: Sequence[str], lang: str
) -> str:
    """Who is how strong, who is here, and beside it the games that are on and the latest."""
    lists = (("bots", archive.standings(BOT)), ("people", archive.standings(PERSON)))
    return pages.standings_page(lists, here, running, archive.games(), tournaments, lang)


def games(archive: Archive, before: int, lang: str) -> str:
    """The games that are over before a number."""
    return pages.games_page(archive.games(before), lang)


def player(archive: Archive, name: str, before: int, lang: str) -> str | None:
    """One account, and its games before a number."""
    account = archive.account(name)
    if account is None:
        return None
    history, found = archive.history(account.name), archive.games_of(account.name, before)
    return pages.player_page(account, history, found, lang)


def game(archive: Archive, number: int, is_on: bool) -> str | None:
    """A game to step through, from its beginning to where it stands or ended."""
    if is_on:
        live = archive.live_record(number)
        return None if live is None else replay(live)
    found = archive.record(number)
    return None if found is None else replay(found[1])


def sgf(archive: Archive, number: int) -> str | None:
    """The record of a game that is over."""
    found = archive.record(number)
    return None if found is None else found[0]


def tournament(archive: Archive, found: Tournament, lang: str) -> str:
    """How a tournament stands."""
    return pages.tournament_page(found, lang)
