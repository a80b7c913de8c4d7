"""Sentences in the game's language for draws, moves and a referee's announcements."""

from collections.abc import Collection, Iterable
from functools import lru_cache

from gtp_variants.lang import say
from gtp_variants.records.notation import write_action
from gtp_variants.rules import actions, split_spec
from gtp_variants.rules.actions import unpack
from gtp_variants.rules.colour_names import colour_name
from gtp_variants.rules.languages import format_list
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.traits import DicedRules, HiddenRules, faces_of
from gtp_variants.rules.turn_rules import others
from gtp_variants.rules.views import News


def in_language(rules: Rules, lang: str) -> Rules:
    """Return the same rules with sentences in a language; "" means the game's own language."""
    return rules if lang in ("", rules.lang) else _parse_once(rules.spec, lang)


@lru_cache(64)
def _parse_once(spec: str, lang: str) -> Rules:
    cls, given = split_spec(spec)
    return cls({**given, "lang": lang})


def draw_sentence(rules: Rules, position: Position) -> str | None:
    """Return a sentence about the draw in force and the lines it opens, or None without a draw."""
    if not isinstance(rules, DicedRules) or not position.draws:
        return None
    draw = rules.describe_draw(position)
    faces = faces_of(rules, position, position.draws[0])
    if draw is None:
        return None if faces or rules.is_over(position) else say("game.free", rules.lang)
    key = {0: "game.no_line", 1: "game.line"}.get(len(draw["open"]), "game.lines")
    shown = " + ".join(map(str, faces)) + (f" = {draw['total']}" if len(faces) > 1 else "")
    return say(key, rules.lang, faces=shown, lines=format_list(draw["open"], rules.lang))


def event_sentence(rules: Rules, actor: int, action: int, dead: Collection[int]) -> str:
    """Return a sentence about a player's action. `dead` are the stones called dead after it."""
    who = colour_name(actor, rules.lang)
    kind, argument = unpack(action)
    if kind == actions.POINT:
        return f"{who} {rules.board.vertex(action)}"
    word, _, what = write_action(rules, action).partition(" ")
    if kind == actions.MARK_DEAD and argument not in dead:
        word = "not_dead"
    if kind == actions.MATCH:
        number, _, how = what.partition("/2")
        word, what = "match_by_moves" if how else word, number
    return say(f"events.{word}", rules.lang, name=who, what=what)


def announcements(rules: Rules, position: Position) -> list[str]:
    """Return the referee's announcements after the last try, one sentence each, or [] in games without a referee."""
    return rules.sentences(rules.announcements(position)) if isinstance(rules, HiddenRules) else []


def news_sentences(rules: Rules, news: News, colour: int, dead: Collection[int]) -> Iterable[str]:
    """Yield sentences with the facts that a piece of news gives the seat of a colour.

    `dead` are the stones called dead after the event, which all players may know even in a hidden game.
    """
    lang = rules.lang
    if news.said and isinstance(rules, HiddenRules):
        yield from rules.sentences(news.said)
    elif news.action is not None and news.action >= 0 and news.actor:
        yield say("game.label", lang, name=colour_name(news.actor, lang), value=rules.board.vertex(news.action))
    elif news.action is not None and news.action < 0:
        yield event_sentence(rules, news.actor, news.action, dead)
    if news.captured:
        listed = " ".join(rules.board.vertices_of(news.captured))
        is_owner = news.actor != colour
        alone = isinstance(rules, HiddenRules) and rules.only_owner_sees_captures
        both = "game.taken" if rules.is_open or (alone and not is_owner) else "game.show"
        key = "game.show_one" if alone and is_owner and not rules.is_open else both
        yield say(key, lang, list=listed, name=colour_name(colour, lang))
    if news.refused and news.action is not None and news.actor == colour:
        vertex = rules.board.vertex(news.action)
        yield say("game.refused", lang, vertex=vertex)
        if news.shown is not None:
            key = "game.stands" if news.shown else "game.nothing"
            yield say(key, lang, vertex=vertex, name=colour_name(others(rules.colours, colour)[0], lang))
