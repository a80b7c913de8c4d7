"""Chapters in further languages: complete, with the places of the English sentences, and nothing in English."""

from string import Formatter

import pytest

from gtp_variants.cli import main
from gtp_variants.handbook.localised_text import SPOKEN, Sentences, languages_of, translation
from gtp_variants.handbook.pages import chapter, page, text
from gtp_variants.lang import load
from gtp_variants.rules import GAMES, parse

ROSETTES = [
    "rosette",
    "rosette:n=4,komi=0,immunity=false,repetition=none,dead=agreed,supply=150",
    "rosette:komi=-3,rosette_suicide=legal,repetition=simple,dead=judged,supply=150/120",
    "rosette:komi=1,repetition=psk",
    "rosette:repetition=ssk",
]


def places(sentence: str | list[str]) -> set[str]:
    parts = [sentence] if isinstance(sentence, str) else sentence
    return {field for part in parts for _, field, _, _ in Formatter().parse(part) if field}


def test_rosette_has_four_languages_and_other_games_two() -> None:
    assert languages_of("rosette") == ("en", "fr", "es", "ht")
    assert all(languages_of(game) == ("en", "fr") for game in GAMES if game != "rosette")


@pytest.mark.parametrize("lang", SPOKEN)
def test_every_sentence_of_rosette_is_translated_with_its_places(lang: str) -> None:
    english = load(Sentences("rosette")._file)
    for key, sentences in english.items():
        found = translation("rosette", key, lang)
        assert places(found) == places(sentences["en"]), key
        assert isinstance(found, list) == isinstance(sentences["en"], list)


@pytest.mark.parametrize("lang", SPOKEN)
@pytest.mark.parametrize("spec", ROSETTES)
def test_any_rosette_is_told_without_a_sentence_of_another_language(spec: str, lang: str) -> None:
    rules = parse(spec)
    told, english = text(rules, lang=lang), text(rules)
    assert len(told.splitlines()) > 40
    for section in chapter(rules):
        assert section.heading.render(lang) in told
        assert section.heading.render("en") not in told.splitlines()
    assert "You may" in english
    assert "You may" not in told
    assert f'<html lang="{lang}">' in page(rules, lang)


def test_the_command_speaks_them_where_the_chapter_does(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "rosette", "--lang", "es"]) == 0
    assert "El tablero" in capsys.readouterr().out
    assert main(["--lang", "ht", "rules", "rosette:n=4"]) == 0
    assert "Tablo a" in capsys.readouterr().out
    assert main(["rules", "aleago", "--lang", "es"]) == 2
    assert capsys.readouterr().err == "gtp-variants rules: --lang es: aleago has rules only in en, fr\n"
