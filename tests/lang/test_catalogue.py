"""The catalogue of sentences: complete in both languages, every key used, every key that is asked for there."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest

from gtp_variants import lang
from gtp_variants.rules.languages import LANGUAGES
from tests.support.sources import trees

PACKAGE = Path(lang.__file__).parent.parent
# Ends of file names, and a key of a bridge's configuration that begins as a subject does.
FILES = {"css", "js", "log", "md", "sqlite3", "toml", "account"}
# The page's scripts ask for its words: tests/site/page/test_words.py reads them.
SUBJECTS = [subject for subject in lang.subjects() if subject != "page_words"]
KEYS = {f"{subject}.{key}" for subject in SUBJECTS for key in lang.sentences(subject)}

# Further languages have files of their own; a lesson holds moves, too, and is tested with them;
# the words for results in SGF files of other programs, the facts about hosts and servers, commands, settings, figures
# and colours are tables.
OTHERS = set("translations lessons records drawing sgf gtp client engine handlers analysis".split())
OTHERS |= set("bridge core ogs kgs cli games config fullscreen kernel mcts training handbook".split())
FILES_IN_BOTH = sorted(file for file in PACKAGE.rglob("*.toml") if file.parent.name not in OTHERS)


def places(text: str) -> frozenset[str]:
    return frozenset(field for _, field, _, _ in Formatter().parse(text) if field is not None)


@pytest.mark.parametrize("file", FILES_IN_BOTH, ids=lambda file: file.stem)
def test_every_sentence_stands_in_both_languages_with_the_same_places(file: Path) -> None:
    for key, texts in lang.load(file).items():
        assert tuple(texts) == LANGUAGES, key
        english, french = ([text] if isinstance(text, str) else text for text in texts.values())
        assert len(english) == len(french), key
        for forms in zip(english, french, strict=True):
            assert len(set(map(places, forms))) == 1, key


def asked() -> Iterator[str]:
    """Yield texts in the sources that look like keys; of an f-string or a sum the first part, with a star."""
    for tree in trees().values():
        for node in ast.walk(tree):
            match node:
                case ast.Constant(value=str(text)) if "." in text:
                    yield text
                case ast.JoinedStr(values=[ast.Constant(value=str(text)), *_]):
                    yield f"{text}*"
    for template in PACKAGE.rglob("*.html"):
        for text, goes_on in re.findall(r'\bsay\("([^"]+)"( ~)?', template.read_text(encoding="utf-8")):
            yield f"{text}*" if goes_on else text


def is_key(text: str) -> bool:
    subject, _, name = text.removesuffix("*").partition(".")
    return (
        subject in lang.subjects()
        and name not in FILES
        and f"_{name}".isidentifier()
        and not (PACKAGE / subject / f"{name}.py").exists()
    )


# One process reads all sources.
@pytest.mark.slow
@pytest.mark.xdist_group("house")
def test_every_key_that_is_asked_for_is_there_and_every_key_is_asked_for() -> None:
    texts = set(asked())
    stems = [text.removesuffix("*") for text in texts if text.endswith("*") and is_key(text)]
    known = {key for key in KEYS if key in texts or any(key.startswith(stem) for stem in stems)}
    assert KEYS - known == set()
    assert {text for text in texts if is_key(text) and text[-1] not in "*._"} - KEYS == set()


def test_sentences_are_filled() -> None:
    assert lang.say("refused_requests.no_stone", "en", vertex="D4") == "there is no stone on D4"
    assert lang.as_sentence(lang.say("refused_requests.no_stone", "fr", vertex="D4")) == "Il n'y a pas de pierre en D4."
    refused = lang.RequestRefused("refused_requests.no_stone", vertex="D4")
    assert (str(refused), refused.reason("fr")) == ("there is no stone on D4", "il n'y a pas de pierre en D4")
    with pytest.raises(KeyError):
        lang.say("refused_requests.nothing_of_the_kind", "en")


@pytest.mark.parametrize(
    ("english", "french"),
    [
        (
            "m.yaml:4:7: pairs: unknown key; did you mean players?",
            "m.yaml:4:7: pairs~: clé inconnue~; vouliez-vous dire players~?",
        ),
        ("m.yaml: 2 faults:", "m.yaml~: 2 fautes~:"),
        ("arena: is missing; this version reads `arena: 1`", "arena~: manque~; cette version lit `arena: 1`"),
        ("'x': expected one of run, show, stop", "'x'~: il faut l'un de ces mots~: run, show, stop"),
        ("type: expected playoff, swiss or tune, got 'cup'", "type~: il faut playoff, swiss ou tune, et non 'cup'"),
        ("game: size=99: expected 1 to 25", "game~: size=99~: il faut un nombre de 1 à 25"),
        ("SPRT: H1 accepted, a against b: 50 Elo normalized", "SPRT~: H1 acceptée, a against b~: 50 Elo normalized"),
        ("a.json: version: expected 1, got 2", "a.json~: version~: il faut 1, et non 2"),
        ("a.sgf: game 3: expected 1 to 2", "a.sgf~: partie 3~: il faut un nombre de 1 à 2"),
        (
            "role: cgos does not support role board; expected player or x",
            "role~: cgos n'a pas de rôle board~; il faut player ou x",
        ),
        # No sentence is translated by half.
        ("folder: expected a room with a view", "folder: expected a room with a view"),
        ("the moon: is made of cheese", "the moon: is made of cheese"),
    ],
)
def test_faults_are_translated_by_their_parts_or_not_at_all(english: str, french: str) -> None:
    assert lang.translate_fault(english, "fr") == french.replace("~", "\u00a0")
    assert lang.translate_fault(english, "en") == english
