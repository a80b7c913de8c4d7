"""What happens in a game, told on standard error: draws, open points, what the referee said."""

from collections.abc import Iterable

from gtp_variants.gtp.engine.session import Session, shown_view
from gtp_variants.gtp.stderr_log import log
from gtp_variants.rules import words
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.traits import DicedRules, HiddenRules
from gtp_variants.rules.views import News


class NewsLog:
    """Logs what changed since it looked last: what the referee said, the draw and what it opens.

    Where only the knowledge of one player is shown, it logs what that player is told, and nothing of what they are not.
    """

    def __init__(self) -> None:
        self._logged: object = None

    def update(self, session: Session) -> None:
        """Log the news of a session's game, if there are any."""
        view = shown_view(session)
        if view is None:
            self._log_position(session.rules, session.position)
        elif view.news != self._logged:
            self._logged = view.news
            for sentence in hidden_sentences(session.rules, view.news[-1:]):
                log(sentence)
            if view.passes >= session.rules.end_passes and not view.final:
                _log_suspension(session.rules)

    def _log_position(self, rules: Rules, position: Position) -> None:
        from gtp_variants.records.sentences import announcements, draw_sentence

        if position == self._logged:
            return
        self._logged = position
        for sentence in announcements(rules, position):
            log(sentence)
        if rules.is_suspended(position):
            _log_suspension(rules)
        draw = draw_sentence(rules, position)
        if draw is not None and isinstance(rules, DicedRules):
            points = " ".join(rules.board.vertices_of(rules.open_points(position)))
            log(f"{words.name(position.mover, rules.lang)}, {draw} {points}".rstrip())


def hidden_sentences(rules: Rules, several: Iterable[News]) -> list[str]:
    """What the referee said in some news of a game of hidden stones, in words; [] in other games."""
    return [text for news in several if isinstance(rules, HiddenRules) for text in rules.sentences(news.said)]


def _log_suspension(rules: Rules) -> None:
    from gtp_variants.lang import say

    log(say("game.suspended", rules.lang))
