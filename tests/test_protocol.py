"""The published protocol: complete pages, real examples, and programs of ours that keep to its schemas."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from docs import write_protocol
from gtp_variants.cli import main
from gtp_variants.cli.help.schema import TEXTS, schema
from gtp_variants.records.json import from_json, to_json
from gtp_variants.records.news_notation import write_news
from gtp_variants.records.notation import write_game
from gtp_variants.records.record import verify
from gtp_variants.records.sgf.games import from_sgf
from gtp_variants.records.state import describe_game, describe_view
from gtp_variants.rules import GAMES, parse
from gtp_variants.rules.actions import BLACK, WHITE
from gtp_variants.rules.game import Game
from tests.gtp.talk import Talk
from tests.records.eventful import eventful_game, eventful_record
from tests.site.lobby.servers import Client, run, serving
from tests.support.specs import RECORDED

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "protocol"
PAGES = sorted(FOLDER.glob("*.md"))
BLOCK = re.compile(r"<!-- (conversation|schema: ([a-z-]+)) -->\n```[a-z]*\n(.*?)\n```", re.DOTALL)


def examples(kind: str) -> Iterator[tuple[str, str]]:
    """Yield each block with this mark: the name of its schema, "" for a conversation, and its text."""
    for page in PAGES:
        for found in BLOCK.finditer(page.read_text(encoding="utf-8")):
            if found[1].startswith(kind):
                yield found[2] or "", found[3]


def faults(name: str, value: object) -> list[str]:
    """Return how a value differs from a schema, and keys that the schema does not explain."""
    jsonschema = pytest.importorskip("jsonschema", reason="the extra `test` is not installed")
    wanted = schema(name)
    found = [f"{name}: {error.message[:300]}" for error in jsonschema.Draft7Validator(wanted).iter_errors(value)]
    keys = value.keys() - wanted["properties"].keys() if isinstance(value, dict) else ()
    return [*found, *(f"{name}: {key} is not explained" for key in sorted(keys))]


# -- the pages ---------------------------------------------------------------------------------------------------------


def test_the_reference_of_commands_is_up_to_date() -> None:
    assert write_protocol.PAGE.read_text(encoding="utf-8") == write_protocol.page(), "python docs/write_protocol.py"


def test_every_listed_command_is_in_the_reference() -> None:
    listed = Talk()("list_commands").split("\n")
    documented = re.findall(r"^\| `([^` ]+)", write_protocol.page(), re.MULTILINE)
    assert len(listed) > 100
    assert set(listed) <= set(documented)


def exchanges(text: str) -> Iterator[tuple[str, str]]:
    """Yield the commands of a conversation with their answers. A command is a line that no answer can contain."""
    command, answer = "", list[str]()
    for line in [*text.split("\n"), ""]:
        if not line or re.match(r"(?![bw] )[a-z][a-z_-]", line):
            if command:
                yield command, "\n".join(answer)
            command, answer = line, []
        else:
            answer.append(line)


@pytest.mark.parametrize("text", [text for _, text in examples("conversation")], ids=lambda text: text.split("\n")[0])
def test_a_conversation_is_real(text: str) -> None:
    """The engine answers as the page says; what the page's engine chose is played in its place."""
    talk = Talk(bot="uniform")
    for command, expected in exchanges(text):
        if command.startswith("genmove"):
            colour, move = command.split()[1], expected.removeprefix("= ")
            assert move in talk(f"variant-legal_moves {colour}").split()
            if talk.session.is_in_seat:
                continue
            command, expected = f"play {colour} {move}", "="
        answer = talk.raw(command.encode())
        assert answer is not None
        assert answer.decode().removesuffix("\n\n").rstrip(" ").replace("= \n", "=\n") == expected, command


def test_each_game_has_a_conversation() -> None:
    texts = "\n".join(text for _, text in examples("conversation"))
    assert set(re.findall(r"variant-set ([a-z-]+)", texts)) == set(GAMES)


def test_examples_of_formats_fit_their_schemas() -> None:
    found = list(examples("schema"))
    assert {name for name, _ in found} == {"variant-record", "agreement", "news", "analysis", "server-line"}
    states = re.findall(
        r"^= (\{\"variant\".*\})$", "\n".join(text for _, text in examples("conversation")), re.MULTILINE
    )
    assert states
    wrong = [fault for text in states for fault in faults("variant-state", json.loads(text))]
    for name, text in found:
        for line in text.split("\n"):
            value = re.sub(r"^[SC] |\s+\*$", "", line)
            # An answer to `username` or `password` is any text.
            if line not in ("C OurBot", "C tulips-1637"):
                wrong += faults(name, json.loads(value) if name == "variant-record" else value)
    assert wrong == []


def test_the_record_of_the_page_is_a_game_that_can_be_verified() -> None:
    (text,) = (text for name, text in examples("schema") if name == "variant-record")
    assert verify(from_json(text)).ok


def test_the_sgf_of_the_page_is_the_same_game() -> None:
    text = (
        (FOLDER / "formats.md")
        .read_text(encoding="utf-8")
        .partition("<!-- sgf -->\n```text\n")[2]
        .partition("\n```")[0]
    )
    (record,) = (from_json(text) for name, text in examples("schema") if name == "variant-record")
    read = from_sgf(text)
    assert verify(read).ok
    assert write_game(read.game) == write_game(record.game)


# Code of an announcement -> the words that it adds to the news.
EFFECTS = {"captured": " captured {points}", "atari": " atari {count}", "self_atari": " self-atari"}


def play_by_the_page(seed: int) -> tuple[dict[str, list[str]], Game]:
    """Return what each seat hears in a random game if a host makes the news as the page says, and the game."""
    rng, talk = Random(seed), Talk("phantom:size=3")
    heard: dict[str, list[str]] = {"b": [], "w": []}
    while not (state := talk.state())["over"] and len(heard["b"]) < 40:
        actor = state["to_play"]
        move = rng.choice(talk.state(actor)["legal"])
        accepted = talk.raw(f"play {actor} {move}".encode()) == b"= \n\n"
        said = [item for item in talk.state()["announcements"] if item["code"] in EFFECTS]
        told = [EFFECTS[item["code"]].format(points=" ".join(item["points"]), count=item["count"]) for item in said]
        for seat, lines in heard.items():
            shown = move if seat == actor or move == "pass" else "?"
            lines.append(f"{actor} {shown}{''.join(told)}" if accepted else f"{actor} refused {shown}")
    return heard, from_json(talk("variant-record")).game


def test_news_made_from_the_answers_of_a_referee_are_those_of_our_own_referee() -> None:
    words = set[str]()
    for seed in range(10):
        heard, game = play_by_the_page(seed)
        for seat, colour in (("b", BLACK), ("w", WHITE)):
            assert heard[seat] == [" ".join(write_news(game.rules, news)) for news in game.heard(colour)]
            words.update(" ".join(heard[seat]).split())
    assert words >= {"refused", "captured", "atari", "self-atari", "pass"}


# -- hosts that know no extension --------------------------------------------------------------------------------------


def seen(talk: Talk, *moves: str) -> list[str]:
    """Play moves as a host of Go does. Return the first words of each refusal, or "" for a move that is accepted."""
    found = []
    for move in moves:
        answer = talk.raw(f"play {move}".encode())
        assert answer is not None
        found.append(answer.decode().partition(":")[0].strip("=? \n"))
    return found


def test_a_host_of_go_sees_moves_refused_in_alego_and_two_engines_throw_the_same() -> None:
    cells = [f"{colour} {column}{row}" for row in range(1, 6) for column in "ABCDE" for colour in "bw"]
    first, second = (seen(Talk("aleago:size=5"), *cells) for _ in range(2))
    assert first == second
    assert set(first) == {"", "illegal move (line)", "illegal move (occupied)"}


def test_a_host_of_go_sees_both_colours_of_a_hidden_game() -> None:
    talk = Talk("phantom:size=5")
    assert seen(talk, "b C3", "w C3", "w D3") == ["", "impossible move", ""]
    assert talk("list_stones b") == "C3"
    assert talk("list_stones w") == "D3"


def test_a_host_of_go_sees_square_boards_with_missing_points() -> None:
    grids = {"rosette:n=2": 4 * 2 - 1, "rosette": 4 * 7 - 1, "pentalath": 13, "pentalath:board=hexhex5": 9}
    assert {spec: int(Talk(spec)("query_boardsize")) for spec in grids} == grids
    talk = Talk("rosette:n=2")
    cells = [f"{column}{row}" for row in range(1, 8) for column in "ABCDEFG"]
    refused = [cell for cell in cells if seen(Talk("rosette:n=2"), f"b {cell}") == ["illegal move (off board)"]]
    points = talk("variant-legal_moves").split()[:-1]
    assert sorted([*refused, *points]) == sorted(cells)
    # The corners of seven hexagons.
    assert (len(points), len(refused)) == (24, 25)


def test_a_host_of_go_sees_stones_of_both_colours_leave_in_alter_igo() -> None:
    talk = Talk("alter-igo:size=5")
    moves = ("b A2", "w A3", "b B1", "w B2", "b E5", "w C1", "b E4", "w A1")
    assert seen(talk, "b pass", *moves) == ["illegal move (no pass)", *[""] * 8]
    assert talk("list_stones b").split() == ["E4", "E5"]
    # White's A1 has left with the two stones that it took.
    assert talk("list_stones w").split() == ["A3", "B2", "C1"]


@pytest.mark.parametrize(
    ("spec", "moves", "winner", "score"),
    [
        ("alter-igo:size=5", "b C3,w A2,b E5,w B1,b A1", "w", "W+1"),
        ("pentalath", "w G4,b A1,w H4,b B1,w J4,b D1,w K4,b E1,w F4", "w", "W+1"),
        ("rosette:n=2", "b D2,w pass,b pass,w pass", "b", "B+16.5"),
        ("go:size=3,repetition=psk", "b pass,w pass,b pass", "w", "W+7.5"),
    ],
)
def test_a_host_of_go_comes_to_an_end_with_the_right_winner(spec: str, moves: str, winner: str, score: str) -> None:
    talk = Talk(spec)
    assert set(seen(talk, *moves.split(","))) == {""}
    assert talk("final_score") == score
    before = talk.state()
    loser = "b" if winner == "w" else "w"
    assert [talk(f"genmove {colour}") for colour in (winner, loser)] == ["pass", "resign"]
    assert seen(talk, "b pass", "w pass") == ["", ""]
    assert talk.state() == before
    talk("komi 3.5")


def test_a_host_of_go_keeps_the_other_options_when_it_sets_the_size() -> None:
    talk = Talk("alter-igo:size=5,white_passes=6")
    talk("boardsize 4")
    assert talk("variant-get").startswith(
        "alter-igo:width=4,height=4,first=b,repetition=board,repeat_count=3,white_passes=6"
    )


# -- the schemas -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TEXTS)
def test_a_command_prints_a_schema(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    jsonschema = pytest.importorskip("jsonschema", reason="the extra `test` is not installed")
    assert main(["schema", name]) == 0
    printed = json.loads(capsys.readouterr().out)
    jsonschema.Draft7Validator.check_schema(printed)
    assert printed["title"]


@pytest.mark.parametrize("spec", RECORDED)
def test_states_records_and_news_of_our_games_fit_the_schemas(spec: str) -> None:
    rules, rng = parse(spec), Random(spec)
    game = eventful_game(rules, rng, 40)
    wrong = faults("variant-state", json.loads(json.dumps(describe_game(game))))
    wrong += faults("variant-record", json.loads(to_json(eventful_record(rules, rng, 40))))
    if not rules.is_open:
        for colour in rules.colours:
            heard = game.heard(colour)
            wrong += faults("variant-state", describe_view(rules, rules.view(heard, colour)))
            # Stones set up before a game are told by no news.
            lines = [" ".join(write_news(rules, news)) for news in heard if news.seating is None]
            wrong += [fault for line in lines if line for fault in faults("news", line)]
    assert wrong == []


@pytest.mark.parametrize("game", GAMES)
def test_descriptions_of_our_games_fit_the_schema(game: str) -> None:
    assert faults("variant-describe", json.loads(Talk()(f"variant-describe {game}"))) == []


@pytest.mark.parametrize("command", ["lz-genmove_analyze", "kata-genmove_analyze"])
def test_reports_of_our_engine_fit_the_schema(command: str) -> None:
    keys = " ".join(f"{key} true" for key in ("rootInfo", "ownership", "ownershipStdev", "pvVisits", "movesOwnership"))
    lines = Talk("go:size=5")(f"{command} b 1000 maxmoves 3 {keys}").split("\n")
    reports = [line for line in lines if line.startswith("info")]
    assert reports
    assert [fault for line in reports for fault in faults("analysis", line)] == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("variant-state", {"variant": "rosette"}),
        ("variant-record", {"format": "gtp-variants", "version": 2, "spec": "go", "events": []}),
        ("variant-record", {"format": "gtp-variants", "version": 1, "spec": "go", "events": [["b", "I4"]]}),
        ("agreement", "match 3"),
        ("agreement", "dead d4"),
        ("news", "b refused"),
        ("news", "w captured D4"),
        ("news", "g D4"),
        ("server-line", "draw one b 3"),
        ("analysis", "info move D4 visits"),
    ],
)
def test_schemas_refuse_wrong_texts(name: str, value: object) -> None:
    assert faults(name, value)


def test_lines_of_our_server_fit_the_schema(tmp_path: Path) -> None:
    async def test() -> None:
        async with serving(tmp_path, "aleago:size=3,dice=2d2") as server:
            players = [await Client(name, "aleago agreements").come(server.port) for name in ("alpha", "bravo")]
            viewer = await Client("viewer").connect(server.port)
            viewer.type("v1 test/1 variants")
            await viewer.until("match")
            viewer.type("observe 1")
            await viewer.until("setup")
            for each in players:
                if " b " in await each.until("variant"):
                    await each.until("genmove b")
                    each.type("propose set_dice 1d2")
                    other = next(player for player in players if player is not each)
                    await other.until("propose")
                    other.type("accept set_dice 1d2")
                    await each.until("genmove b")
                    each.type("resign")
            for each in players:
                await each.until("gameover")
            await viewer.until("update")
            lines = [line for each in (*players, viewer) for line in each.lines]
            assert {line.split()[0] for line in lines} >= {"variant", "draw", "setup", "genmove", "record", "gameover"}
            assert [fault for line in lines for fault in faults("server-line", line)] == []

    run(test())


# -- dice --------------------------------------------------------------------------------------------------------------

DICE = (FOLDER / "dice.md").read_text(encoding="utf-8")
NONCES = re.findall(r"^\| `([bwr0-9a-f ]+ [0-9a-f]+)` \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$", DICE, re.MULTILINE)
VECTORS = re.findall(r"^\| `([0-9a-f]+)` \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$", DICE, re.MULTILINE)


def program(language: str, folder: Path) -> list[str | Path]:
    """Return the command that runs the page's program in a language, or skip the test."""
    text = re.search(rf"```{language}\n(.*?)```", DICE, re.DOTALL)
    assert text is not None
    file = folder / f"verify.{'py' if language == 'python' else language}"
    file.write_text(text[1], encoding="utf-8")
    if language == "python":
        return [sys.executable, file]
    runner = shutil.which({"js": "node", "c": "cc"}[language])
    if runner is None:
        pytest.skip(f"nothing here runs {language}")
    if language == "js":
        return [runner, file]
    if subprocess.run([runner, "-E", file], capture_output=True, check=False).returncode:
        pytest.skip("OpenSSL's headers are not installed")
    subprocess.run([runner, "-Wall", "-Wextra", "-Werror", file, "-o", folder / "verify", "-lcrypto"], check=True)
    return [folder / "verify"]


@pytest.mark.parametrize("language", ["python", "js", "c"])
def test_programs_of_the_page_verify_draws(language: str, tmp_path: Path) -> None:
    """The vectors are values; `tests/rules/dice/test_stream.py` computes the same bytes independently."""
    command = program(language, tmp_path)
    assert len(VECTORS) == 13
    # Each start of a program takes a while: vectors of both secrets, and the one with a rejected number.
    for *given, face in VECTORS[::4]:
        printed = subprocess.run([*command, *given], capture_output=True, text=True, check=True).stdout.split()
        assert printed[1] == face, given
        if given[0] == b"secret".hex():
            assert f"`{printed[0]}`" in DICE
    assert len(NONCES) == 4
    for nonces, *given, face in NONCES:
        arguments = [b"secret".hex(), *given, *nonces.split()]
        printed = subprocess.run([*command, *arguments], capture_output=True, text=True, check=True).stdout.split()
        assert printed[1] == face, nonces
