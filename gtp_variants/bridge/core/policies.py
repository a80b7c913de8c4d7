"""The bridge's decisions as pure functions: challenges, second passes, clock margins, captures that differ from Go."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from gtp_variants.bridge.core import config as settings
from gtp_variants.bridge.core.server import Seeker, ServerGame, Terms
from gtp_variants.players.clock import Clock, TimeControl
from gtp_variants.players.table import Table
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, CHANCE, EMPTY, PASS, WHITE
from gtp_variants.rules.boards import chains
from gtp_variants.rules.colour_names import COLOUR_NAMES, COLOUR_WORDS
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.traits import DicedRules

# Decisions after two passes in a row.
END, PLAY_ON, AGAIN, HAND_BACK = "end", "play on", "again", "hand back"
_SHORTEST_S = 0.05
# Share of the time left to reserve for the fallback if the engine does not answer, and the maximum reserve in seconds.
_RESERVE, _MOST_RESERVE_S = 0.1, 0.5
# Factor by which our bots may exceed their intended time.
_LATENESS = 1.05
FEWEST_MOVES = 12


@dataclass(frozen=True, slots=True)
class Refusal:
    """A reason for refusing a challenge: a key in the catalogue of sentences, and the values to fill in."""

    key: str
    parts: Mapping[str, object] = field(default_factory=dict)


# A condition, and the reason for refusing if it holds: its key below `bridge.` and its values.
_Reasons = Iterator[tuple[bool, str, Mapping[str, object]]]


def _is_in(user: str, names: Sequence[str]) -> bool:
    return user.lower() in {each.lower() for each in names}


def refusal(
    config: settings.ChallengeConfig, user: str, terms: Terms, played_today: int, people: int | None = None
) -> Refusal | None:
    """Return the first reason for refusing a user on these terms, or None if there is no reason.

    `people` is the number of games with people since the last game with a program, or None if it does not matter.
    """
    reasons = _reasons(config, user, terms, played_today, config.people if people is None else people)
    return next((Refusal(f"bridge.{key}", parts) for holds, key, parts in reasons if holds), None)


def _reasons(config: settings.ChallengeConfig, user: str, terms: Terms, played_today: int, people: int) -> _Reasons:
    yield _is_in(user, config.block), "blocked", {}
    sizes = ", ".join(map(str, config.sizes))
    yield terms.size not in config.sizes, "size", {"sizes": sizes, "size": terms.size}
    if _is_in(user, config.allow):
        return
    yield config.only_allowed, "not_allowed", {}
    yield config.per_user is not None and played_today >= config.per_user, "enough", {"count": played_today}
    yield terms.is_program and people < config.people, "people_first", {"count": config.people - people}
    control, limits = terms.control, config.limits(terms.speed)
    yield limits.games == 0, "speed", {"speed": terms.speed}
    is_unknown = bool(config.systems) and control.kind not in config.systems
    yield is_unknown, "system", {"systems": ", ".join(config.systems)}
    spans = {
        "main": (control.main_s / 60, limits.main_s),
        "period": ((control.period_s or control.increment_s) / 60, limits.period_s),
    }
    for key, (minutes, span) in spans.items():
        least, most = (each / 60 for each in span or (0.0, float("inf")))
        # Where games are sorted by speed, a game without a clock has a class, too, so its times are not checked.
        is_checked = not terms.speed or control.kind != "none"
        said = {"least": f"{least:g}", "most": f"{most:g}", "given": f"{minutes:g}"}
        yield is_checked and not least <= minutes <= most, key, said
    (fewest, most_stones), (low, high) = config.handicap, config.komi
    yield not fewest <= terms.handicap <= most_stones, "handicap", {"least": fewest, "most": most_stones}
    is_komi_wrong = terms.komi is not None and not low <= terms.komi <= high
    yield is_komi_wrong, "komi", {"least": f"{low:g}", "most": f"{high:g}"}
    yield terms.rated and not config.rated, "rated", {}
    yield not terms.rated and not config.free, "free", {}
    yield terms.rated and terms.handicap > 0 and not config.rated_handicap, "rated_handicap", {}
    lowest, highest = config.ranks
    is_of_other_rank = terms.rank is not None and not lowest <= int(terms.rank) <= highest
    ranks = {"least": settings.rank_word(lowest), "most": settings.rank_word(highest)}
    yield terms.rated and is_of_other_rank, "rank", ranks
    yield terms.analysis and not config.analysis, "analysis", {}
    yield config.colours not in ("any", COLOUR_NAMES[terms.colour or EMPTY]), f"only_{config.colours}", {}


def is_of_rank(offer: settings.OfferConfig, rank: float | None) -> bool:
    """Return True if `offer` allows inviting a player of this rank. Rank limits exclude unknown ranks."""
    low, high = offer.ranks
    return offer.ranks == settings.ANY_RANK or (rank is not None and low <= int(rank) <= high)


def terms_of_offer(config: settings.BridgeConfig, seeker: Seeker) -> Terms:
    """Return the terms on which we invite a player to a game."""
    rules, given = parse(config.spec), config.challenges
    size, control, colour = rules.board.width, config.offer.control, COLOUR_WORDS.get(given.colours)
    komi = float(str(rules.values["komi"])) if "komi" in rules.values else None
    return Terms(size, control, colour, komi=komi, rated=given.rated, rank=seeker.rank, is_program=seeker.is_program)


def refusal_of_one_more(
    config: settings.ChallengeConfig, user: str, terms: Terms, games: Iterable[ServerGame]
) -> Refusal | None:
    """Return why another game would exceed the limit for its speed or user, or None. Allowed users have no limit."""
    if _is_in(user, config.allow):
        return None
    games = list(games)
    limit = config.limits(terms.speed).games
    count = sum(game.speed == terms.speed and not game.is_paused for game in games)
    if terms.speed and limit is not None and count >= limit:
        return Refusal("bridge.crowded", {"count": count, "speed": terms.speed})
    count = sum(_is_in(user, tuple(game.players.values())) for game in games)
    return Refusal("bridge.one_more", {"count": count}) if count >= config.at_once else None


def thinking_clock(clock: Clock, config: settings.TimeConfig, gone_s: float) -> Clock:
    """Return the engine's clock: the server's less the margin and `gone_s`; without a clock, `no_clock_s` per move."""
    control = clock.control
    if control.kind == "none":
        if config.no_clock_s is None:
            return clock
        period_s = max(_SHORTEST_S, config.no_clock_s)
        return Clock(TimeControl("byoyomi", period_s=period_s, periods=1), period_s, 1)
    left_s = clock.left_s - gone_s - config.margin_s
    return Clock(control, max(_SHORTEST_S, min(clock.left_s, left_s)), clock.left_count)


def clock_after(clock: Clock, gone_s: float) -> Clock:
    """Return the clock of a side after it has thought for `gone_s` seconds without moving."""
    if clock.control.kind == "none":
        return clock
    now = clock.while_thinking(gone_s)
    return replace(now, left_s=max(_SHORTEST_S, now.left_s))


def move_limit_s(clock: Clock, limits: settings.EngineLimits) -> float:
    """Return the number of seconds after which an engine that is asked for a move counts as hung.

    Without a clock this is the limit for any command. Else it is a share of the time left, but at least a careful
    bot's time. The limit always leaves the fallback enough time for a move.
    """
    longest_s = clock.longest_s
    if clock.control.kind == "none":
        return limits.any_command_s
    careful_s = clock.most_s(FEWEST_MOVES) or 0.0
    limit_s = max(limits.share * longest_s, _LATENESS * careful_s)
    limit_s = min(limit_s, longest_s - min(_MOST_RESERVE_S, _RESERVE * longest_s))
    return limit_s if limits.command_s is None else min(limit_s, limits.command_s)


def may_still_grow(rules: Rules, position: Position) -> bool:
    """Return True if some throw would let the side to move place a stone on a point that is not an eye."""
    if not isinstance(rules, DicedRules):
        return False
    dice = rules.dice_of(position)
    throws = {sum(dice.faces(outcome)): outcome for outcome in range(dice.outcomes)}
    thrown = (rules.with_draws(position, (outcome, *position.draws[1:])) for outcome in throws.values())
    points = {point for each in thrown for point in rules.open_points(each)}
    board, stones = rules.board, position.stones
    return any(not any(chains.is_eye(board, stones, point, colour) for colour in (BLACK, WHITE)) for point in points)


def is_forced_to_pass(rules: Rules, position: Position) -> bool:
    """Return True if the throw leaves the side to move no point to play on."""
    return position.to_play != CHANCE and list(rules.legal(position)) in ([], [PASS])


def own_second_pass(policy: str, table: Table) -> str:
    """Decide about our pass right after the opponent's pass: END, AGAIN (new dice) or HAND_BACK (their turn)."""
    if second_pass_of_two(policy, table.rules, table.position) != AGAIN:
        return END
    return AGAIN if policy == settings.REROLL else HAND_BACK


def second_pass_of_two(policy: str, rules: Rules, second: Position) -> str:
    """Decide about a pass right after another, made in the position `second`.

    Return END if `policy` is ACCEPT or no throw would let that side play outside eyes. Otherwise return PLAY_ON, as
    that side has to play, or AGAIN (with new dice) if the throw left it no point.

    Source: the specification's 000_b028ddfe0fa096f3.txt: "le deuxième joueur voulant passer est obligé de jouer".
    """
    if policy == settings.ACCEPT or not may_still_grow(rules, second):
        return END
    return AGAIN if is_forced_to_pass(rules, second) else PLAY_ON


def diverges(rules: Rules, position: Position, action: int) -> bool:
    """Return True if ordinary Go would forbid this move, or capture other stones with it."""
    if rules.profile.captures_as_go or action < 0:
        return False
    placed = chains.place(rules.board, position.stones, position.mover, action)
    after = rules.play(position, action, position.mover)
    return placed is None or bytes(placed[0]) != bytes(after.stones)


def fallback(rules: Rules, position: Position, refused: Sequence[int]) -> int:
    """Return a move instead of an unusable one: a point outside `refused` and our eyes, else a pass, else any point."""
    points = [action for action in rules.legal(position) if action >= 0 and action not in refused]
    useful = [p for p in points if not chains.is_eye(rules.board, position.stones, p, position.mover)]
    return next(iter(useful), PASS if PASS in rules.legal(position) else next(iter(points), PASS))
