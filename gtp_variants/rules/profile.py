"""`GameProfile`: facts about a game for hosts, bots and search."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

# Settings of a search by name.
Settings = Mapping[str, bool | int | float]


def _no_settings(rules: object) -> Settings:
    return {}


def _no_facts(rules: object) -> Mapping[str, object]:
    return {}


def _equal_points(rules: object) -> Sequence[int]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class GameProfile:
    """Facts about a game for hosts, bots and search. Each game declares its own in its file.

    `rules.profile` holds the profile, and code above `rules/` reads it instead of asking for a game's name or class.
    Each field that is a function takes the configured rules of the game.

    Examples and hosts:

    `small_spec`       SPEC of short games, for checks and examples
    `bench_specs`      SPECs that `gtp-variants bench` measures; `small_spec` if empty
    `is_go`            True for ordinary Go, which programs and servers for Go play by themselves
    `fits_go_hosts`    True if the board of such a program or server can take this game's moves
    `captures_as_go`   True if that board then shows the same stones
    `chat_titles`      name of the game in the chat of a Go server, by language
    `chat_rules`       rules of the game in one line of that chat, by language; empty for Go

    Bots:

    `default_bot`             name of the bot that plays if nobody chooses one
    `expected_turns_a_point`  turns of a game between bots for each point of the board, passes included
    `resign_threshold`        probability of winning below which a bot resigns. None: only after a proved loss, as in
                              games without a score, where a lost position wins as long as the opponent errs
    `resign_turns`            consecutive own turns below that threshold before a bot resigns
    `default_contempt`        amount that a bot subtracts from the value of a tie, 0.5

    Search and networks:

    `mark_names`               keys of `Rules.find_marks`
    `decisive_marks`           those of them that a player must see to play well
    `limits_passes`            True if an option limits the number of passes
    `search_defaults`          settings of a search that measured best
    `network_search_defaults`  function: the same of a search with a network
    `judged_as`                game whose networks also judge positions of this one; "" if there is none
    `point_classes`            function: a number for each point, equal only for points that are alike; () if all are
    `kernel_game`              name of the game in the compiled search; "" if that does not know it
    `kernel_facts`             function: what the compiled search must know besides the board, by its names
    """

    small_spec: str
    bench_specs: tuple[str, ...] = ()
    is_go: bool = False
    fits_go_hosts: bool = False
    captures_as_go: bool = False
    chat_titles: Mapping[str, str] = field(default_factory=dict)
    chat_rules: Mapping[str, str] = field(default_factory=dict)
    default_bot: str = "mcts"
    expected_turns_a_point: float = 1.0
    resign_threshold: float | None = None
    resign_turns: int = 3
    default_contempt: float = 0.0
    mark_names: tuple[str, ...] = ()
    decisive_marks: tuple[str, ...] = ()
    limits_passes: bool = False
    search_defaults: Settings = field(default_factory=dict)
    network_search_defaults: Callable[..., Settings] = _no_settings
    judged_as: str = ""
    point_classes: Callable[..., Sequence[int]] = _equal_points
    kernel_game: str = ""
    kernel_facts: Callable[..., Mapping[str, object]] = _no_facts
