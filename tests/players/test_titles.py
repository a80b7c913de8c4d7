"""Descriptions of bots for people: never a bare SPEC, in both languages, and with the meaning of a level."""

import pytest

from gtp_variants.players import bots
from gtp_variants.players.levels import NUMBERS, find_bot_by_title, introduce, level_meanings, meaning, title
from gtp_variants.rules import GAMES, parse
from gtp_variants.rules.languages import LANGUAGES
from tests.gtp.talk import Talk


@pytest.mark.parametrize(
    ("bot", "english", "french"),
    [
        ("mcts", "Search", "Recherche"),
        ("mcts:level=6", "Search, level 6", "Recherche, niveau 6"),
        ("mcts:seconds=2,resign=false", "Search, 2 s a move, resign=false", "Recherche, 2 s par coup, resign=false"),
        ("mcts:resign=false,playouts=50", "Search, 50 playouts a move, resign=false", "Recherche, 50 simulations par"),
        ("phantom:level=1", "Phantom search, level 1", "Recherche fantôme, niveau 1"),
        ("greedy", "Greedy", "Glouton"),
        ("uniform", "Random", "Hasard"),
        ("some/where/mine.py:Best:depth=2", "Best, depth=2", "Best, depth=2"),
        ("some/where/mine.py", "mine", "mine"),
        ("some-package", "some-package", "some-package"),
        ("an engine: theirs", "an engine: theirs", "an engine: theirs"),
    ],
)
def test_titles(bot: str, english: str, french: str) -> None:
    assert title(bot, "en") == english
    assert title(bot, "fr").startswith(french)


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(
    "bot", ["mcts", "mcts:level=10", "mcts:seconds=2", "mcts:playouts=50", "phantom:level=1", "greedy"]
)
def test_a_title_leads_back_to_the_bot(bot: str, lang: str) -> None:
    assert find_bot_by_title(title(bot, lang)) == bot


@pytest.mark.parametrize("called", ["", "a person", "Lee Sedol", "Search, Lee", "Search, niveau 1", "Mine, depth=3"])
def test_a_title_of_nobody_of_ours(called: str) -> None:
    assert find_bot_by_title(called) is None


@pytest.mark.parametrize("setting", ["net=/tmp/x.safetensors", "threads=64", "resign=false"])
def test_a_strangers_file_says_how_strong_a_bot_was_and_sets_nothing_else(setting: str) -> None:
    assert find_bot_by_title(title(f"mcts:level=3,{setting}", "en")) is None


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_bot_of_ours_has_a_title_of_its_own(lang: str) -> None:
    titles = [title(name, lang) for name in bots.names()]
    assert len(set(titles)) == len(titles)
    assert not set(titles) & set(bots.names())


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("game", GAMES)
def test_every_level_means_something_else(game: str, lang: str) -> None:
    rules = parse(game)
    said = level_meanings(rules.profile.default_bot, rules, lang)
    assert len(set(said)) == len(said) == len(NUMBERS)
    assert said[8] == {"en": "about a second a move", "fr": "environ une seconde par coup"}[lang]
    assert not level_meanings("greedy", rules, lang)


def test_an_introduction_says_both() -> None:
    rules = parse("go:size=9")
    assert introduce("mcts:level=9", rules, "en") == "Search, level 9: about a second a move"
    assert introduce("mcts", rules, "fr") == "Recherche\u00a0: environ une seconde par coup"
    assert introduce("mcts", rules, "fr", has_clock=True) == "Recherche\u00a0: selon ce que permet la pendule"
    assert introduce("mcts:level=10", rules, "en", has_clock=True) == "Search, level 10: as its clock allows"
    assert introduce("mcts:level=9", rules, "en", has_clock=True) == "Search, level 9: about a second a move"
    assert introduce("mcts:seconds=3", rules, "en") == "Search, 3 s a move"
    assert introduce("greedy", rules, "en") == "Greedy: looks one stone ahead"
    assert introduce("mine.py", rules, "en") == "mine"
    # Such a level is refused only when the bot is created.
    assert meaning("mcts:level=77", rules, "en")


def test_hosts_say_who_plays_and_how_strong() -> None:
    talk = Talk("go:size=9", bot="mcts:level=9")
    assert talk("gogui-title") == "Go 9x9 - Search, level 9"
    assert talk("show-player") == "Search, level 9: about a second a move"
    assert "string/Who plays/show-player" in talk("gogui-analyze_commands").split("\n")
    assert "bot mcts:level=9 (Search, level 9: about a second a move)" in talk("gomill-describe_engine")
    timed = Talk("go:size=9", bot="mcts")
    assert timed("show-player") == "Search: about a second a move"
    timed("time_settings 1800 0 0")
    assert timed("show-player") == "Search: as its clock allows"
    # Settings made in GoGui's dialog are shown from then on.
    talk.does("bot-param level 10")
    assert talk("gogui-title") == "Go 9x9 - Search, level 10"
    talk.does("bot-param level none/bot-param playouts 30")
    assert talk("show-player") == "Search, 30 playouts a move"
