"""The outcome of a game, with its sentence and its forms for SGF and GTP."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from gtp_variants.rules.colour_names import COLOUR_LETTERS, colour_name
from gtp_variants.rules.languages import format_number, sentence, typeset


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a game, or its current score.

    `winner` is None for a drawn game; `how` is "score", "resign", "time", "forfeit", "five", "suicide", "repetition" or
    "blocked"; `margin` is in points and used only for "score". A game with another kind of end uses another word for
    `how` and puts the sentence for it, by language, in `sentences`, where {name} stands for the winner.

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
        """The result as in SGF's `RE`: B+7.5, W+R, W+T, B+F, W+ (a win without a score), 0 (a drawn game)."""
        if self.winner is None:
            return "0"
        tail = {"resign": "R", "time": "T", "forfeit": "F"}.get(self.how, "")
        if self.how == "score":
            tail = format_number(self.margin)
        return f"{COLOUR_LETTERS[self.winner].upper()}+{tail}"

    @property
    def gtp(self) -> str:
        """The result as in GTP's `final_score`. A win without a score is written +1, which every host understands."""
        text = self.sgf
        return text + "1" if text.endswith("+") else text

    def sentence(self, lang: str = "en") -> str:
        """Return a sentence that says who won and how, or why the game is drawn."""
        name = colour_name(self.winner, lang) if self.winner else ""
        if self.sentences is not None:
            return typeset(self.sentences[lang], lang).format(name=name)
        if self.winner is None:
            return sentence("outcome", "draw " + self.how, lang)
        key = "score one" if self.how == "score" and self.margin <= 1 else self.how
        return sentence("outcome", key, lang, name=name, points=format_number(self.margin, lang))
