"""Go Fantôme in words. Source: 001_d6d69fd415a28a9d.txt."""

from collections.abc import Iterator

from gtp_variants.handbook import common
from gtp_variants.handbook.both import Both, colour, paragraph
from gtp_variants.handbook.chapter import Diagram, Figure, Items, Part, Section, Table, choices, play
from gtp_variants.records.sentences import announcements
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.rules.games.phantom import PhantomRules, announced, sentence
from gtp_variants.rules.options import text_of
from gtp_variants.rules.views import Said


def sections(rules: PhantomRules) -> Iterator[Section]:
    """The chapter of one configured game."""
    yield Section(t("heading_what_need"), (_material(rules),))
    yield Section(t("heading_turn"), (_TURN, _impossible(rules)))
    yield Section(t("heading_what_referee_says"), tuple(_announcements(rules)))
    yield Section(t("heading_example"), tuple(_example(rules)))
    yield Section(t("heading_capture"), (_SAME, common.CHAINS, common.capture(rules), common.capture_figure()))
    yield Section(
        t("heading_end_count"),
        (paragraph(common.TWO_PASSES, *_ends(rules)), _REFERENCE, common.score(rules)),
    )
    yield Section(t("heading_hint"), (t("hint"),))
    yield Section(t("heading_rules_name"), (t("named"), _named(rules), *_NAMED_NOTES))
    yield choices(rules, _OPTIONS)


def _material(rules: PhantomRules) -> Both:
    """Source: "Pour qu'une partie puisse avoir lieu, il faut"."""
    size = rules.values["size"]
    return t("go_which_nobody_sees", size=size)


# Source: "Noir commence, joue son coup".
_TURN = t("turn")


def _impossible(rules: PhantomRules) -> Both:
    """Source: "coup impossible"; that a repetition is impossible too is added."""
    english = ["a stone stands there already, of either colour", "the stone would have no liberty and capture nothing"]
    french = [
        "une pierre, de l'une ou l'autre couleur, s'y trouve déjà",
        "la pierre n'aurait pas de liberté et ne capturerait rien",
    ]
    if rules.repetition != "none":
        english.append("the rule on repetition forbids it")
        french.append("la règle de répétition l'interdit")
    return paragraph(
        Both(
            f"A move is impossible when {', or '.join(english)}.",
            f"Un coup est impossible quand {', ou que '.join(french)}.",
        ),
        _REFUSED[text_of(rules.values["refused"])],
        common.repetition(rules),
    )


_REFUSED = {
    "silent": t("refused_silent"),
    "shown": t("refused_shown"),
}


def _ends(rules: PhantomRules) -> Iterator[Both]:
    """What else there is to say of the end than that two passes bring it."""
    if rules.values["in_a_row"] == "tries":
        yield t("two_passes_with_refused")
    if rules.most_tries:
        yield t("after_tries_refused_ones", most_tries=rules.most_tries)


def _announcements(rules: PhantomRules) -> Iterator[Part]:
    """Source: "Annonces possibles de l'arbitre", "L'arbitre doit rester neutre"."""
    values = rules.values
    yield t("only_these_sentences_with")
    first = list(_effects(rules))
    yield Items(
        (
            *first,
            _quoted(Said("played", BLACK), _PLAYED[len(first)]),
            _quoted(Said("impossible", BLACK), _IMPOSSIBLE[text_of(values["impossible"])]),
            _quoted(Said("passed", BLACK), t("passed")),
            *([_quoted(Said("repeated", BLACK), t("repeated"))] if values["repetition"] == "draw" else []),
        )
    )
    yield paragraph(_several(rules, len(first)), t("neutral"))


def _effects(rules: PhantomRules) -> Iterator[Both]:
    """The announcements of what a stone does."""
    values = rules.values
    yield _quoted(Said("captured", BLACK, 3), _CAPTURED[text_of(values["captures"])])
    if values["atari"] != "none":
        yield _quoted(Said("atari", BLACK, 2), _ATARI[text_of(values["atari"])])
    if values["self_atari"] != "none":
        yield _quoted(Said("self_atari", BLACK), _SELF_ATARI[text_of(values["self_atari"])])


def _quoted(said: Said, when: Both) -> Both:
    return Both(f"“{sentence(said, 'en')}”: {when.en}", f"« {sentence(said, 'fr')} » : {when.fr}")


_CAPTURED = {
    "both": t("captured_both"),
    "owner": t("captured_owner"),
}
_ATARI = {
    "new": t("atari_new"),
    "all": t("atari_all"),
}
_SELF_ATARI = {
    "always": t("self_atari_always"),
    "new_only": t("self_atari_new_only"),
}
_PLAYED = {
    3: t("played_3"),
    2: t("played_2"),
    1: t("played_1"),
}
_IMPOSSIBLE = {
    "public": t("impossible_public"),
    "private": t("impossible_private"),
}


def _several(rules: PhantomRules, count: int) -> Both | None:
    """What is said when several of the first announcements apply; None if there is one only."""
    if count == 1:
        return None
    which = {
        3: t("when_several_first_three"),
        2: t("when_both_first_two"),
    }[count]
    if rules.values["announce"] == "list":
        how = t("all_said_after_other")
    else:
        said = [Said("captured", BLACK, 1), Said("atari", BLACK, 2), Said("self_atari", BLACK)]
        said = [item for item in said if rules.values.get(item.code) != "none"]
        english, french = announced(said, "en", True)[0], announced(said, "fr", True)[0]
        how = t("they_joined_sentence", english=english, french=french)
    return paragraph(which, how)


_MOVES = "b C3, w C3, w C2, b D2, w B3, b B2, w B1, b C1, w C2"


def _example(rules: PhantomRules) -> Iterator[Part]:
    """The same game as it was heard and as it stands on three gobans."""
    keys = ("announce", "atari", "self_atari", "impossible", "captures", "refused")
    spec = "phantom:" + ",".join(f"{key}={text_of(rules.values[key])}" for key in keys)
    yield t("beginning_game_as_heard")
    yield dialogue(spec, _MOVES)
    yield Figure(
        "gobans",
        _GOBANS[text_of(rules.values["captures"])],
        (
            Diagram(spec, _MOVES, seat=BLACK, title=t("title_black_s_goban")),
            Diagram(spec, _MOVES, title=t("title_referee_s")),
            Diagram(spec, _MOVES, seat=WHITE, title=t("title_white_s_goban")),
        ),
    )


_GOBANS = {
    "both": t("gobans_both"),
    "owner": t("gobans_owner"),
}


def dialogue(spec: str, moves: str) -> Items:
    """Every try of a game and what the referee says of it."""
    lines = {lang: _heard(spec, moves, lang) for lang in ("en", "fr")}
    return Items(tuple(Both(english, french) for english, french in zip(lines["en"], lines["fr"], strict=True)))


def _heard(spec: str, moves: str, lang: str) -> Iterator[str]:
    game = play(spec, moves, lang)
    is_private = game.rules.values["impossible"] == "private"
    for index, event in enumerate(game.events):
        name = colour(event.actor).said(lang)
        vertex = game.rules.board.vertex(event.action)
        said = announcements(game.rules, game.positions[index + 1])
        alone = is_private and game.is_refused(index)
        if lang == "en":
            quotes = " ".join(f"“{each}”" for each in said)
            yield f"{name} tries {vertex}: {quotes}{f' (to {name} alone)' * alone}"
        else:
            quotes = " ".join(f"« {each} »" for each in said)
            yield f"{name} propose {vertex} : {quotes}{f' (à {name} seul)' * alone}"


# Source: "même but, et même règle de capture".
_SAME = t("same")
# Source: "on se base sur le goban de référence".
_REFERENCE = t("reference")
# Source: "Astuce pour les joueurs".



def _named(rules: PhantomRules) -> Table:
    """Every option in which the sets of rules by name differ from the source."""
    usual = type(rules)()
    sets = {"": usual, **{name: type(rules)({"rules": name}) for name in rules.rule_sets}}
    head = t("option"), t("default"), *(Both(n, n) for n in rules.rule_sets)
    rows = []
    for key, value in usual.values.items():
        texts = [text_of(each.values[key]) for each in sets.values()]
        if any(text != text_of(value) for text in texts):
            rows.append((Both(key, key), *(Both(text, text) for text in texts)))
    return Table(head, tuple(rows))


# The sources are named in rules/games/phantom.py.
_NAMED_NOTES = (
    t("named_notes_olympiad_as_at_computer"),
    t("named_notes_openspiel_as_phantom_go"),
)

_OPTIONS = common.OPTIONS | {
    "repetition": paragraph(
        common.OPTIONS["repetition"],
        t("option_repetition"),
    ),
    "announce": t("option_announce"),
    "atari": t("option_atari"),
    "self_atari": t("option_self_atari"),
    "captures": t("option_captures"),
    "refused": t("option_refused"),
    "in_a_row": t("option_in_a_row"),
    "length": t("option_length"),
    "impossible": t("option_impossible"),
}
