"""Words for people who play on a server behind a bridge: what they ask by kgsGtp, what they are told by gtp2ogs.

kgsGtp hands on what somebody says (`kgs-chat game|private NAME TEXT`) and says the answer; an engine cannot speak first
there. gtp2ogs says every line of the log that is marked `MAIN:`, and draws curves from lines like Leela Zero's.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from gtp_variants.errors import CommandFailed
from gtp_variants.gtp.engine.commands import command
from gtp_variants.gtp.engine.session import Session
from gtp_variants.gtp.stderr_log import log
from gtp_variants.lang import as_sentence, say
from gtp_variants.records.sentences import draw_sentence
from gtp_variants.rules.actions import CHANCE
from gtp_variants.rules.colour_names import colour_name
from gtp_variants.rules.traits import DicedRules

if TYPE_CHECKING:
    from gtp_variants.ai.mcts.result import SearchResult

_MARK = "MAIN:"
# A saying goes into one line of a server's chat.
_MOST_POINTS = 24


# -- kgsGtp ------------------------------------------------------------------------------------------------------------


@command("kgs-chat")
def kgs_chat(session: Session, arguments: list[str]) -> str:
    """The answer to what somebody said in the game or in private; refused where there is nothing to say to it."""
    # One word, as people type it: `dice`, `Dice?`, `!dice`.
    word = arguments[2].lower().removeprefix("!").rstrip("?!.")
    if len(arguments) > 3 or word not in _ANSWERS:
        raise CommandFailed("nothing to say to that")
    answer, lang = _ANSWERS[word]
    return answer(session, lang)


def _help(session: Session, lang: str) -> str:
    return say("chat.help", lang)


def _rules(session: Session, lang: str) -> str:
    rules = session.rules
    told = say("chat.rules", lang, title=rules.title, spec=rules.spec)
    return f"{told} {rules.profile.chat_rules.get(lang, '')}".rstrip()


def _level(session: Session, lang: str) -> str:
    return say("chat.level", lang, who=session.bot.introduce(lang))


def _dice(session: Session, lang: str) -> str:
    sentences = (_off_line(session, lang), _draw(session, lang))
    return " ".join(filter(None, sentences)) or as_sentence(say("refused_requests.no_dice", lang))


# What people type -> what answers it, in which language.
_ANSWERS: dict[str, tuple[Callable[[Session, str], str], str]] = {
    "help": (_help, "en"),
    "aide": (_help, "fr"),
    "level": (_level, "en"),
    "niveau": (_level, "fr"),
    "rules": (_rules, "en"),
    "règles": (_rules, "fr"),
    "regles": (_rules, "fr"),
    "dice": (_dice, "en"),
    "dés": (_dice, "fr"),
    "des": (_dice, "fr"),
}


def _draw(session: Session, lang: str) -> str:
    """Whose turn it is, under which draw, and where it may be played; "" without dice."""
    rules = session.with_options(lang=lang)
    position = session.position
    sentence = draw_sentence(rules, position)
    if sentence is None or not isinstance(rules, DicedRules):
        return ""
    points = rules.board.vertices_of(rules.open_points(position))
    listed = f": {' '.join(points)}" if 0 < len(points) <= _MOST_POINTS else ""
    return f"{colour_name(position.mover, lang)}, {sentence}{listed}."


def _off_line(session: Session, lang: str) -> str:
    """That a stone was let stand off its line, as long as it or the answer to it is the last move; else ""."""
    if session.table_play.off_line is None:
        return ""
    after, vertex = session.table_play.off_line
    game = session.table.game
    # What was taken back is another position when it is played again.
    count = next((index for index, position in enumerate(game.positions) if position is after), None)
    if count is None or sum(event.actor != CHANCE for event in game.events[count:]) > 1:
        return ""
    return say("chat.off_line", lang, vertex=vertex)


# -- gtp2ogs -----------------------------------------------------------------------------------------------------------


def tell_server(session: Session, thought_s: float) -> None:
    """After a move of the bot's: what its search saw, and the draw of the turn that begins."""
    if session.bot.found is not None and session.rules.is_open:
        for line in _like_leela_zero(session, session.bot.found, thought_s):
            log(line)
    lang = session.rules.lang
    for sentence in (_off_line(session, lang), _draw(session, lang)):
        if sentence:
            log(f"{_MARK}{sentence}")


def _like_leela_zero(session: Session, found: "SearchResult", thought_s: float) -> list[str]:
    """What a search found, in the two lines that gtp2ogs reads; [] where there is nothing to draw."""
    from gtp_variants.ai.mcts.candidates import lower_bound, playable_line, winrate_after

    visits, moves = found.visits.get(found.action, 0), playable_line(found, found.principal_variation)
    if not visits or not moves:
        return []
    win, lcb = winrate_after(found, found.action), lower_bound(found, found.action)
    prior = found.priors.get(found.action, 0.0)
    shown = " ".join(map(session.word, moves))
    speed = found.playouts / max(thought_s, 0.001)
    return [
        f"{session.word(found.action)} -> {visits:7} (V: {win:.2%}) (LCB: {lcb:.2%}) (N: {prior:.2%}) PV: {shown}",
        f"{sum(found.visits.values())} visits, {len(found.visits)} nodes, {found.playouts} playouts, {speed:.0f} n/s",
    ]
