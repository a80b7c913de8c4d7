"""Go Fantôme: Go with hidden stones, where a referee announces what the players may know.

A refused try is a legal action that keeps the turn. Source: the file 001_d6d69fd415a28a9d.txt of the specification.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from gtp_variants.errors import IllegalMove
from gtp_variants.rules.actions import (
    BLACK,
    CHANCE,
    EMPTY,
    LEAVING,
    MARK_DEAD,
    PASS,
    RESUME,
    SETTLE,
    TURN,
    WHITE,
    Event,
    unpack,
)
from gtp_variants.rules.boards.chains import chain, liberties
from gtp_variants.rules.boards.history import History
from gtp_variants.rules.colour_names import colour_name, count_stones
from gtp_variants.rules.games.go import GoFamily, GoPosition, kernel_facts_of_go, other_of_two
from gtp_variants.rules.languages import translate
from gtp_variants.rules.options import Option, OptionSet, rule_options
from gtp_variants.rules.outcome import Outcome
from gtp_variants.rules.profile import GameProfile
from gtp_variants.rules.rule_sets import RULE_SETS
from gtp_variants.rules.traits import HiddenRules
from gtp_variants.rules.turn_rules import BUTTON
from gtp_variants.rules.views import Announcement, News, Seating, View

_TEXTS = {
    "played": ("{name} has played", "{name} a joué"),
    "captured": ("{name} plays and captures {stones}", "{name} joue et capture {stones}"),
    "atari": ("{name} plays and puts {stones} in atari", "{name} joue et met {stones} en atari"),
    "self_atari": ("{name} plays and puts itself in atari", "{name} joue et se met en atari"),
    "impossible": ("impossible move", "coup impossible"),
    "passed": ("{name} passes", "{name} passe"),
    "repeated": ("the board has come again: the game is a draw", "l'état du goban est revenu : la partie est nulle"),
}


def sentence(said: Announcement, lang: str) -> str:
    """Return the sentence for one announcement. Source: "Annonces possibles de l'arbitre"."""
    victim = 3 - said.colour
    return translate(_TEXTS[said.code], lang).format(
        name=colour_name(said.colour, lang), stones=count_stones(victim, said.count, lang) if said.count else ""
    )


def announcement_texts(said: Sequence[Announcement], lang: str, joined: bool) -> list[str]:
    """Return a sentence for each announcement. If `joined`, all announcements about the stone get a joint sentence."""
    texts = [sentence(item, lang) for item in said]
    effects = [text for item, text in zip(said, texts, strict=True) if item.code != "repeated"]
    if joined and len(effects) > 1:
        # Every sentence except the first loses its beginning: "Noir joue et capture ... et se met en atari".
        start = f"{colour_name(said[0].colour, lang)} {'joue' if lang == 'fr' else 'plays'} "
        whole = effects[0] + "".join(" " + text.removeprefix(start) for text in effects[1:])
        return [whole] * len(effects) + texts[len(effects) :]
    return texts


@dataclass(frozen=True, slots=True, kw_only=True)
class PhantomPosition(GoPosition):
    """A position on the referee's board, with what the referee has said and shown."""

    said: tuple[Announcement, ...] = ()  # the announcements after the last try
    tried: frozenset[int] = frozenset()
    seen: frozenset[int] = frozenset()  # points whose stone has been shown to the other side
    tries: int = 0  # tries so far, including refused tries and passes


# The rules of other programs and tournaments, where they differ from the source's. Computer Olympiad: T. Cazenave, "A
# Phantom-Go Program" (Advances in Computer Games 11, 2006), section 2, and chessprogramming.org, "Phantom Go".
# OpenSpiel: its phantom_go, version 2.0.
_RULE_SETS = {
    "olympiad": {"atari": "none", "self_atari": "none", "captures": "owner"},
    "openspiel": {
        "repetition": "draw",
        "atari": "none",
        "self_atari": "none",
        "captures": "owner",
        "refused": "shown",
        "in_a_row": "tries",
        "length": "4",
    },
}


def _kernel_facts(rules: "PhantomRules") -> dict[str, object]:
    return {
        **kernel_facts_of_go(rules),
        "shows_refused": rules.refusal_shows_stone,
        "tries_part_passes": rules.refusal_parts_passes,
        "most_tries": rules.most_tries or None,
        "enemy_atari": rules.enemy_atari,
        "own_atari": rules.own_atari,
        "only_owner_sees_captures": rules.only_owner_sees_captures,
        "refusal_is_private": rules.refusal_is_private,
    }


PROFILE = GameProfile(
    small_spec="phantom:size=9",
    bench_specs=("phantom:size=9",),
    default_bot="phantom",
    expected_turns_a_point=1.5,
    judged_as="go",
    kernel_game="phantom",
    kernel_facts=_kernel_facts,
)


class PhantomRules(GoFamily[PhantomPosition], HiddenRules[PhantomPosition]):
    """Go with a referee. `actions` are PASS and all points not known to be taken; `legal` are the accepted actions."""

    name = "phantom"
    title = "Go Fantôme"
    aliases = ("fantome", "fantôme")
    is_open = False
    profile = PROFILE
    options = OptionSet(
        (
            Option.size(9),
            Option.komi(),
            Option.repetition(
                "ssk", {"draw": "as simple, and any other board that comes again ends the game in a draw"}
            ),
            Option.choice(
                "announce",
                ("list", "joined"),
                "several announcements: sentence by sentence, or joined in one",
                wording=True,
            ),
            Option.choice(
                "atari",
                ("new", "all", "none"),
                "enemy stones in atari that are announced: only stones newly in atari, all, or none",
            ),
            Option.choice(
                "self_atari",
                ("always", "new_only", "none"),
                "announcements of an own atari: always; new_only: not for a chain that stays in atari; none: never",
            ),
            Option.choice(
                "impossible",
                ("public", "private"),
                "a refused try is heard by both (public), or only by its player (private)",
            ),
            Option.choice(
                "captures",
                ("both", "owner"),
                "players who see which stones were captured: both, or only their owner; the other hears how many",
                later=True,
            ),
            Option.choice(
                "refused",
                ("silent", "shown"),
                "shown: a refused try shows its player what stands on the point; silent: it does not",
                later=True,
            ),
            Option.choice(
                "in_a_row",
                ("turns", "tries"),
                "passes are in a row if no turn (turns), or no try, not even a refused try (tries), came between them",
                later=True,
            ),
            Option(
                "length",
                "int",
                None,
                "the game ends as it stands after this many tries per point of the board, counting refused tries and "
                "passes",
                low=1,
                none=True,
                later=True,
            ),
            Option.dead(),
            *(option for option in rule_options() if option.key != "suicide"),
            Option.lang(),
        ),
        rule_sets=_RULE_SETS | {name: given for name, given in RULE_SETS.items() if "suicide" not in given},
        # Source: "alors qu'il joue un coup sans avoir de liberté et sans capturer" is a "coup impossible".
        excluded={"suicide": "no suicide"},
    )

    def first_position(self, stones: bytes, mover: int, history: History) -> PhantomPosition:
        return PhantomPosition(board=self.board, stones=stones, mover=mover, before=stones, history=history)

    def configure(self) -> None:
        super().configure()
        values, length = self.values, self.values["length"]
        # The number of tries after which a game ends; 0: no limit.
        self.most_tries = 0 if length is None else int(length) * len(self.board)
        self.enemy_atari, self.own_atari = values.text("atari"), values.text("self_atari")
        self.only_owner_sees_captures = values["captures"] == "owner"
        self.refusal_shows_stone = values["refused"] == "shown"
        self.refusal_is_private = values["impossible"] == "private"
        self.refusal_parts_passes = values["in_a_row"] == "tries"

    def actions(self, position: PhantomPosition) -> Sequence[int]:
        if self.is_final(position):
            return ()
        stones, mover, seen = position.stones, position.mover, position.seen
        return (*(point for point in range(len(stones)) if stones[point] != mover and point not in seen), PASS)

    def legal(self, position: PhantomPosition) -> Sequence[int]:
        return () if self.is_final(position) else (*self.legal_points(position), PASS)

    def put(self, position: PhantomPosition, point: int) -> PhantomPosition:
        try:
            moved = super().put(position, point)
        except IllegalMove:
            # Drop the reason, because it would reveal hidden stones.
            return self._refuse(position, point)
        after, captured = moved.stones, moved.captured
        said = self._announce(position, point, after, captured)
        seen = position.seen.difference(captured)
        ended = None
        if self.repetition == "draw" and after in position.history:
            ended = Outcome(None, "repetition")
            said = (*said, Announcement("repeated", position.mover))
        return replace(moved, said=said, tried=frozenset(), seen=seen, tries=position.tries + 1, ended=ended)

    def _refuse(self, position: PhantomPosition, point: int) -> PhantomPosition:
        """Return the position after a refused try, which keeps the turn."""
        mover, stones = position.mover, position.stones
        is_shown = self.refusal_shows_stone and stones[point] == other_of_two(mover)
        # Once passes have provisionally ended the game, never reset their count.
        parts = self.refusal_parts_passes and not self.is_suspended(position)
        return replace(
            position,
            said=(Announcement("impossible", mover),),
            tried=position.tried | {point},
            seen=position.seen | {point} if is_shown else position.seen,
            passes=0 if parts else position.passes,
            tries=position.tries + 1,
        )

    def pass_turn(self, position: PhantomPosition) -> PhantomPosition:
        said = (Announcement("passed", position.mover),)
        return replace(super().pass_turn(position), said=said, tried=frozenset(), tries=position.tries + 1)

    def is_over(self, position: PhantomPosition) -> bool:
        return self._is_closed(position) or super().is_over(position)

    def is_suspended(self, position: PhantomPosition) -> bool:
        return super().is_suspended(position) and not self._is_closed(position)

    def _is_closed(self, position: PhantomPosition) -> bool:
        """Return True if the game is over for a reason other than passes: a repeated board, or too many tries."""
        return position.ended is not None or 0 < self.most_tries <= position.tries

    def outcome(self, position: PhantomPosition) -> Outcome | None:
        return position.ended or super().outcome(position)

    def turn_to(self, position: PhantomPosition, colour: int) -> PhantomPosition:
        return replace(super().turn_to(position, colour), tried=frozenset())

    def repeats(self, position: PhantomPosition) -> Mapping[int, int]:
        found = super().repeats(position)
        if self.repetition != "draw" or self.is_final(position) or not any(position.taken):
            return found
        draws = (p for p in self.legal_points(position) if self.try_point(position, p)[0] in position.history)
        return {**found, **dict.fromkeys(draws, 1)}

    def announcements(self, position: PhantomPosition) -> tuple[Announcement, ...]:
        return position.said

    def _announce(
        self, before: PhantomPosition, point: int, after: bytes, captured: tuple[int, ...]
    ) -> tuple[Announcement, ...]:
        """Return what is said of an accepted stone: capture, enemy atari, own atari, in this order; else `played`."""
        board, mover = self.board, before.mover
        said = []
        if captured:
            said.append(Announcement("captured", mover, len(captured), captured))
        enemy = other_of_two(mover)
        # Only an enemy chain next to the stone can be newly in atari: captures take no liberties from the enemy.
        looked_at: dict[str, Iterable[int]] = {"all": range(len(board)), "new": board.neighbours[point], "none": ()}
        in_atari: set[int] = set()
        for start in looked_at[self.enemy_atari]:
            if after[start] == enemy and start not in in_atari:
                members = chain(board, after, start)
                if len(liberties(board, after, members)) == 1:
                    in_atari.update(members)
        if in_atari:
            said.append(Announcement("atari", mover, len(in_atari)))
        if len(liberties(board, after, chain(board, after, point))) == 1 and not self._is_unsaid(before, point):
            said.append(Announcement("self_atari", mover))
        return tuple(said) or (Announcement("played", mover),)

    def _is_unsaid(self, before: PhantomPosition, point: int) -> bool:
        """Return True if own atari is not announced: under `none`, or `new_only` if the stone joins chains in atari."""
        if self.own_atari != "new_only":
            return self.own_atari == "none"
        board, stones = self.board, before.stones
        own = [near for near in board.neighbours[point] if stones[near] == before.mover]
        return bool(own) and all(len(liberties(board, stones, chain(board, stones, near))) == 1 for near in own)

    def heard_komi(self, view: View) -> float:
        placed = dict.fromkeys(self.colours, 0)
        handicap = 0
        passed = [news.actor for news in view.news if news.action == PASS]
        for news in view.news:
            if news.seating is not None:
                placed[view.colour], placed[other_of_two(view.colour)] = len(news.seating.placed), news.seating.unseen
                handicap = self.count_handicap(placed[BLACK], placed[WHITE])
            elif not news.refused and (news.action is None or news.action >= 0):
                placed[news.actor] += 1
        komi = self.game_komi(handicap)
        if self.button and passed:
            komi += BUTTON if passed[0] == WHITE else -BUTTON
        return komi + (placed[BLACK] - placed[WHITE] if self.counts_territory else 0)

    def with_board(
        self, position: PhantomPosition, stones: bytes, before: bytes, last: Event | None, history: History
    ) -> PhantomPosition:
        return replace(position, stones=stones, before=before, last=last, history=history)

    def texts(self, said: Sequence[Announcement]) -> list[str]:
        return announcement_texts(said, self.lang, self.values["announce"] == "joined")

    # -- what a seat is told -----------------------------------------------------------------------------------------

    def hears(self, before: PhantomPosition, event: Event, after: PhantomPosition, colour: int) -> News | None:
        if event.action < 0:
            if self.judges_dead and unpack(event.action)[0] == MARK_DEAD:
                # Say nothing, because the news would reveal hidden stones in a game that may continue.
                return None
            said = after.said if event.action == PASS else ()
            return News(event.actor, event.action, said=said)
        is_own = event.actor == colour
        known = event.action if is_own else None
        if after.turn == before.turn:
            if not is_own and self.refusal_is_private:
                return None
            is_shown = is_own and self.refusal_shows_stone
            shown = before.stones[event.action] if is_shown else None
            return News(event.actor, known, True, said=after.said, shown=shown)
        captured, told = after.captured, after.said
        if is_own and self.only_owner_sees_captures:
            # Name only the captured stones that the player has been shown before.
            captured = tuple(point for point in captured if point in before.seen)
            told = tuple(replace(item, points=captured) if item.points else item for item in told)
        return News(event.actor, known, False, captured, told)

    def hears_start(self, position: PhantomPosition, colour: int) -> News | None:
        stones = position.stones
        if not any(stones) and position.mover == self.colours[0]:
            return None
        placed = tuple(point for point, there in enumerate(stones) if there == colour)
        unseen = len(stones) - stones.count(0) - len(placed)
        return News(CHANCE, None, seating=Seating(placed, unseen, position.mover))

    def watch(self, colour: int) -> "PhantomWatch":
        return PhantomWatch(self, colour)


def _choices(stones: bytes) -> tuple[int, ...]:
    return (*(point for point, stone in enumerate(stones) if not stone), PASS)


class PhantomWatch:
    """The knowledge that a seat of Go Fantôme can deduce from its news.

    Source: "Astuce pour les joueurs": count the opponent's stones, one for each of their moves.
    """

    def __init__(self, rules: PhantomRules, colour: int) -> None:
        self._rules = rules
        self._colour = colour
        self._stones = bytearray(len(rules.board))
        self._news: list[News] = []
        self._tried: set[int] = set()
        self._to_play = BLACK
        self._turn = 1
        # Possible numbers of passes in a row: several, if private tries of the other side may have come between passes.
        self._passes = frozenset({0})
        self._has_button = rules.button
        self._hidden = 0
        self._tries = 0
        # True if a player has left, the end has been settled, or a repeated board has made the game a draw.
        self._left = False

    def hear(self, news: News) -> None:
        self._news.append(news)
        if news.seating is not None:
            for point in news.seating.placed:
                self._stones[point] = self._colour
            self._hidden, self._to_play = news.seating.unseen, news.seating.to_play
        elif news.refused:
            self._hear_refusal(news)
        elif news.action is None or news.action >= 0 or news.action == PASS:
            self._hear_turn(news)
        elif news.action == TURN and news.actor != self._to_play:
            self._go_on(self._to_play)
            self._part_passes()
            self._to_play = news.actor
            self._tried.clear()
        elif news.action == RESUME:
            self._passes = frozenset({0})
        elif news.action == SETTLE or news.action in LEAVING:
            self._left = True

    def _hear_refusal(self, news: News) -> None:
        self._tries += 1
        if self._rules.refusal_parts_passes:
            self._part_passes()
        if news.action is None:
            return
        self._tried.add(news.action)
        if news.shown is not None and self._stones[news.action] != news.shown:
            self._stones[news.action] = news.shown
            self._hidden -= 1

    def _hear_turn(self, news: News) -> None:
        self._tries += 1
        self._turn += 1
        self._go_on(news.actor)
        is_pass = news.action == PASS
        self._passes = frozenset(count + 1 if is_pass and not self._has_button else 0 for count in self._passes)
        self._has_button = self._has_button and not is_pass
        self._to_play = other_of_two(news.actor)
        self._tried.clear()
        if news.actor == self._colour:
            self._hidden -= news.count - sum(self._stones[point] != EMPTY for point in news.captured)
            if news.action is not None and news.action >= 0:
                self._stones[news.action] = self._colour
        elif news.action != PASS:
            self._hidden += 1
        for point in news.captured:
            self._stones[point] = EMPTY
        self._left = self._left or news.repeated

    def _go_on(self, actor: int) -> None:
        """Note that a colour took a turn: so the game was not over, and unheard tries may have come before the turn."""
        rules, end = self._rules, self._rules.end_passes
        self._passes = frozenset(count for count in self._passes if count <= end)
        is_unheard = rules.refusal_parts_passes and rules.refusal_is_private and actor != self._colour
        if is_unheard and min(self._passes) < end:
            self._passes |= {0}

    def _part_passes(self) -> None:
        """Note an event that separates two passes. Passes that have provisionally ended the game still count."""
        end = self._rules.end_passes
        self._passes = frozenset(0 if count < end else count for count in self._passes)

    def view(self) -> View:
        rules, colour, stones = self._rules, self._colour, bytes(self._stones)
        # Prefer the greatest possible number that does not end the game; assume its end only if there is none.
        passes = max((count for count in self._passes if count <= rules.end_passes), default=rules.end_passes + 1)
        over = self._left or passes > rules.end_passes or 0 < rules.most_tries <= self._tries
        may_act = self._to_play == colour and not over
        return View(
            colour,
            stones,
            self._to_play,
            partial(_choices, stones) if may_act else tuple,
            self._turn,
            passes,
            passes + 1 >= rules.end_passes,
            frozenset(self._tried),
            self._hidden,
            news=tuple(self._news),
            final=over,
        )
