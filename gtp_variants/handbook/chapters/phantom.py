"""The chapter on Go Fantôme. Source: 001_d6d69fd415a28a9d.txt."""

from collections.abc import Iterator

from gtp_variants.handbook.chapter import Diagram, Figure, Items, Part, Section, TextTable, choices, play
from gtp_variants.handbook.chapters import common
from gtp_variants.handbook.localised_text import Sentences, Text, colour, paragraph, verbatim
from gtp_variants.records.sentences import announcements
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.rules.games.phantom import PhantomRules, announcement_texts, sentence
from gtp_variants.rules.languages import LANGUAGES
from gtp_variants.rules.options import text_of
from gtp_variants.rules.rule_sets import RULE_SETS
from gtp_variants.rules.views import Announcement

t = Sentences("phantom")


def sections(rules: PhantomRules) -> Iterator[Section]:
    """Yield the sections of a configured game's chapter."""
    # Source: "Pour qu'une partie puisse avoir lieu, il faut".
    yield Section(t("heading_what_need"), (t("material", size=rules.values["size"]),))
    yield Section(t("heading_turn"), (t("turn"), _impossible(rules)))
    yield Section(t("heading_what_referee_says"), tuple(_announcements(rules)))
    yield Section(t("heading_example"), tuple(_example(rules)))
    yield Section(t("heading_capture"), (t("capture_as_go"), common.CHAINS, common.capture(rules), common.CAPTURE))
    yield Section(
        t("heading_end_count"), (paragraph(common.TWO_PASSES, *_ends(rules)), t("end_reference"), common.score(rules))
    )
    yield Section(t("heading_hint"), (t("hint"),))
    yield Section(t("heading_rules_name"), (t("named"), _rule_sets(rules), t("named_olympiad"), t("named_openspiel")))
    yield choices(rules, t)


def _impossible(rules: PhantomRules) -> Text:
    """Describe impossible moves. Source: "coup impossible", to which the handbook adds moves that repeat a board."""
    return paragraph(
        t("impossible" if rules.repetition == "none" else "impossible_or_repeats"),
        t(f"refused_{rules.values['refused']}"),
        common.repetition(rules),
    )


def _ends(rules: PhantomRules) -> Iterator[Text]:
    """Yield the ways in which a game can end, other than two passes."""
    if rules.values["in_a_row"] == "tries":
        yield t("end_tries_between")
    if rules.most_tries:
        yield t("end_length", most_tries=rules.most_tries)


def _announcements(rules: PhantomRules) -> Iterator[Part]:
    """Yield the parts on the referee. Source: "Annonces possibles de l'arbitre", "L'arbitre doit rester neutre"."""
    values = rules.values
    yield t("announcements")
    effects = (("captured", "captures", 3), ("atari", "atari", 2), ("self_atari", "self_atari", 0))
    said = [(code, count, f"{code}_{values[key]}") for code, key, count in effects if values[key] != "none"]
    several = _several(rules, len(said))
    said += [("played", 0, f"played_{len(said)}"), ("impossible", 0, f"impossible_{values['impossible']}")]
    said += [("passed", 0, "passed"), *([("repeated", 0, "repeated")] if values["repetition"] == "draw" else [])]
    yield Items(tuple(_announcement(Announcement(code, BLACK, count), key) for code, count, key in said))
    yield paragraph(several, t("neutral"))


def _announcement(said: Announcement, key: str) -> Text:
    return t("announcement", sentence=Text(lambda lang: sentence(said, lang)), when=t(key))


def _several(rules: PhantomRules, count: int) -> Text | None:
    """Describe how several announcements are made at once, or return None if there can be only one."""
    if count == 1:
        return None
    said = [Announcement("captured", BLACK, 1), Announcement("atari", BLACK, 2), Announcement("self_atari", BLACK)]
    said = [item for item in said if rules.values.get(item.code) != "none"]
    joined = Text(lambda lang: announcement_texts(said, lang, True)[0])
    return paragraph(t(f"several_{count}"), t(f"several_{rules.values['announce']}", sentence=joined))


_MOVES = "b C3, w C3, w C2, b D2, w B3, b B2, w B1, b C1, w C2"


def _example(rules: PhantomRules) -> Iterator[Part]:
    """Yield an example game: the announcements as the players hear them, and the three boards."""
    keys = ("announce", "atari", "self_atari", "impossible", "captures", "refused")
    spec = "phantom:" + ",".join(f"{key}={text_of(rules.values[key])}" for key in keys)
    yield t("example")
    yield dialogue(spec, _MOVES)
    seats = (("black", BLACK), ("referee", None), ("white", WHITE))
    boards = tuple(Diagram(spec, _MOVES, seat, t(f"title_{name}")) for name, seat in seats)
    yield Figure("gobans", t(f"gobans_{rules.values['captures']}"), boards)


def dialogue(spec: str, moves: str) -> Items:
    """Return a list of every try in a game, with the referee's announcements."""
    games = {lang: play(spec, moves, lang) for lang in LANGUAGES}

    def describe(index: int) -> Text:
        def quote(lang: str) -> str:
            said = announcements(games[lang].rules, games[lang].positions[index + 1])
            return " ".join(t("quote", sentence=sentence).render(lang) for sentence in said)

        game = games["en"]
        event, is_private = game.events[index], game.rules.values["impossible"] == "private"
        key = "try_alone" if is_private and game.is_refused(index) else "try"
        return t(key, name=colour(event.actor), vertex=game.rules.board.vertex(event.action), said=Text(quote))

    return Items(tuple(map(describe, range(len(games["en"].events)))))


def _rule_sets(rules: PhantomRules) -> TextTable:
    """Return a table of the options in which the named rule sets differ from the default."""
    usual = type(rules)()
    names = [name for name in rules.options.rule_sets if name not in RULE_SETS]
    sets = {"": usual, **{name: type(rules)({"rules": name}) for name in names}}
    head = t("column_option"), t("column_default"), *map(verbatim, names)
    rows = []
    for key, value in usual.values.items():
        texts = [text_of(each.values[key]) for each in sets.values()]
        if any(text != text_of(value) for text in texts):
            rows.append(tuple(map(verbatim, (key, *texts))))
    return TextTable(head, tuple(rows))
