"""The words of the page: served in both languages, none missing, none for nothing."""

import re
from pathlib import Path

from gtp_variants.lang import option_meanings, sentences
from gtp_variants.rules import GAMES, parse
from tests.site.page.serving import Site

STATIC = Path(__file__).resolve().parents[3] / "gtp_variants" / "site" / "page" / "static"
if not STATIC.is_dir():
    import gtp_variants.site.page

    STATIC = Path(gtp_variants.site.page.__file__).parent / "static"
SCRIPTS = "".join(file.read_text(encoding="utf-8") for file in STATIC.rglob("*.js"))
PAGES = "".join(file.read_text(encoding="utf-8") for file in STATIC.glob("*.html"))
TEMPLATES = set(re.findall('data-(?:say|label|hint)="([^"]+)"', PAGES))


def test_the_server_gives_each_languages_words(served: Site) -> None:
    english, french = [served.ask(f"/static/words/{lang}.json").json for lang in ("en", "fr")]
    assert english["texts"].keys() == french["texts"].keys() == sentences("page_words").keys()
    assert (english["texts"]["new"], french["texts"]["new"]) == ("New game", "Nouvelle partie")
    assert (english["meanings"], french["meanings"]["komi"]) == ({}, "points ajoutés à Blanc")
    assert served.ask("/static/words/de.json").status == 404


def test_the_pages_words_are_complete_and_all_used() -> None:
    known = set(sentences("page_words"))
    used = set(re.findall(r'say\("([^"]+)"', SCRIPTS)) | TEMPLATES
    assert used <= known
    # Buttons and switches are named by their words, wishes and questions by what is wished; colours by their letters.
    named = {
        key
        for key in known
        if f'"{key}"' in SCRIPTS
        or key in TEMPLATES
        or re.search(rf"[{{ ]{key}: \(", SCRIPTS)
        or key.endswith((" sure", " kind"))
        or key.startswith(("wish ", "agree ", "about ", "strength ", "board "))
    }
    assert known == named


def test_a_colon_of_a_sentence_is_that_of_the_language() -> None:
    """In French a blank stands before it, so no script puts one between the words that it says."""
    assert re.findall(r'`[^`\n]*\}: .*|.*join\(": "\).*', re.sub(r"Error\(`.*", "", SCRIPTS)) == []


def test_every_option_has_a_french_meaning() -> None:
    meanings = option_meanings("fr")
    for game in GAMES:
        for option in parse(game).options:
            assert meanings[option.key], option.key
