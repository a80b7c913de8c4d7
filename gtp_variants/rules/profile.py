"""`GameProfile`: facts about a game for hosts, bots and search."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from gtp_variants.rules.languages import Translated

# Settings of a search by name.
Settings = Mapping[str, bool | int | float]


@dataclass(frozen=True, slots=True, kw_only=True)
class GameProfile:
    """Facts about a game for hosts, bots and search. Each game declares its profile in its own file.

    `rules.profile` holds the profile, and code outside `rules/` reads it instead of checking a game's name or class. If
    a field is a function, its argument is the configured rules of the game.
    """

    # -- examples and hosts
    small_spec: str  # SPEC with short games, for checks and examples
    bench_specs: tuple[str, ...] = ()  # SPECs that `gtp-variants bench` measures; `small_spec` if empty
    is_go: bool = False  # True for ordinary Go, whose rules Go programs and servers know
    fits_go_hosts: bool = False  # True if Go programs and servers can accept this game's moves on their board
    captures_as_go: bool = False  # True if those programs, given the moves, show the same stones as this game's board
    chat_titles: Mapping[str, str] = field(default_factory=dict)  # the game's name for a Go server's chat, by language
    chat_rules: Translated = ("", "")  # the rules in one line for that chat, or empty texts

    # -- bots
    default_bot: str = "mcts"  # name of the bot that plays if no bot is chosen
    expected_turns_a_point: float = 1.0  # turns per point of the board in a game between bots, passes included
    # Probability of winning below which a bot resigns. None: a bot resigns only after a proved loss. This suits games
    # without a score, where a lost position can still be won if the opponent errs.
    resign_threshold: float | None = None
    resign_turns: int = 3  # consecutive own turns below that threshold before a bot resigns
    default_contempt: float = 0.0  # amount that a bot subtracts from 0.5, the value of a tie

    # -- search and networks
    mark_names: tuple[str, ...] = ()  # keys of `Rules.find_marks`
    decisive_marks: tuple[str, ...] = ()  # the `mark_names` that a player must see to play well
    limits_passes: bool = False  # True if an option limits the number of passes
    search_defaults: Settings = field(default_factory=dict)  # search settings that performed best in tests
    network_search_defaults: Callable[..., Settings] = lambda rules: {}  # best settings of a search with a network
    judged_as: str = ""  # game whose networks also judge positions of this game
    # The class of each point, as a number; () if all points belong to one class.
    point_classes: Callable[..., Sequence[int]] = lambda rules: ()
    kernel_game: str = ""  # name in the compiled search; "" if the search does not know the game
    kernel_facts: Callable[..., Mapping[str, object]] = lambda rules: {}  # what the search must know besides the board
