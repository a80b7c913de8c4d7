"""French typography: non-breaking spaces stand before `: ; ! ? %` and inside quotation marks in all that is printed."""

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from gtp_variants import lang
from gtp_variants.cli import load_command, main
from gtp_variants.cli.commands import COMMANDS
from gtp_variants.cli.help.manual import pages
from gtp_variants.errors import IllegalMove, SpecError
from gtp_variants.handbook.pages import text
from gtp_variants.records.record import Record, printable
from gtp_variants.records.steps import RecordSteps
from gtp_variants.rules import GAMES, game_class, parse
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.rules.game import random_game
from gtp_variants.rules.illegal_moves import illegal
from gtp_variants.rules.languages import typeset
from gtp_variants.rules.outcome import Outcome
from gtp_variants.site.page.lessons import describe_lesson, find_lesson
from gtp_variants.site.page.server import words_in

# A mark between a word and a blank: `!règles`, `:size=9` and the `?` of a diagram are no prose.
BREAKABLE = re.compile(r"«[ \n]|[\w)»'\"`][ \n][:;!?%»](?![:\w=/])")
DOCS = Path(__file__).resolve().parents[2] / "docs"


def breakable(texts: Iterable[str]) -> list[str]:
    return [text for text in texts if BREAKABLE.search(text)]


def strings(value: object) -> Iterator[str]:
    """Yield every text inside dictionaries and lists."""
    match value:
        case str():
            yield value
        case list() | tuple():
            for each in value:
                yield from strings(each)
        case dict():
            yield from strings(list(value.values()))


@pytest.mark.parametrize(
    ("plain", "printed"),
    [
        ("Noir : vous ; oui ?", "Noir~: vous~; oui~?"),
        ("dites « oui » !", "dites «~oui~»~!"),
        ("vraiment ? (oui/non) ou pas ?)", "vraiment~? (oui/non) ou pas~?)"),
        ("quoi ?! 95 % (50 %).", "quoi~?! 95~% (50~%)."),
        (" ; vouliez-vous dire go ?", "~; vouliez-vous dire go~?"),
        ("tapez !règles à 12:30, go:size=9 : http://a.b/?c", "tapez !règles à 12:30, go:size=9~: http://a.b/?c"),
    ],
)
def test_spaces_before_marks_do_not_break(plain: str, printed: str) -> None:
    assert typeset(plain, "fr") == printable(typeset(plain, "fr")) == printed.replace("~", "\u00a0")
    assert typeset(typeset(plain, "fr"), "fr") == typeset(plain, "fr")
    assert typeset(plain, "en") == plain


def test_the_catalogue() -> None:
    texts = [texts["fr"] for subject in lang.subjects() for texts in lang.sentences(subject).values()]
    assert breakable(strings([texts, lang.option_meanings("fr")])) == []
    assert breakable(strings(json.loads(words_in("fr")))) == []


def test_the_sentences_of_the_rules() -> None:
    parts = {"name": "Noir", "vertex": "A1", "stone": "noire", "line": 1, "open": "2"}
    told = [illegal(reason, "fr", **parts).sentence for reason in IllegalMove.REASONS]
    ends = [("resign", 1), ("suicide", 1), ("blocked", 1), ("score", None), ("repetition", None), ("blocked", None)]
    told += [Outcome(winner, how).sentence("fr") for how, winner in ends]
    told.append(Outcome(1, "coup", sentences={"fr": "{name} gagne : bravo !"}).sentence("fr"))
    for spec in ("chess", "go19", "go:sise=9", "go:size", "go:size=99", "aleago:size=3,mapping=1", "rosette:supply=0"):
        with pytest.raises(SpecError) as caught:
            parse(spec)
        told.append(caught.value.reason("fr"))
    told += [chat_rules[1] for name in GAMES if (chat_rules := game_class(name).profile.chat_rules)]
    assert breakable(typeset(each, "fr") for each in told[-len(GAMES) :]) == []
    assert breakable(told[: -len(GAMES)]) == []


@pytest.mark.parametrize("game", GAMES)
def test_the_rules_and_the_lesson_of_a_game(game: str) -> None:
    assert breakable(text(parse(game, {"lang": "fr"}), 80, "fr").splitlines()) == []
    lesson = find_lesson(game)
    assert lesson is not None
    assert breakable(strings(describe_lesson(lesson, "fr"))) == []


@pytest.mark.parametrize("file", sorted(DOCS.glob("rules/**/*.fr.*")), ids=lambda file: file.name)
def test_the_pages_of_the_documentation(file: Path) -> None:
    assert breakable(file.read_text(encoding="utf-8").splitlines()) == []


@pytest.mark.parametrize(
    "words",
    [
        *(["help", name] for name in (*COMMANDS, *GAMES, "spec", "levels", "exit-status")),
        *(["options", game] for game in GAMES),
        ["help"],
        ["games"],
        ["nothing"],
        ["play", "go19"],
        ["play", "--size", "9"],
        ["play", "--level"],
        ["verify", "nothing"],
        ["gui", "aleago"],
    ],
    ids=" ".join,
)
def test_the_commands(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with suppress(SystemExit):
        main([*words, "--lang", "fr"])
    said = capsys.readouterr()
    assert breakable((said.out + said.err).splitlines()) == []


def test_the_man_pages() -> None:
    assert breakable(line for page in pages(load_command, "fr").values() for line in page.splitlines()) == []


@pytest.mark.parametrize("seat", [None, WHITE])
@pytest.mark.parametrize("spec", ["phantom:size=4", "aleago:size=3", "pentalath", "alter-igo:size=3"])
def test_the_steps_of_a_record(spec: str, seat: int | None) -> None:
    record = Record(random_game(parse(spec), 1, 30), players={BLACK: "Ann", WHITE: "Bob"})
    steps = RecordSteps(record, seat, "fr")
    lines = [steps.title(), *(line for step in steps.all for line in steps.caption(step))]
    assert breakable(lines) == []
    assert [line for line in lines if re.search(r"\w:", line)] == []


def test_dice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "dice.jsonl"
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(b"\nq\n")))
    assert main(["dice", "1d6", "--log", str(log), "--lang", "fr"]) == 0
    assert main(["verify", str(log), "--lang", "fr"]) == 0
    assert breakable(capsys.readouterr().out.splitlines()) == []
