"""How a game ended, for hosts and for people."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from gtp_variants.rules.colour_names import COLOUR_LETTERS, colour_name
from gtp_variants.rules.languages import format_number


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended, or how it stands.

    `winner` is None for a draw; `how` is "score", "resign", "time", "forfeit", "five", "suicide", "repetition" or
    "blocked"; `margin` is in points and only for "score". A game that ends in a way of its own gives that any other
    word, and its sentence by language in `sentences`, with a place {name} for the winner.

    >>> import gtp_variants as gv
    >>> outcome = gv.random_game(gv.parse("go:size=5"), seed=1).outcome
    >>> outcome.sgf, outcome.sentence(), outcome.sentence("fr")
    ('W+12.5', 'White wins by 12.5 points', 'Blanc gagne de 12,5 points')
    """

    winner: int | None
    how: str
    margin: float = 0.0
    sentences: Mapping[str, str] | None = field(default=None, compare=False, repr=False)

    @property
    def sgf(self) -> str:
        """The result as an SGF `RE` has it: B+7.5, W+R, W+T, B+F, W+ (a win without a score), 0 for a draw."""
        if self.winner is None:
            return "0"
        tail = {"resign": "R", "time": "T", "forfeit": "F"}.get(self.how, "")
        if self.how == "score":
            tail = format_number(self.margin)
        return f"{COLOUR_LETTERS[self.winner].upper()}+{tail}"

    @property
    def gtp(self) -> str:
        """The result as `final_score` says it: a win that has no score reads +1, so that every host understands it."""
        text = self.sgf
        return text + "1" if text.endswith("+") else text

    def sentence(self, lang: str = "en") -> str:
        """Who won and how, for a person."""
        return _outcome_sentence(self, lang)


def _outcome_sentence(outcome: Outcome, lang: str) -> str:
    texts = _OUTCOMES[lang]
    if outcome.sentences is not None:
        return outcome.sentences[lang].format(name=colour_name(outcome.winner, lang) if outcome.winner else "")
    if outcome.winner is None:
        return texts["draw " + outcome.how]
    points = format_number(outcome.margin, lang)
    key = "score one" if outcome.how == "score" and outcome.margin <= 1 else outcome.how
    return texts[key].format(name=colour_name(outcome.winner, lang), points=points)


_OUTCOMES = {
    "en": {
        "score": "{name} wins by {points} points",
        "score one": "{name} wins by {points} point",
        "resign": "{name} wins by resignation",
        "time": "{name} wins on time",
        "forfeit": "{name} wins by forfeit",
        "five": "{name} wins with five in a row",
        "suicide": "{name} wins: the last stone was the only one taken off",
        "blocked": "{name} wins: the opponent has no move",
        "draw score": "a draw: both sides have the same score",
        "draw repetition": "a draw by repetition",
        "draw blocked": "a draw: there is no move left",
    },
    "fr": {
        "score": "{name} gagne de {points} points",
        "score one": "{name} gagne de {points} point",
        "resign": "{name} gagne par abandon",
        "time": "{name} gagne au temps",
        "forfeit": "{name} gagne par forfait",
        "five": "{name} gagne avec cinq pierres alignées",
        "suicide": "{name} gagne : la dernière pierre est la seule à avoir été prise",
        "blocked": "{name} gagne : l'adversaire n'a plus de coup",
        "draw score": "partie nulle : les scores sont égaux",
        "draw repetition": "partie nulle par répétition",
        "draw blocked": "partie nulle : il n'y a plus de coup",
    },
}
