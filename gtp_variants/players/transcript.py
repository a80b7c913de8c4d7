"""Transcripts: the news of a game for one audience in order, as JSON values.

An audience is a seat or the viewers. In an open game all hear the same news. In a hidden game a seat hears what
`Rules.hears` allows, and viewers hear what every seat hears. After the end everybody hears everything.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from enum import Enum

from gtp_variants.base.json_values import Json
from gtp_variants.players.table import Table
from gtp_variants.records.sentences import announcements, event_sentence, in_language
from gtp_variants.rules.actions import CHANCE, PASS, SWAP, Event
from gtp_variants.rules.colour_names import COLOUR_LETTERS
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.traits import DicedRules, HiddenRules, faces_of
from gtp_variants.rules.views import News, View, Watch


class NoSeat(Enum):
    """An audience without a seat: the referee, everybody once nothing is hidden any more, or, before that, viewers."""

    REFEREE = "referee"
    ALL = "all"
    WATCHING = "watching"


# A colour's seat, or an audience without a seat.
Audience = int | NoSeat


class Transcript:
    """The news for one audience from event `first` on, in `lang` or the game's language. An undo needs a new one."""

    def __init__(self, table: Table, audience: Audience, lang: str = "", first: int = 0) -> None:
        self.items: list[Json] = []
        self._speaker = in_language(table.rules, lang)
        self._table = table
        self._audience = audience
        # After each event, the number of items so far.
        self.ends: list[int] = []
        self._count = first
        self._watch: Watch | None = None
        start = table.game.positions[0]
        sees_everything = audience in (NoSeat.REFEREE, NoSeat.ALL)
        self.stones = start.stones if sees_everything else bytes(len(table.rules.board))
        if not sees_everything:
            # A viewer hears what a seat without stones would hear.
            colour = table.rules.colours[0] if isinstance(audience, NoSeat) else audience
            self._watch = table.rules.watch(colour)
            seating = table.rules.hears_start(start, colour)
            if seating is not None:
                if isinstance(audience, NoSeat) and seating.seating is not None:
                    seating = replace(seating, seating=replace(seating.seating, placed=(), unseen=0))
                self._watch.hear(seating)
                self.stones = self._watch.view().stones
        # The starting stones that this audience knows.
        self.setup = named_stones(table, self.stones)

    def catch_up(self) -> list[Json]:
        """Add the news of all events since the last call, and return the new items."""
        first = len(self.items)
        for index in range(self._count, len(self._table.game.events)):
            self.items += self._items_of(index)
            self.ends.append(len(self.items))
        self._count = len(self._table.game.events)
        return self.items[first:]

    @property
    def view(self) -> View:
        """The view that follows from the news so far, for a seat or a viewer."""
        assert self._watch is not None, "an audience that sees everything has no view"
        return self._watch.view()

    def _items_of(self, index: int) -> Iterator[Json]:
        """Yield the item for an event, if this audience hears of it."""
        game, rules, speaker = self._table.game, self._table.rules, self._speaker
        before, event, after = game.positions[index], game.events[index], game.positions[index + 1]
        # The number of opposing stones that the event captured. In a hidden game an audience may hear only this number.
        taken = after.taken[event.actor] - before.taken[event.actor]
        if self._watch is None:
            if event.actor == CHANCE and event.action >= 0 and isinstance(rules, DicedRules):
                yield _draw(rules, before, event, after)
                return
            is_turn = game.is_turn(index)
            heard = News(event.actor, event.action, game.is_refused(index), after.captured if is_turn else ())
            said = announcements(speaker, after) if event.action >= 0 or is_turn else []
            known, stones = before.stones, after.stones
        else:
            if isinstance(self._audience, NoSeat):
                news = common_news(rules, [rules.hears(before, event, after, colour) for colour in rules.colours])
            else:
                news = rules.hears(before, event, after, self._audience)
            if news is None:
                return
            heard = news
            self._watch.hear(heard)
            said = speaker.sentences(heard.said) if isinstance(speaker, HiddenRules) and heard.said else []
            known = self.stones
            stones = known if isinstance(self._audience, NoSeat) else self._watch.view().stones
            taken = taken if rules.is_open else heard.count
        action, self.stones = heard.action, stones
        is_place = action is None or action >= 0
        yield {
            "actor": COLOUR_LETTERS[heard.actor] if heard.actor else "",
            "kind": "place" if event.action >= 0 else {SWAP: "swap", PASS: "pass"}.get(event.action, "other"),
            "at": None if action is None or action < 0 else rules.board.vertex(action),
            "refused": heard.refused,
            "captured": rules.board.vertices_of(heard.captured),
            "put": _changes(self._table, known, stones),
            "said": said,
            "taken": taken,
            "text": "" if is_place else event_sentence(speaker, heard.actor, event.action, after.dead),
        }


def tell_all(table: Table, first: int) -> list[Json]:
    """Return the items for all events from index `first` on, one per event, with nothing hidden."""
    return Transcript(table, NoSeat.ALL, first=first).catch_up()


def common_news(rules: Rules, heard: Sequence[News | None]) -> News | None:
    """Return what every seat hears of an event, without what only some hear, or None if a seat hears nothing."""
    first = heard[0]
    if first is None or any(news is None for news in heard):
        return None
    actions = {news.action for news in heard if news is not None}
    action = first.action if len(actions) == 1 else None
    captured = () if isinstance(rules, HiddenRules) and rules.only_owner_sees_captures else first.captured
    said = tuple(replace(item, points=captured) if item.points else item for item in first.said)
    return News(first.actor, action, first.refused, captured, said)


def _draw(rules: DicedRules, before: Position, event: Event, after: Position) -> Json:
    """Return the item for a throw, without faces if the throw binds its owner to no line."""
    slot = len(before.draws)
    return {
        "actor": "",
        "kind": "draw",
        "owner": COLOUR_LETTERS[rules.owner(before, slot)],
        "dice": str(rules.dice_of(before)),
        "faces": list(faces_of(rules, before, event.action)),
        "draw": rules.describe_draw(after),
    }


def _changes(table: Table, before: bytes, after: bytes) -> dict[str, str]:
    """Return the points where something changed, each with its new colour letter, or "" if it is now empty."""
    if before == after:
        return {}
    vertices = table.rules.board.vertices
    changed = [(vertex, now) for vertex, was, now in zip(vertices, before, after, strict=True) if was != now]
    return {vertex: COLOUR_LETTERS[now] if now else "" for vertex, now in changed}


def named_stones(table: Table, stones: bytes) -> dict[str, str]:
    """Return the stones on a board as colour letters by vertex."""
    return _changes(table, bytes(len(stones)), stones)
