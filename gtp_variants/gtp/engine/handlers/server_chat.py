"""Messages for people on a Go server: answers to chat for kgsGtp, and news in the log for gtp2ogs.

kgsGtp passes on each chat message (`kgs-chat game|private NAME TEXT`) and posts the answer; the engine cannot speak
first. gtp2ogs posts every line of the log that is marked `MAIN:`, and draws graphs from lines in Leela Zero's format.
"""

from typing import TYPE_CHECKING

from gtp_variants.errors import CommandFailed
from gtp_variants.gtp.engine.commands import command
from gtp_variants.gtp.engine.session import Session
from gtp_variants.gtp.stderr_log import log
from gtp_variants.lang import as_sentence, say
from gtp_variants.records.sentences import draw_sentence
from gtp_variants.rules.actions import CHANCE
from gtp_variants.rules.colour_names import colour_name
from gtp_variants.rules.languages import translate
from gtp_variants.rules.traits import DicedRules

if TYPE_CHECKING:
    from gtp_variants.ai.mcts.result import SearchResult

_MARK = "MAIN:"
# Maximum number of points listed: more would not fit into one line of a server's chat.
_MOST_POINTS = 24


# -- kgsGtp ------------------------------------------------------------------------------------------------------------


@command("kgs-chat")
def kgs_chat(session: Session, arguments: list[str]) -> str:
    """Answer a message of one known word, such as `dice`, `Dice?` or `!dice`. Raises CommandFailed for any other."""
    word = arguments[2].lower().removeprefix("!").rstrip("?!.")
    if len(arguments) > 3 or word not in _ANSWERS:
        raise CommandFailed("cannot answer: unknown word")
    answer, lang = _ANSWERS[word]
    return answer(session, lang)


def _help(session: Session, lang: str) -> str:
    return say("chat.help", lang)


def _rules(session: Session, lang: str) -> str:
    rules = session.rules
    said = say("chat.rules", lang, title=rules.title, spec=rules.spec)
    return f"{said} {translate(rules.profile.chat_rules, lang)}".rstrip()


def _level(session: Session, lang: str) -> str:
    return say("chat.level", lang, who=session.bot.introduce(lang))


def _dice(session: Session, lang: str) -> str:
    sentences = (_off_line(session, lang), _draw(session, lang))
    return " ".join(filter(None, sentences)) or as_sentence(say("refused_requests.no_dice", lang))


# The words that people type in each language, with the function that answers.
_WORDS = {
    "en": {"help": _help, "level": _level, "rules": _rules, "dice": _dice},
    "fr": {"aide": _help, "niveau": _level, "règles": _rules, "regles": _rules, "dés": _dice, "des": _dice},
}
_ANSWERS = {word: (answer, lang) for lang, answers in _WORDS.items() for word, answer in answers.items()}


def _draw(session: Session, lang: str) -> str:
    """Return a sentence on the turn, the draw and the open points, or "" in a game without dice."""
    rules = session.with_options(lang=lang)
    position = session.position
    sentence = draw_sentence(rules, position)
    if sentence is None or not isinstance(rules, DicedRules):
        return ""
    points = rules.board.vertices_of(rules.open_points(position))
    listed = f": {' '.join(points)}" if 0 < len(points) <= _MOST_POINTS else ""
    return f"{colour_name(position.mover, lang)}, {sentence}{listed}."


def _off_line(session: Session, lang: str) -> str:
    """Return a warning about the last stone played off its line, or "" once another move has followed the reply."""
    if session.table_play.off_line is None:
        return ""
    after, vertex = session.table_play.off_line
    game = session.table.game
    # Compared by identity, because a move taken back and played again creates another position object.
    count = next((index for index, position in enumerate(game.positions) if position is after), None)
    if count is None or sum(event.actor != CHANCE for event in game.events[count:]) > 1:
        return ""
    return say("chat.off_line", lang, vertex=vertex)


# -- gtp2ogs -----------------------------------------------------------------------------------------------------------


def tell_server(session: Session, thought_s: float) -> None:
    """Log the search behind the bot's move, any warning of a stone off its line, and the next draw."""
    if session.bot.found is not None and session.rules.is_open:
        for line in _like_leela_zero(session, session.bot.found, thought_s):
            log(line)
    lang = session.rules.lang
    for sentence in (_off_line(session, lang), _draw(session, lang)):
        if sentence:
            log(f"{_MARK}{sentence}")


def _like_leela_zero(session: Session, found: "SearchResult", thought_s: float) -> list[str]:
    """Return a search result as the two lines that gtp2ogs reads, or [] if the search made no visits."""
    from gtp_variants.ai.mcts.candidates import lower_bound, playable_line, winrate_after

    visits, moves = found.visits.get(found.action, 0), playable_line(found, found.principal_variation)
    if not visits or not moves:
        return []
    win, lcb = winrate_after(found, found.action), lower_bound(found, found.action)
    prior = found.priors.get(found.action, 0.0)
    line = " ".join(map(session.word, moves))
    speed = found.playouts / max(thought_s, 0.001)
    return [
        f"{session.word(found.action)} -> {visits:7} (V: {win:.2%}) (LCB: {lcb:.2%}) (N: {prior:.2%}) PV: {line}",
        f"{sum(found.visits.values())} visits, {len(found.visits)} nodes, {found.playouts} playouts, {speed:.0f} n/s",
    ]
