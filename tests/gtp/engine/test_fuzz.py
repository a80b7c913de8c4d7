"""Any line at all: no crash, no lost answer, no stray byte, and a game that still makes sense (gtp.md 3, "Framing")."""

import json
import os
import re
from pathlib import Path
from random import Random

import pytest

from gtp_variants.base.processes.channel import ProcessChannel
from gtp_variants.gtp.client.peer import GtpController
from gtp_variants.gtp.engine.engine import GtpEngine, read_command
from gtp_variants.gtp.engine.engine_bot import NamedBot
from gtp_variants.gtp.engine.session import Session
from gtp_variants.rules.actions import BLACK, CHANCE, WHITE
from gtp_variants.rules.colour_names import COLOUR_LETTERS
from gtp_variants.rules.game import Game
from tests.gtp.engine.lines import SPECS, hostile, is_dangerous
from tests.support.programs import COMMAND

ANSWER = re.compile(rb"[=?][0-9]* (?:[^\n\r\x00-\x09\x0b-\x1f\x7f]*\n)+\n")
LINES_PER_GAME = 100


@pytest.fixture(autouse=True)
def window(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GTP_VARIANTS_HOST", "fuzz")


def fuzz_one_game(seed: int, capsys: pytest.CaptureFixture[str]) -> None:
    """One session that hears hostile lines, and is looked at in the end."""
    rng = Random(seed)
    spec = rng.choice(SPECS)
    # As quick as can be: with nothing set they would use the clocks that some lines set.
    thinking = "phantom:worlds=2,attempts=4,playouts=10" if spec.startswith("phantom") else "mcts:playouts=20,seconds=0"
    bot = rng.choice(["uniform", "greedy", thinking, "mcts:level=1"])
    if spec.startswith("phantom") and bot.startswith("mcts"):
        bot = "uniform"
    seer = rng.choice([None, BLACK, WHITE])
    session = Session(spec, bot=NamedBot(bot), seed=rng.choice([None, "fuzz"]), viewer=seer)
    engine = GtpEngine(session)
    said: list[bytes] = []
    for _ in range(LINES_PER_GAME):
        line = lawful(rng, session) if rng.random() < 0.4 else hostile(rng)
        if is_dangerous(line):
            continue
        said.append(line)
        answer = engine.answer(line + b"\n")
        command = read_command(line)
        assert (answer is None) == (command is None), said
        if answer is not None and command is not None:
            assert ANSWER.fullmatch(answer), (said, answer)
            assert answer[1:].startswith(command.id.encode() + b" "), (said, answer)
            if b"internal error" in answer:
                pytest.fail(f"game {seed}, {session.rules.spec}: {said[-12:]}\n{capsys.readouterr().err[-3000:]}")
    # What goes wrong in the middle of an answer can only be said in the log.
    assert "Traceback" not in capsys.readouterr().err, (seed, session.rules.spec, said[-12:])
    expect_sense(session)
    engine.answer(b"clear_board")
    state = json.loads((engine.answer(b"variant-state") or b"")[2:])
    assert (state["stones"], state["move_number"], state["over"]) == ({}, 0, False), said


def lawful(rng: Random, session: Session) -> bytes:
    """A move that the side to move may make, so that games get somewhere."""
    rules, position = session.rules, session.position
    letter = COLOUR_LETTERS[position.mover]
    actions = rules.legal(position)
    if not actions or rng.random() < 0.3:
        return b"clear_board" if session.table.is_final and rng.random() < 0.3 else f"genmove {letter}".encode()
    return f"play {letter} {session.word(rng.choice(actions))}".encode()


def expect_sense(session: Session) -> None:
    """The table at rest: dice thrown, the events replay to the same positions, and both sides can be asked."""
    game = session.table.game
    assert game.position.to_play != CHANCE or session.table.is_final
    again = Game.replay(game.rules, game.events, game.setup, game.first)
    assert list(again.positions) == list(game.positions)
    engine = GtpEngine(session)
    for line in (b"variant-state", b"variant-record", b"showboard", b"variant-legal_moves"):
        answer = engine.answer(line)
        assert answer is not None
        assert answer[:1] == b"="


@pytest.mark.slow
@pytest.mark.parametrize("part", [0, 1, *(pytest.param(part, marks=pytest.mark.slow) for part in (2, 3))])
def test_ten_thousand_lines_in_process(part: int, capsys: pytest.CaptureFixture[str]) -> None:
    for seed in range(part * 25, part * 25 + 25):
        fuzz_one_game(seed, capsys)


def slow_and_long(slow: int, count: int) -> list[object]:
    """The numbers of parts: so many that CI runs, the others by hand."""
    return [pytest.param(part, marks=pytest.mark.slow if part < slow else pytest.mark.long) for part in range(count)]


@pytest.mark.long
@pytest.mark.parametrize("part", slow_and_long(4, 10))
def test_a_hundred_thousand_lines_in_process(part: int, capsys: pytest.CaptureFixture[str]) -> None:
    for seed in range(1000 + part * 100, 1000 + part * 100 + 100):
        fuzz_one_game(seed, capsys)


def fuzz_a_process(seed: int, count: int, folder: Path) -> None:
    """Hostile lines through a pipe, ahead of their answers, which must come one each and in order."""
    rng = Random(seed)
    stderr = folder / f"stderr-{seed}"
    command = [*COMMAND, "gtp", "aleago:size=5", "--seed", "fuzz", "--bot", "greedy"]
    environment = {**os.environ, "GTP_VARIANTS_HOST": "fuzz"}
    way = ProcessChannel(command, stderr=stderr, folder=folder, environment={**environment, "PYTHONPATH": _root()})
    try:
        arrived = b""
        wanted = []
        for number in range(count):
            line = hostile(rng)
            if is_dangerous(line):
                continue
            read = read_command(line)
            wanted += [] if read is None else [read.id.encode()]
            way.write(line + rng.choice([b"\n", b"\n", b"\r\n"]))
            if number % 97 == 0:
                # A command with a number of its own shows that nothing got lost or doubled so far.
                way.write(b"%d protocol_version\n" % (10**9 + number))
                wanted.append(b"%d" % (10**9 + number))
        way.write(b"777 protocol_version")
        way.write(b"\n")
        wanted.append(b"777")
        while not arrived.endswith(b"=777 2\n\n"):
            chunk = way.read(60)
            assert chunk, arrived[-500:]
            arrived += chunk
        answers = [answer + b"\n\n" for answer in arrived.split(b"\n\n")[:-1]]
        assert len(answers) == len(wanted)
        for answer, own in zip(answers, wanted, strict=True):
            assert ANSWER.fullmatch(answer), answer
            assert answer[1:].startswith(own + b" ")
            assert b"internal error" not in answer
        assert GtpController(way).send("variant-set", "go:size=3") == ""
    finally:
        way.close()
    assert not stderr.exists() or "Traceback" not in stderr.read_text(encoding="utf-8")


def _root() -> str:
    return str(Path(__file__).resolve().parents[3])


@pytest.mark.slow
def test_two_thousand_lines_through_a_pipe(tmp_path: Path) -> None:
    fuzz_a_process(1, 2_000, tmp_path)


@pytest.mark.parametrize("part", slow_and_long(2, 4))
def test_twenty_thousand_lines_through_a_pipe(part: int, tmp_path: Path) -> None:
    fuzz_a_process(100 + part, 5_000, tmp_path)
