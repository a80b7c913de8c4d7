"""What records and pictures say in words, in the language of the game."""

from collections.abc import Iterable
from typing import Any

from gtp_variants.rules import words
from gtp_variants.rules.actions import (
    FLAG,
    FORFEIT,
    MARK_DEAD,
    PASS,
    POINT,
    RESIGN,
    RESUME,
    SET_DICE,
    SETTLE,
    SWAP,
    TURN,
    unpack,
)
from gtp_variants.rules.diced import DicedRules
from gtp_variants.rules.hidden import HiddenRules
from gtp_variants.rules.position import Position
from gtp_variants.rules.rules import Rules
from gtp_variants.rules.views import News

_TEXTS = {
    "en": {
        "line": "draw {faces}: line {lines} is open",
        "lines": "draw {faces}: lines {lines} are open",
        "no line": "draw {faces}: no line is open",
        "free": "no draw: every line is open",
        "thrown": "the dice are thrown for {name}",
        "turn": "turn {turn}: {name} to play",
        "captures": "stones taken by {list}",
        "suspended": "the game is suspended by passes",
        "hidden": "{count} on the board that {name} does not see",
        "immune": "immune",
        "five": "five in a row",
        "open": "open",
        "tried": "refused",
        "draw": "draw {faces}",
        "start": "before the first move",
        "move": "move {number}",
        "move of": "move {number} of {count}",
        "took": "took {seconds} s",
        "left": "{seconds} s left",
        "left for": "{seconds} s left, {count} to go",
        "recorded": "result in the record: {result}",
        "pass": "{name} passes",
        "swap": "{name} takes over the first stone",
        "resign": "{name} resigns",
        "time": "{name} has no time left",
        "forfeit": "{name} forfeits",
        "resume": "the game goes on",
        "settle": "nobody objects to the end",
        "passed over": "it is made the turn of {name}",
        "dead": "the chain on {vertex} is called dead, or no longer",
        "set_dice": "the dice are {dice} from now on",
        "aleago in short": "This is Aleago, Go with dice: before each turn I throw, and the stone must go on the line "
        "that number names, counted from the edge. No room there: the line below.",
        "stone": "{name}: {vertex}",
        "taken": "off the board: {list}",
        "show": "shown to both: {list}",
        "show one": "shown to {name} alone: {list}",
        "refused": "{vertex} was refused",
        "stands": "a stone of {name} stands on {vertex}",
        "nothing": "no stone stands on {vertex}",
        "no dice": "There are no dice in this game.",
    },
    "fr": {
        "line": "tirage {faces} : la ligne {lines} est ouverte",
        "lines": "tirage {faces} : les lignes {lines} sont ouvertes",
        "no line": "tirage {faces} : aucune ligne n'est ouverte",
        "free": "sans tirage : toutes les lignes sont ouvertes",
        "thrown": "on lance les dés pour {name}",
        "turn": "tour {turn} : {name} joue",
        "captures": "pierres prises par {list}",
        "suspended": "la partie est suspendue par des passes",
        "hidden": "{count} sur le goban que {name} ne voit pas",
        "immune": "imprenable",
        "five": "cinq pierres alignées",
        "open": "ouvert",
        "tried": "refusé",
        "draw": "tirage {faces}",
        "start": "avant le premier coup",
        "move": "coup {number}",
        "move of": "coup {number} sur {count}",
        "took": "a réfléchi {seconds} s",
        "left": "il reste {seconds} s",
        "left for": "il reste {seconds} s, encore {count}",
        "recorded": "résultat dans le fichier : {result}",
        "pass": "{name} passe",
        "swap": "{name} prend la première pierre",
        "resign": "{name} abandonne",
        "time": "{name} n'a plus de temps",
        "forfeit": "{name} perd par forfait",
        "resume": "la partie continue",
        "settle": "personne ne s'oppose à la fin",
        "passed over": "c'est maintenant à {name}",
        "dead": "la chaîne de {vertex} est dite morte, ou ne l'est plus",
        "set_dice": "les dés sont désormais {dice}",
        "aleago in short": "C'est Aléago, le go aux dés : avant chaque tour je lance, et la pierre se pose sur la "
        "ligne de ce numéro, comptée depuis le bord. Plus de place : la ligne en dessous.",
        "stone": "{name} : {vertex}",
        "taken": "hors du plateau : {list}",
        "show": "montrées aux deux : {list}",
        "show one": "montrées à {name} seul : {list}",
        "refused": "{vertex} a été refusé",
        "stands": "une pierre de {name} se trouve en {vertex}",
        "nothing": "il n'y a pas de pierre en {vertex}",
        "no dice": "On joue cette partie sans dés.",
    },
}


def say(key: str, lang: str, **parts: object) -> str:
    """A sentence of this module, filled in."""
    return _TEXTS[lang][key].format(**parts)


def draw_sentence(rules: Rules, position: Position) -> str | None:
    """The draw in force and what it opens, None if there is none."""
    if not isinstance(rules, DicedRules) or not position.draws:
        return None
    draw = rules.describe_draw(position)
    if draw is None:
        return None if rules.is_over(position) or rules.faces(position, position.draws[0]) else say("free", rules.lang)
    key = {0: "no line", 1: "line"}.get(len(draw["open"]), "lines")
    faces = rules.faces(position, position.draws[0])
    shown = " + ".join(map(str, faces)) + (f" = {draw['total']}" if len(faces) > 1 else "")
    return say(key, rules.lang, faces=shown, lines=words.listing(draw["open"], rules.lang))


_PLAIN = {
    PASS: "pass",
    SWAP: "swap",
    RESIGN: "resign",
    FLAG: "time",
    FORFEIT: "forfeit",
    RESUME: "resume",
    SETTLE: "settle",
    TURN: "passed over",
}


def event_sentence(rules: Rules, actor: int, action: int, after: Any) -> str:
    """What a player did, in words; `after` is the position that followed."""
    who = words.name(actor, rules.lang)
    kind, argument = unpack(action)
    if kind == POINT:
        return f"{who} {rules.board.vertex(action)}"
    if kind == MARK_DEAD:
        return say("dead", rules.lang, vertex=rules.board.vertex(argument))
    if kind == SET_DICE:
        return say("set_dice", rules.lang, dice=after.dice)
    return say(_PLAIN[kind], rules.lang, name=who)


def announcements(rules: Rules, position: Position) -> list[str]:
    """What a referee said after the last try, a sentence each; [] in games without one."""
    return rules.sentences(rules.announcements(position)) if isinstance(rules, HiddenRules) else []


def told(rules: Any, news: News, colour: int) -> Iterable[str]:
    """What a piece of news says to the seat of a colour, a sentence each."""
    lang = rules.lang
    if news.said:
        yield from rules.sentences(news.said)
    elif news.action is not None and news.action >= 0 and news.actor:
        yield say("stone", lang, name=words.name(news.actor, lang), vertex=rules.board.vertex(news.action))
    elif news.action is not None and news.action < 0:
        yield event_sentence(rules, news.actor, news.action, news.after)
    if news.captured:
        listed = " ".join(rules.named(news.captured))
        is_owner = news.actor != colour
        alone = rules.values.get("captures") == "owner"
        key = "taken" if rules.is_open or (alone and not is_owner) else "show one" if alone else "show"
        yield say(key, lang, list=listed, name=words.name(colour, lang))
    if news.refused and news.action is not None and news.actor == colour:
        vertex = rules.board.vertex(news.action)
        yield say("refused", lang, vertex=vertex)
        if news.shown is not None:
            yield say(
                "stands" if news.shown else "nothing",
                lang,
                vertex=vertex,
                name=words.name(rules.others(colour)[0], lang),
            )
