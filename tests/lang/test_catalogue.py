"""The catalogue of sentences: complete in both languages, every key used, every key that is asked for there."""

import ast
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
# the words for results in SGF files of other programs, the facts about hosts and servers, and the commands are tables.
OTHERS = {"translations", "lessons", "sgf", "gtp", "engine", "bridge"}
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
    """Yield texts in the sources that look like keys; of an f-string the first part, with a star."""
    for tree in trees().values():
        for node in ast.walk(tree):
            match node:
                case ast.Constant(value=str(text)) if "." in text:
                    yield text
                case ast.JoinedStr(values=[ast.Constant(value=str(text)), *_]):
                    yield f"{text}*"


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
