"""The commands from a user's view: help in two languages, old names, wrong words, exit statuses, examples."""

import argparse
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from gtp_variants.cli import load_command, main
from gtp_variants.cli.commands import ALIASES, COMMANDS, GROUPS, STATUSES
from gtp_variants.cli.compete.server import ACCOUNT, word_parser
from gtp_variants.cli.help.manual import pages
from gtp_variants.cli.help.page import TOPICS, game_page
from gtp_variants.cli.parser import CommandParser, catalogue_word
from gtp_variants.lang import sentences, system_language
from gtp_variants.rules import GAMES, game_class, parse
from gtp_variants.rules.languages import LANGUAGES
from gtp_variants.site.lobby.admin import WORDS
from tests.support.programs import run

MOST_LINES = 4


def parser(command: str) -> CommandParser:
    found = load_command(command).parser()
    assert isinstance(found, CommandParser)
    return found


def status(*words: str) -> int:
    try:
        return main(words)
    except SystemExit as error:
        return int(error.code or 0)


@pytest.mark.parametrize("lang", ["en", "fr"])
def test_the_help_shows_every_command_with_play_first(lang: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert status("--lang", lang, "help") == status("help", "--lang", lang) == 0
    lines = capsys.readouterr().out.splitlines()
    shown = [line.split()[0] for line in lines[: len(lines) // 2] if line.startswith("  ") and line[2] != " "]
    assert shown[0] == "play"
    assert [name for name in shown if name in COMMANDS] == list(COMMANDS)
    assert max(map(len, lines)) <= 80
    assert len(lines) // 2 < 60


@pytest.mark.parametrize(
    "words",
    [
        ["match", "~nobodyhere/a.yaml"],
        ["match", "aleago-first", "merge", "~nobodyhere/a.db"],
        ["man", "--into", "~nobodyhere/man"],
        ["gtp", "--bot", "~nobodyhere/a.py:Mine"],
    ],
)
def test_a_missing_home_folder_is_reported(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert status(*words, "--lang", "en") == 2
    assert "there is no home folder for ~nobodyhere\n" in capsys.readouterr().err


@pytest.mark.parametrize("words", ["play --list", "referee --list", "gui aleago:size=9", "web"])
def test_a_computer_without_a_home_folder_is_reported(
    words: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    # Imported before `Path.home` is replaced, which a module may keep.
    load_command(words.split()[0])
    for name in ("XDG_STATE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", no_home)
    assert status(*words.split(), "--lang", "en") == 2
    told = capsys.readouterr().err
    assert told.endswith(": no home folder found; set XDG_STATE_HOME to a folder for saved files\n")


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command_is_its_own_and_has_examples_that_can_be_given(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status("help", command) == 0
    told = capsys.readouterr().out
    assert status(command, "--help") == 0
    assert capsys.readouterr().out == told
    assert COMMANDS[command].examples
    for example in COMMANDS[command].examples:
        assert f"  gtp-variants {example}\n" in told
        name, *words = shlex.split(example.partition(" > ")[0])
        assert name == command
        if "--" in words and command == "adapt":
            words = words[: words.index("--")]
        if words[:1] == ["account"]:
            continue
        given = parser(command)
        (given.parse_intermixed_args if command == "match" else given.parse_args)(words)


@pytest.mark.parametrize(
    ("topic", "told"),
    [
        ("spec", [game_class(name).profile.small_spec for name in GAMES]),
        ("exit-status", [f"{each:>5}  " for each in STATUSES]),
        ("levels", [f"{number:>5}  " for number in range(1, 11)]),
    ],
)
def test_help_explains_words(topic: str, told: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert topic in TOPICS
    assert status("help", topic) == 0
    shown = capsys.readouterr().out
    assert all(each in shown for each in told)


@pytest.mark.parametrize("old", ALIASES)
def test_old_names_are_aliases(old: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert status(old, "--help") == 0
    assert f"gtp-variants {ALIASES[old]}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "near"),
    [
        ("paly", "did you mean play?"),
        ("sevre", "gtp-variants help"),
        ("levels", "did you mean help levels?"),
        ("fantom", "did you mean play phantom?"),
        ("help alea", "did you mean play aleago?"),
        ("help plya", "did you mean play?"),
        ("help spce", "did you mean spec?"),
        ("play --levl 3", "did you mean --level?"),
        ("play --level", "expected one argument"),
        ("play aleaggo", "unknown game 'aleaggo'"),
        ("play aleago:sise=9", "did you mean size?"),
        ("play aleago --level 77", "77"),
        ("web --port abc", "--port: expected a whole number, not 'abc'"),
        ("bench --seconds x", "--seconds: expected a number, not 'x'"),
        ("match", "expected a FILE"),
        ("match aleago-frist", "aleago-frist"),
        ("match aleago-first rnu", "'rnu': expected one of"),
        ("match --wut", "did you mean --watch?"),
        ("bridge nowhere", "nowhere"),
        ("options chess", "unknown game 'chess'"),
        ("rules go:size=99", "size=99: expected 1 to 25"),
        ("completion tcsh", "bash"),
        ("man paly", "did you mean play?"),
        ("verify missing.json", "missing.json"),
        ("diagram missing.json", "missing.json"),
        ("--lang de help", "de"),
        ("x" * 5000, "unknown command"),
        (f"play --{'x' * 5000}", "unrecognized"),
    ],
)
def test_wrong_commands_are_answered_in_at_most_four_lines(
    words: str, near: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status(*words.split()) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert 1 <= len(said.err.splitlines()) <= MOST_LINES
    assert len(said.err) < 1000
    assert near in said.err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("play --nope", "option inconnue~: --nope"),
        ("play --levl 3", "option inconnue~: --levl~; vouliez-vous dire --level~?"),
        ("play --size 9", "option inconnue~: --size~; size est une option du jeu~: écrivez aleago:size=9"),
        ("play --se 3", "--se a plusieurs sens~: --seconds, --seed"),
        ("play --level", "--level~: il faut une valeur"),
        ("play --two=1", "--two~: ne prend pas de valeur, or on a donné '1'"),
        ("play --level 1 --seconds 3", "--seconds~: ne peut accompagner --level"),
        ("play --seconds x", "--seconds~: il faut un nombre, et non 'x'"),
        ("play --seconds -1", "--seconds~: il faut plus de 0, et non '-1'"),
        ("play --seconds inf", "--seconds~: il faut un nombre fini, et non 'inf'"),
        ("play --playouts 1.5", "--playouts~: il faut un nombre entier, et non '1.5'"),
        ("play --time x", "--time~: il faut none, ou un temps comme 10m (pour toute la partie)"),
        ("gui --handicap 1", "--handicap~: il faut 0, ou un nombre de 2 à 999, et non '1'"),
        ("train go --hours 9999999", "--hours~: il faut plus de 0 et au plus 1000000, et non '9999999'"),
        ("replay a.sgf --game 0", "--game~: il faut au moins 1, et non '0'"),
        ("web --token a", "--token~: il faut au moins 16 caractères, sans accents ni espaces, et non 'a'"),
        ("gtp --view x", "--view~: il faut b, w, r ou all, et non 'x'"),
        ("match a --shard x", "--shard~: il faut une part du tout, comme 3/64, et non 'x'"),
        ("server --gift x", "--gift~: il faut une durée comme 250ms, 30s, 1m30s ou 10:00 (minutes et secondes)"),
        ("server --proxy x", "--proxy~: il faut une adresse comme 127.0.0.1 ou ::1, et non 'x'"),
        ("server --anchor x", "--anchor~: il faut NOM=CLASSEMENT, comme greedy=1200, et non 'x'"),
        ("dice", "il manque~: DÉS"),
        ("dice six", "DÉS~: il faut des dés comme 1d6 ou 2d4, d'au plus 100000 lancers différents, et non 'six'"),
        ("completion tcsh", "shell~: 'tcsh' n'est pas possible, il y a~: "),
        ("alea", "commande inconnue 'alea'~; vouliez-vous dire play aleago~?"),
        ("help go19", "commande inconnue 'go19'~; vouliez-vous dire play go:size=19~?"),
        ("levels", "commande inconnue 'levels'~; vouliez-vous dire help levels~?"),
        ("gui alter-igo:width=5,height=4", "GoGui ne montre que des plateaux carrés"),
        ("gui go --handicap 4", "--handicap~: Go~: servez-vous du menu Game > Handicap de GoGui"),
        ("gui pentalath --handicap 4", "--handicap~: Pentalath se joue sans handicap"),
        ("play --bot nobody", "programme inconnu 'nobody', il y a~: greedy"),
        ("play --level 99", "level=99~: il faut un nombre de 1 à 10"),
        ("play --as x", "--as x~: il faut une couleur de ce jeu~: b w"),
        ("play --two --level 3", "--two~: ne peut accompagner --bot, --as"),
        ("play --resume nowhere", "aucune partie 'nowhere' n'est conservée dans "),
        (
            "play go --resume --as w",
            "--resume~: ne peut accompagner SPEC, --as~; une partie reprise garde ses réglages",
        ),
        ("referee --resume", "aucune partie inachevée n'est conservée dans "),
        ("referee go", "go~: il faut phantom, un jeu à pierres cachées"),
        ("referee phantom:impossible=private", "impossible=private~: un arbitre qui parle aux deux"),
        ("referee phantom:captures=owner", "captures=owner~: un écran que les deux voient"),
        ("replay nowhere.sgf", "nowhere.sgf~: aucun fichier ni dossier de ce nom"),
        ("verify nowhere", "nowhere~: aucun fichier ni dossier de ce nom"),
        ("diagram nowhere", "nowhere~: il faut un nom qui finit par .json, .sgf, .gib ou .ngf"),
        ("match", "il faut un FICHIER, ou --variant et au moins deux --player"),
        (
            "match aleago-first x",
            "'x'~: il faut l'un de ces mots~: run, show, report, check, plan, merge, reset, stop\n",
        ),
        ("match nowhere", "aucun match ne s'appelle 'nowhere'~; il y a~: aleago-first, "),
        ("match aleago-first merge", "aleago-first: merge~: il faut les bases des autres parts~: match FICHIER merge"),
        ("match --variant go:size=5 -p bot:gredy -p bot:uniform", "programme inconnu 'gredy', il y a~: greedy "),
        ("match --variant go:size=5 -p bot:gredy -p bot:uniform", "Classe~; vouliez-vous dire greedy~?\n"),
        ("bridge", "FICHIER~: manque~; il faut un fichier YAML, ou l'un des nôtres~: cgos, "),
        ("bridge nowhere", "aucune passerelle ne s'appelle 'nowhere'~; il y a~: cgos, "),
        ("history nowhere", "nowhere~: aucun fichier de ce nom\n"),
        ("server who --dir nowhere", "aucun serveur ne tourne avec --dir nowhere\n"),
        ("gui pentalath:players=3", "GoGui et Sabaki ne connaissent que deux couleurs~; jouez à trois"),
    ],
)
def test_faults_are_explained_in_french(
    words: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert status(*words.split(), "--lang", "fr") == 2
    assert told.replace("~", "\u00a0") in capsys.readouterr().err


@pytest.mark.parametrize("command", ["play", "web", "gui", "rules", "options", "gtp", "adapt"])
def test_an_invalid_game_is_refused_in_the_readers_language(
    command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = [command, "go:size=99", *(["--", "x"] if command == "adapt" else [])]
    asked = f"gtp-variants {command}: size=99\u00a0: il faut un nombre de 1 à 25\n"
    assert status(command, "--lang", "fr", *words[1:]) == 2
    assert capsys.readouterr().err == asked
    monkeypatch.setenv("LC_ALL", "fr_FR.UTF-8")
    assert status(*words) == 2
    assert capsys.readouterr().err == asked


@pytest.mark.parametrize("words", ["paly", "help paly", "man paly"])
def test_a_word_that_is_no_command_is_answered_in_the_language_of_the_reader(
    words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status(*words.split(), "--lang", "fr") == 2
    assert "commande inconnue 'paly'\u00a0; vouliez-vous dire play\u00a0?" in capsys.readouterr().err


def test_without_a_word_the_help_goes_where_errors_go(capsys: pytest.CaptureFixture[str]) -> None:
    assert status() == 2
    said = capsys.readouterr()
    assert (said.out, said.err.splitlines()[0]) == ("", "usage: gtp-variants COMMAND ...")


def test_every_heading_has_commands_and_no_name_comes_twice() -> None:
    names = [name for group in GROUPS.values() for name in group]
    assert all(GROUPS.values())
    assert len({*names, *ALIASES}) == len(names) + len(ALIASES)


@pytest.mark.parametrize("lang", ["en", "fr"])
def test_each_game_has_a_sentence(lang: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert status("games", "--lang", lang) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines if line[0] != " "] == list(GAMES)
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("lang", ["en", "fr"])
@pytest.mark.parametrize("game", GAMES)
def test_every_option_of_a_game_is_listed(game: str, lang: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert status("options", game, "--lang", lang) == 0
    lines = capsys.readouterr().out.splitlines()
    shown = [line.partition("=")[0] for line in lines if line and line[0] != " " and "=" in line]
    assert [key for key in shown if key.isidentifier()] == [option.key for option in game_class(game).options]


def test_options_of_a_spec_show_its_own_defaults(capsys: pytest.CaptureFixture[str]) -> None:
    assert status("options", "aleago:size=13") == 0
    assert "(default: 13)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("environment", "lang"),
    [
        ({}, "en"),
        ({"LANG": "fr_CA.UTF-8"}, "fr"),
        ({"LANG": "fr"}, "fr"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LANG": "de_DE.UTF-8", "LANGUAGE": "de:fr:en"}, "fr"),
        ({"LANG": "fr_FR.UTF-8", "LC_ALL": "C.UTF-8", "LANGUAGE": "fr"}, "en"),
        ({"LANG": "fr_FR.UTF-8", "LC_MESSAGES": "en_GB"}, "en"),
        ({"LANG": "fr_FR.UTF-8", "LC_MESSAGES": ""}, "fr"),
        ({"LANG": "FR-fr"}, "fr"),
        ({"LANG": ":::"}, "en"),
    ],
)
def test_the_language_is_that_of_the_locale(environment: dict[str, str], lang: str) -> None:
    assert system_language(environment) == lang or (not environment and os.name == "nt")


@pytest.mark.parametrize(
    ("words", "english", "french"),
    [
        ("help", "Play", "Jouer"),
        ("games", "Go with dice", "Le go avec des dés"),
        ("rules aleago", "What you need", "Matériel"),
        ("options go", "default:", "par défaut"),
        ("dice 1d6 --log", "Commitment", "Engagement"),
    ],
)
def test_commands_speak_as_the_locale_says(
    words: str, english: str, french: str, monkeypatch: pytest.MonkeyPatch, tmp_path: os.PathLike[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("LC_ALL", "LC_MESSAGES", "LANGUAGE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "fr_FR.UTF-8")
    log = ["a.jsonl"] if words.endswith("--log") else []
    assert french in run(*words.split(), *log).stdout.decode()
    log = ["b.jsonl"] if log else []
    assert english in run(*words.split(), *log, "--lang", "en").stdout.decode()


def parsers() -> dict[str, CommandParser]:
    """Every parser there is, by its words."""
    found = {name: parser(name) for name in COMMANDS}
    return found | {each.prog.removeprefix("gtp-variants "): each for each in map(word_parser, (ACCOUNT, *WORDS))}


def test_every_option_and_command_has_english_and_french_help() -> None:
    for name, given in parsers().items():
        told = {}
        for lang in LANGUAGES:
            given.translate(lang)
            titles = [group.title for group in given._action_groups]
            helps = {action.dest: action.help for action in given._actions if action.help != argparse.SUPPRESS}
            assert given.description, (name, lang)
            assert all(titles), (name, lang)
            assert all(helps.values()), (name, lang, [dest for dest, text in helps.items() if not text])
            told[lang] = [given.description, *helps.values()]
        assert not set(told["en"]) & set(told["fr"]), name


def test_no_text_of_an_option_is_left_over() -> None:
    asked = {f"all_{rest}" for rest in ("usage", "examples", "heading", "arguments", "options", "values")}
    for name, given in parsers().items():
        called = name.replace("-", "_").split()
        texts = ["", *map(catalogue_word, given._actions), "epilog"]
        texts += [group.title or "" for group in given._action_groups]
        texts += [f"{group.title}_about" for group in given._action_groups]
        for text in texts:
            before = [called] if text in ("", "epilog") else [called[:kept] or ["all"] for kept in (2, 1, 0)]
            keys = ["_".join(filter(None, [*words, text])) for words in before]
            asked |= {next((key for key in keys if key in sentences("options")), "")}
    assert set(sentences("options")) - asked == set()


@pytest.mark.parametrize(
    "words", ["play -h --lang fr", "play --lang=fr -h", "--lang fr help play", "help play --lang fr"]
)
def test_the_help_of_a_command_is_in_the_language_that_is_asked_for(
    words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status(*words.split()) == 0
    told = capsys.readouterr().out
    assert told.startswith("usage\u00a0: gtp-variants play [-h]")
    assert "Jouer dans le terminal" in told
    assert "options\u00a0:\n  -h, --help            afficher cette aide" in told
    assert "exemples\u00a0:\n  gtp-variants play\n" in told


def test_man_pages_are_in_french_too() -> None:
    english, french = pages(load_command), pages(load_command, "fr")
    assert set(english) == set(french)
    assert ".SH NOM\n" in french["gtp-variants-play.1"]
    assert all(french[name] != page for name, page in english.items())


@pytest.mark.slow
def test_every_command_describes_itself_without_extras_and_without_the_kernel() -> None:
    program = (
        "import sys\n"
        "compiled = ['gtp_variants.ai.kernel._kernel', 'gtp_variants.ai.belief._belief']\n"
        "extras = ['numpy', 'starlette', 'uvicorn', 'h11', 'httpx', 'websockets', 'torch']\n"
        "sys.modules.update(dict.fromkeys(compiled + extras))\n"
        "from gtp_variants.cli import load_command\n"
        "from gtp_variants.cli.commands import COMMANDS\n"
        "print(*(name for name in COMMANDS if load_command(name).parser() is None))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("\n", "")


@pytest.mark.parametrize(
    ("typed", "named"),
    [("Go Fantôme", "phantom"), ("go fantome", "phantom"), ("Alter Igo", "alter-igo"), ("ALEAGO", "aleago")],
)
def test_titles_name_games_everywhere(typed: str, named: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert parse(typed).name == named
    assert parse(f"{typed}:lang=fr").name == named
    assert status("help", typed, "--lang", "en") == 0
    assert f"rules {named}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("alea", "aleago"),
        ("go19", "go:size=19"),
        ("aleago 9", "aleago:size=9"),
        ("fantom", "phantom"),
        ("rosete", "rosette"),
    ],
)
def test_near_misses_of_games_are_suggested(typed: str, meant: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert status("rules", typed, "--lang", "en") == 2
    assert f"; did you mean {meant}?" in capsys.readouterr().err


def test_unknown_games_without_a_near_one_list_the_games_only(capsys: pytest.CaptureFixture[str]) -> None:
    assert status("rules", "xyzzy", "--lang", "en") == 2
    assert capsys.readouterr().err.endswith("known: go aleago phantom rosette alter-igo pentalath\n")


@pytest.mark.parametrize("words", [("--size", "9"), ("--size=9",)])
def test_option_of_a_game_given_to_play_is_shown_in_its_place(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert status("play", *words, "--lang", "en") == 2
    assert "; size is an option of the game: write aleago:size=9\n" in capsys.readouterr().err


def test_help_levels_shows_what_each_level_means(capsys: pytest.CaptureFixture[str]) -> None:
    assert status("help", "levels", "--lang", "en") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[2].endswith("1  a beginner, who looks at most one stone ahead")
    assert [line.split()[0] for line in lines[2:]] == [str(number) for number in range(1, 11)]


def test_help_on_a_game_without_a_summary_shows_its_title(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gtp_variants.cli.help.page.sentences", lambda subject: {})
    assert game_page("rosette", "en").splitlines()[0] == "Rosette."
