"""Search and playouts from a position, a game or a view: the calls that choose between the kernel and plain Python."""

from typing import TYPE_CHECKING

from gtp_variants.ai.backend import search_backend
from gtp_variants.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from gtp_variants.ai.mcts.result import OnProgress, PlayoutCounts, SearchResult
    from gtp_variants.ai.mcts.settings import AvoidedMove, Setting
    from gtp_variants.ai.nets.evaluators import Evaluator
    from gtp_variants.ai.nets.network import Network
    from gtp_variants.rules.game import Game
    from gtp_variants.rules.position import Position
    from gtp_variants.rules.rules import Rules
    from gtp_variants.rules.views import View

_SEEDS = 2**64


def playouts(rules: "Rules", at: "Position | Game", n: int, seed: int = 0, threads: int = 1) -> tuple[float, ...]:
    """The mean share of each colour in turn order over `n` playouts from a position, or from a game as it stands.

    A win is 1; a draw is shared by those who have not left the game. The same seed gives the same shares in every form
    and with any number of threads; plain Python uses one. Raises ConfigError for `n` or `threads` that cannot
    be, and for a position that cannot be of this game.

    >>> import gtp_variants as gv
    >>> rules = gv.parse("pentalath")
    >>> shares = gv.playouts(rules, rules.start(), n=200, seed=1)
    >>> abs(sum(shares) - 1) < 1e-9
    True
    """
    from gtp_variants.ai.mcts.tree_search import position_of

    counts = count_playouts(rules, at, n, seed, threads)
    gone = {event.actor for event in position_of(rules, at).out}
    staying = sum(colour not in gone for colour in rules.colours)
    return tuple(
        (won + (0 if colour in gone else counts.draws / staying)) / int(n)
        for colour, won in zip(rules.colours, counts.wins, strict=True)
    )


def count_playouts(rules: "Rules", at: "Position | Game", n: int, seed: int = 0, threads: int = 1) -> "PlayoutCounts":
    """What `n` playouts came to: wins by colour in turn order, draws, and the turns of all of them."""
    from gtp_variants.ai.mcts.settings import find_playout_faults
    from gtp_variants.ai.mcts.tree_search import position_of

    faults = find_playout_faults(n, seed, threads)
    if faults:
        raise ConfigError(faults)
    n, seed, threads = int(n), int(seed), int(threads)
    position = position_of(rules, at)
    if search_backend(rules) == "python":
        from gtp_variants.ai.mcts.plain.playouts import run_playouts

        return run_playouts(rules, position, n, seed % _SEEDS)
    from gtp_variants.ai.mcts import kernel_calls

    return kernel_calls.count_playouts(rules, position, n, seed % _SEEDS, threads)


def search(
    rules: "Rules",
    at: "Position | Game | View",
    playouts: int = 0,
    seconds: float = 0.0,
    seed: int = 0,
    on_progress: "OnProgress | None" = None,
    avoided: "Sequence[AvoidedMove]" = (),
    evaluator: "Evaluator | None" = None,
    network: "Network | Path | str | None" = None,
    hidden_network: "Network | Path | str | None" = None,
    **settings: "Setting",
) -> "SearchResult":
    """Look for the best move of the side to play, by so many playouts or for so many seconds, whichever ends first.

    The other settings are those of `SearchSettings`; what is not set suits the game. With a number of playouts, one
    thread and a seed the same moves come out on every machine, as long as the seconds do not end first; without the
    kernel they are those of `variant=plain`. From a view that hides stones it searches positions that agree with the
    news, and sums up what it finds there (`SearchResult.merge`); some moves may then be refused. While the dice are
    still to be thrown it looks at every throw: the values are those before it, the visits those under all of them
    together. `on_progress` and `avoided` are those of `Thinker`, which does the same from move to move of an open game.

    With an `evaluator`, any object as `nets.evaluators.Evaluator` describes it, positions are judged by it and not by
    playouts, and the other settings are those of `PuctSettings`; numpy must be there. What it raises is raised. With a
    `network`, a weight file or "auto" for that of the package, the same is done in the kernel and needs no numpy. A
    `hidden_network`, in the same words, tells where stones may stand that a view hides.

    Raises ConfigError for wrong settings, a network of another shape, and a position or avoided moves that cannot be of
    this game, EvaluatorError for an answer of the evaluator that is none, GameOver if no position agrees with the news
    of a view; where none was found before it has to end it searches the board that comes nearest.

    >>> import gtp_variants as gv
    >>> rules = gv.parse("go:size=5")
    >>> found = gv.search(rules, rules.start(), playouts=200, seed=1)
    >>> rules.board.vertex(found.action), sum(found.visits.values()) >= 200
    ('C3', True)
    """
    from gtp_variants.ai.mcts.tree_search import Thinker
    from gtp_variants.rules.views import View

    if hidden_network is not None:
        from gtp_variants.ai.nets.weight_choice import choose_hidden_network

        # Where there is nothing to tell a wrong one is refused all the same.
        choose_hidden_network(rules, hidden_network)
    if isinstance(at, View) and at.position is None:
        from gtp_variants.ai.mcts.hidden_search import HiddenSearch
        from gtp_variants.rules.rules import check_fits

        check_fits(rules, at)
        limits = {"playouts": playouts, "seconds": seconds}
        told = evaluator, network, hidden_network
        return HiddenSearch(rules, at, seed, avoided, on_progress, *told, {**limits, **settings}).think()

    thinker = Thinker(rules, seed, avoided, evaluator, network, playouts=playouts, seconds=seconds, **settings)
    return thinker.think(at, on_progress)


def find_priors(
    rules: "Rules", position: "Position", network: str, settings: "Mapping[str, Setting]"
) -> "Mapping[int, float]":
    """What each move is worth before a search, whatever that search leaves out: programs take it for the policy."""
    from gtp_variants.ai.mcts.tree_search import Thinker

    return Thinker(rules, 0, (), None, network, **settings).think(position, playouts=1).priors
