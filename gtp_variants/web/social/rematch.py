"""The same game once more, with the seats passed on: who had Black has White."""

from collections.abc import Mapping, Sequence

from gtp_variants.players.hosted_game import HostedGame, new_record
from gtp_variants.players.participants import PERSON, Participant
from gtp_variants.web.page_game import PageGame
from gtp_variants.web.seat_locks import claim_seat, new_token


def pass_on(seats: Mapping[int, Participant], colours: Sequence[int]) -> dict[int, Participant]:
    """The seats with everybody one colour on in the order of turns, the last at the first colour."""
    return {colour: seats[colours[index - 1]] for index, colour in enumerate(colours)}


def next_colour(colours: Sequence[int], colour: int) -> int:
    """Where somebody sits in the next game."""
    return colours[(colours.index(colour) + 1) % len(colours)]


def play_again(old: PageGame) -> tuple[PageGame, dict[int, str]]:
    """A new game between the same, and the tokens of the seats of people in it, by their new colour."""
    hosted, name = old.hosted, new_token()
    seats = pass_on(hosted.seats, hosted.rules.colours)
    claims = {colour: claim_seat(name, colour) for colour, seat in seats.items() if seat.kind == PERSON}
    record = new_record(hosted.rules, handicap=list(hosted.table.game.setup))
    notes = {key: value for key, value in hosted.notes.items() if key == "chat"}
    notes["rematches"] = hosted.notes.get("rematches", 0) + 1
    game = HostedGame.new(record, seats, hosted.policy, hosted.clocks.control, notes=notes)
    locks = {colour: lock for colour, (lock, _) in claims.items()}
    return PageGame(name, game, locks), {colour: claim.token for colour, (_, claim) in claims.items()}
