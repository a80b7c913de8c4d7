"""Games to write and read back: random games of all kinds, and handmade ones with every kind of event."""

from collections.abc import Callable
from functools import cache

from gtp_variants.records.record import play_words
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK, PASS, RED, WHITE, Event
from gtp_variants.rules.game import Game, random_game
from gtp_variants.rules.rules import Rules
from tests.support.specs import RECORDED, two_quick


def game(spec: str, words: str, setup: dict[int, int] | None = None, first: int | None = None) -> Game:
    """Return the game with these events, separated by commas, such as "b D4, chance 2 5, w resign"."""
    made = Game(parse(spec), setup, first)
    events = [event.strip().split(" ", 1) for event in words.split(",") if event.strip()]
    play_words(made, events, (f"event {number}" for number in range(len(events))))
    return made


HANDMADE = (
    game("go:size=9", "b D4, w resign"),
    game("go:size=9", "b D4, b turn, b E5, w pass, b time"),
    game("go:size=9", "w turn, w D4, b pass, w pass, chance settle"),
    game("go:size=9", "b D4, w pass, b pass, w resume, w E5, b pass, w pass, b pass"),
    game("go:size=9,dead=agreed", "b D4, w E5, b pass, w pass, b dead E5, b dead D4, w dead D4, b pass"),
    game("go:size=9", "w D4, b forfeit", {40: BLACK, 20: BLACK, 24: BLACK}, WHITE),
    game("go:size=9", "", {40: BLACK, 41: WHITE}),
    game("aleago:size=9", "chance 3, b C3, chance 1, w pass, b set_dice 2d6, chance 2 5"),
    game("alter-igo:size=3,white_passes=6", "chance match 1/2 black_moves, w white_passes 6, b A1, w pass"),
    game("phantom:size=5", "b match 2/2, b C3, w C3, w pass"),
    game(
        "aleago:size=9",
        "chance free, b E5, chance 4, w set_dice 2d2, chance 1 2, w pass, chance 2 2, b pass, w resume, w resign",
    ),
    game("aleago:size=9,crystal_ball=true", "chance 1, chance 2, b A1, chance free, w B2, b set_dice 1d2, chance 1"),
    game("phantom:size=5", "b C3, w C3, w C3, w D3, b D3, b pass, w pass, b resume, b A1"),
    game("pentalath:swap=true", "w D4, b swap, w E4, b resign"),
    game("pentalath:players=3", "w D4, b E4, r F4, b resign, w D5, r time"),
    game("pentalath:players=3", "b D4, r E4, w resign", {0: RED, 5: WHITE, 9: BLACK}, BLACK),
    game("alter-igo:size=3", "w turn, w B2, b A1, w A2, b A3"),
    # A chain that fills the board with its last stone removes itself, so that the shown board must be corrected.
    game("alter-igo:width=3,height=1", "b A1, w C1, b B1, w B1"),
    game("rosette:n=2", "b B1, w turn, w C1, b A2, w pass, b pass, w pass"),
)


_RANDOM = {
    f"{spec} {'to its end' if plies > 17 else 'broken off'}": (spec, seed, plies)
    for seed, plies in ((1, 600), (2, 17))
    for spec in RECORDED
}
_HANDMADE = {f"by hand {number}, {played.rules.name}": played for number, played in enumerate(HANDMADE)}


def names(fits: Callable[[Rules], bool] = lambda rules: True) -> list[object]:
    """Return the names of games for `recorded` whose rules fit: two random ones per SPEC, and the handmade ones."""
    return [
        *two_quick(name for name, (spec, _, _) in _RANDOM.items() if fits(parse(spec))),
        *(name for name, played in _HANDMADE.items() if fits(played.rules)),
    ]


@cache
def recorded(name: str) -> Game:
    """Return the game with this name."""
    if name in _HANDMADE:
        return _HANDMADE[name]
    spec, seed, plies = _RANDOM[name]
    return random_game(parse(spec), seed, plies)


def rosette() -> Game:
    """Return a game in which Black builds a rosette, one stone per turn, and then plays elsewhere."""
    rules = parse("rosette:n=2")
    game = Game(rules)
    face = rules.board.faces[0]
    beyond = next(
        p for p in range(len(rules.board)) if p not in face and set(rules.board.neighbours[p]).isdisjoint(face)
    )
    for point in (*face, beyond):
        game.play(BLACK, point)
        game.play(WHITE, PASS)
    return game


def five() -> Game:
    """Return a game in which White, who begins, has five in a row."""
    rules = parse("pentalath:lang=fr")
    points = map(rules.board.point, "A1 A2 B1 B2 C1 C2 D1 D2 E1".split())
    return Game.replay(rules, [Event(WHITE - index % 2, point) for index, point in enumerate(points)])
