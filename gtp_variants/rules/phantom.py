"""Go Fantôme: Go in which nobody sees the other's stones and a referee says what may be said.

Source: 001_d6d69fd415a28a9d.txt. A try the referee refuses is a lawful action that keeps the turn.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from gtp_variants.errors import IllegalMove
from gtp_variants.rules import words
from gtp_variants.rules.actions import BLACK, CHANCE, EMPTY, LEAVING, PASS, RESUME, SETTLE, TURN, WHITE, Event
from gtp_variants.rules.chains import chain, liberties
from gtp_variants.rules.clues import Clues
from gtp_variants.rules.go import GoFamily, GoPosition
from gtp_variants.rules.imagining import Attempt
from gtp_variants.rules.options import (
    Option,
    dead_option,
    komi_option,
    lang_option,
    repetition_option,
    size_option,
)
from gtp_variants.rules.views import News, Said, Seating, View
from gtp_variants.rules.worlds import Worlds

# How often `imagine` tries to make a whole game at once, and how many games it makes news by news after that.
_AT_ONCE, _TOGETHER = 8, 12

_TEXTS = {
    "en": {
        "played": "{name} has played",
        "captured": "{name} plays and captures {stones}",
        "atari": "{name} plays and puts {stones} in atari",
        "self_atari": "{name} plays and puts itself in atari",
        "impossible": "impossible move",
        "passed": "{name} passes",
    },
    "fr": {
        "played": "{name} a joué",
        "captured": "{name} joue et capture {stones}",
        "atari": "{name} joue et met {stones} en atari",
        "self_atari": "{name} joue et se met en atari",
        "impossible": "coup impossible",
        "passed": "{name} passe",
    },
}


def sentence(said: Said, lang: str) -> str:
    """One announcement in words. Source: "Annonces possibles de l'arbitre"."""
    victim = 3 - said.colour
    return _TEXTS[lang][said.code].format(
        name=words.name(said.colour, lang), stones=words.stones(victim, said.count, lang) if said.count else ""
    )


def announced(said: Sequence[Said], lang: str, joined: bool) -> list[str]:
    """What the referee says after one try, a sentence each, or all of it in one if `joined`."""
    texts = [sentence(item, lang) for item in said]
    if joined and len(texts) > 1:
        # Every sentence but the first drops its beginning: "Noir joue et capture ... et se met en atari".
        start = f"{words.name(said[0].colour, lang)} {'joue' if lang == 'fr' else 'plays'} "
        return [texts[0] + "".join(" " + text.removeprefix(start) for text in texts[1:])]
    return texts


@dataclass(frozen=True, slots=True, kw_only=True)
class PhantomPosition(GoPosition):
    """The referee's board, what he said after the last try, and the points refused to the mover in this turn."""

    said: tuple[Said, ...] = ()
    tried: frozenset[int] = frozenset()


class PhantomRules(GoFamily[PhantomPosition]):
    """Go under a referee. `actions` are tries: every point without an own stone; `legal` are those he accepts."""

    name = "phantom"
    title = "Go Fantôme"
    aliases = ("fantome", "fantôme")
    is_open = False
    options = (
        size_option(9),
        komi_option(),
        repetition_option("ssk"),
        Option(
            "announce",
            "choice",
            "list",
            "several announcements: sentence by sentence, or joined in one",
            choices=("list", "joined"),
        ),
        Option(
            "atari",
            "choice",
            "new",
            "which enemy stones in atari are counted: newly put there, or all",
            choices=("new", "all"),
        ),
        Option(
            "self_atari",
            "choice",
            "always",
            "whether extending an own chain that stays in atari is said again",
            choices=("always", "new_only"),
        ),
        Option(
            "impossible",
            "choice",
            "public",
            "whether both hear of a refused try, or only the player",
            choices=("public", "private"),
        ),
        dead_option(),
        lang_option(),
    )

    def first_position(self, **facts: Any) -> PhantomPosition:
        return PhantomPosition(**facts)

    def actions(self, position: PhantomPosition) -> Sequence[int]:
        if self.is_final(position):
            return ()
        stones, mover = position.stones, position.mover
        return (*(point for point in range(len(stones)) if stones[point] != mover), PASS)

    def legal(self, position: PhantomPosition) -> Sequence[int]:
        return () if self.is_final(position) else (*self.legal_points(position), PASS)

    def put(self, position: PhantomPosition, point: int) -> PhantomPosition:
        try:
            after, captured = self.try_point(position, point)
        except IllegalMove:
            # The reason is the referee's secret: it goes no further than here.
            said: tuple[Said, ...] = (Said("impossible", position.mover),)
            return replace(position, said=said, tried=position.tried | {point})
        said = self.announcements(position, point, after, captured)
        return self.placed(position, point, after, captured, said=said, tried=frozenset())

    def pass_turn(self, position: PhantomPosition, **more: Any) -> PhantomPosition:
        return super().pass_turn(position, said=(Said("passed", position.mover),), tried=frozenset())

    def turn_to(self, position: PhantomPosition, colour: int) -> PhantomPosition:
        return replace(super().turn_to(position, colour), tried=frozenset())

    def announcements(
        self, before: PhantomPosition, point: int, after: bytes, captured: tuple[int, ...]
    ) -> tuple[Said, ...]:
        """What the referee says of an accepted stone, in the order capture, enemy atari, own atari."""
        board, mover = self.board, before.mover
        said = []
        if captured:
            said.append(Said("captured", mover, len(captured), captured))
        enemy = self._other(mover)
        # Capturing frees no other enemy chain, so only a chain next to the stone can be newly in atari.
        looked_at: Iterable[int] = range(len(board)) if self.values["atari"] == "all" else board.neighbours[point]
        in_atari: set[int] = set()
        for start in looked_at:
            if after[start] == enemy and start not in in_atari:
                members = chain(board, after, start)
                if len(liberties(board, after, members)) == 1:
                    in_atari.update(members)
        if in_atari:
            said.append(Said("atari", mover, len(in_atari)))
        if len(liberties(board, after, chain(board, after, point))) == 1 and not self._was_in_atari(before, point):
            said.append(Said("self_atari", mover))
        return tuple(said) or (Said("played", mover),)

    def _was_in_atari(self, before: PhantomPosition, point: int) -> bool:
        """Whether the stone only extends chains that were in atari already, where that is not said again."""
        if self.values["self_atari"] == "always":
            return False
        board, stones = self.board, before.stones
        own = [near for near in board.neighbours[point] if stones[near] == before.mover]
        return bool(own) and all(len(liberties(board, stones, chain(board, stones, near))) == 1 for near in own)

    def sentences(self, said: Sequence[Said]) -> list[str]:
        """What the referee says after one try, in words."""
        return announced(said, self.lang, self.values["announce"] == "joined")

    # -- what a seat is told -----------------------------------------------------------------------------------------

    def hears(self, before: PhantomPosition, event: Event, after: PhantomPosition, colour: int) -> News | None:
        if event.action < 0:
            said = after.said if event.action == PASS else ()
            return News(event.actor, event.action, said=said)
        refused = after.turn == before.turn
        if event.actor == colour:
            known: int | None = event.action
        elif refused and self.values["impossible"] == "private":
            return None
        else:
            known = None
        return News(event.actor, known, refused, () if refused else after.captured, after.said)

    def told_at_start(self, position: PhantomPosition, colour: int) -> News | None:
        stones = position.stones
        if not any(stones) and position.mover == self.colours[0]:
            return None
        placed = tuple(point for point, there in enumerate(stones) if there == colour)
        unseen = len(stones) - stones.count(0) - len(placed)
        return News(CHANCE, None, seating=Seating(placed, unseen, position.mover))

    def watch(self, colour: int) -> "PhantomWatch":
        return PhantomWatch(self, colour)

    def imagine(self, view: View, rng: Random) -> PhantomPosition:
        """A position that agrees with everything the seat heard. Raises GameOver if none was found."""
        clues = Clues(self, view.colour, view.news)
        found = (Attempt(clues, rng).run() for _ in range(_AT_ONCE))
        world = next((world for world in found if world is not None), None)
        if world is not None:
            return world.positions[-1]
        # A hard one is made news by news, by several games together: some always go on.
        worlds = Worlds(self, view.colour, _TOGETHER, rng.getrandbits(64))
        for news in view.news:
            worlds.hear(news)
        return rng.choice(worlds.positions())

    def describe_state(self, position: PhantomPosition) -> dict[str, Any]:
        return {"announcements": self.describe_said(position.said)}

    def describe_view(self, view: View) -> dict[str, Any]:
        said = next((news.said for news in reversed(view.news) if news.said), ())
        return {"announcements": self.describe_said(said)}

    def describe_said(self, said: Sequence[Said]) -> list[dict[str, Any]]:
        """What the referee said after one try, for a host; announcements joined in one sentence share its text."""
        sentences = self.sentences(said)
        return [
            {
                "code": item.code,
                "colour": words.COLOUR_LETTERS[item.colour],
                "count": item.count,
                "points": self.named(item.points),
                "text": sentences[min(index, len(sentences) - 1)],
            }
            for index, item in enumerate(said)
        ]


class PhantomWatch:
    """A seat of Go Fantôme: what follows from the news it heard.

    Source: "Astuce pour les joueurs": the opponent's stones are counted, one for each of his moves.
    """

    def __init__(self, rules: PhantomRules, colour: int) -> None:
        self._rules = rules
        self._colour = colour
        self._stones = bytearray(len(rules.board))
        self._news: list[News] = []
        self._tried: set[int] = set()
        self._to_play = BLACK
        self._turn = 1
        self._passes = 0
        self._hidden = 0
        self._left = False

    def hear(self, news: News) -> None:
        """Take in one piece of news."""
        self._news.append(news)
        if news.seating is not None:
            for point in news.seating.placed:
                self._stones[point] = self._colour
            self._hidden, self._to_play = news.seating.unseen, news.seating.to_play
        elif news.refused:
            self._tried.update(() if news.action is None else (news.action,))
        elif news.action is None or news.action >= 0 or news.action == PASS:
            self._hear_turn(news)
        elif news.action == TURN and news.actor != self._to_play:
            self._to_play = news.actor
            self._passes = self._passes if self._passes == self._rules.end_passes else 0
            self._tried.clear()
        elif news.action == RESUME:
            self._passes = 0
        elif news.action == SETTLE or news.action in LEAVING:
            self._left = True

    def _hear_turn(self, news: News) -> None:
        self._turn += 1
        self._passes = self._passes + 1 if news.action == PASS else 0
        self._to_play = WHITE if news.actor == BLACK else BLACK
        self._tried.clear()
        if news.actor == self._colour:
            self._hidden -= len(news.captured)
            if news.action is not None and news.action >= 0:
                self._stones[news.action] = self._colour
        elif news.action != PASS:
            self._hidden += 1
        for point in news.captured:
            self._stones[point] = EMPTY

    def view(self) -> View:
        """What the seat knows now."""
        rules, colour, stones = self._rules, self._colour, bytes(self._stones)
        over = self._left or self._passes > rules.end_passes
        may_act = self._to_play == colour and not over
        return View(
            colour,
            stones,
            self._to_play,
            lambda: (*(point for point, stone in enumerate(stones) if stone != colour), PASS) if may_act else (),
            self._turn,
            self._passes,
            self._passes + 1 >= rules.end_passes,
            frozenset(self._tried),
            self._hidden,
            news=tuple(self._news),
        )
