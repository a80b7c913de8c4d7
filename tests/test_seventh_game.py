"""A seventh game is one file and one line: `examples/atari_go.py` plays everywhere, with nothing else touched."""

import importlib.util
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

import gtp_variants as gv
from gtp_variants.rules.actions import BLACK, WHITE
from tests.gtp.talk import Talk
from tests.site.page.serving import site
from tests.support.programs import run
from tests.terminal.session_lines import playing, put_away

GAME = Path(__file__).resolve().parent.parent / "examples" / "atari_go.py"
SPEC = "atari-go:size=5"
# The file as a module of the package, and the line in the register: what its author would write.
REGISTER = f"""\
import importlib.util, sys
spec = importlib.util.spec_from_file_location("gtp_variants.rules.games.atari_go", {str(GAME)!r})
module = importlib.util.module_from_spec(spec)
sys.modules[spec.name] = module
spec.loader.exec_module(module)
from gtp_variants.rules import GAMES
GAMES["atari-go"] = "atari_go:AtariGoRules"
"""

pytestmark = pytest.mark.skipif(not GAME.exists(), reason="the examples are only in a checkout")


@pytest.fixture(autouse=True)
def register() -> Iterator[None]:
    """The game, known to this process for one test."""
    exec(REGISTER, {})
    yield
    gv.GAMES.pop("atari-go")
    sys.modules.pop("gtp_variants.rules.games.atari_go")


def test_its_rules() -> None:
    rules = gv.parse(SPEC)
    game = gv.Game(rules)
    for vertex in ("A1", "A2", "C3", "B1"):
        game.play(game.position.to_play, rules.board.point(vertex))
    assert game.outcome is not None
    assert (game.outcome.winner, game.outcome.sentence()) == (WHITE, "White wins: enough stones are captured")
    with pytest.raises(gv.IllegalMove, match="game over"):
        game.play(BLACK, 0)
    for seed in range(20):
        played = gv.random_game(rules, seed)
        assert played.outcome is not None
        assert gv.Game.replay(rules, played.events) == played


def test_bots_and_searches_play_it() -> None:
    rules = gv.parse(SPEC)
    # White's stone on A1 has its last liberty on B1.
    position = rules.start({rules.board.point("A1"): WHITE, rules.board.point("A2"): BLACK}, BLACK)
    found = gv.search(rules, position, playouts=300, seed=1)
    assert rules.board.vertex(found.action) == "B1"
    assert sum(gv.playouts(rules, rules.start(), n=20, seed=1)) == pytest.approx(1.0)


def test_networks_see_it() -> None:
    rules = gv.parse(SPEC)
    encoder = gv.Encoder(rules)
    # Nobody may pass, so there is no such index.
    assert list(encoder.actions) == list(range(25))
    game = gv.random_game(rules, 1, 12)
    planes, features = encoder.encode(game.position)
    turned = encoder.encode(gv.Game.replay(rules, [gv.Event(e.actor, 24 - e.action) for e in game.events]).position)
    assert list(gv.symmetries(rules)[:, 0]).count(24) == 2
    assert (turned[0] == planes[:, ::-1]).all()
    assert (turned[1] == features).all()


def test_gtp_and_goguis_rules_commands() -> None:
    talk = Talk(SPEC)
    assert json.loads(talk("variant-describe"))["search"] == "python"
    assert talk("gogui-rules_game_id") == "Atarigo"
    assert talk("gogui-rules_board_size") == "5"
    while (words := talk("gogui-rules_legal_moves")) != "":
        side = talk("gogui-rules_side_to_move")
        assert talk(f"genmove {side}").upper() in words.split()
        assert talk("gogui-rules_board").split()
    assert talk("gogui-rules_final_result").startswith(("Black wins", "White wins"))
    assert talk("final_score") in ("B+1", "W+1")
    talk("undo")
    assert talk("variant-result") == "none"


def test_records_and_pictures(tmp_path: Path) -> None:
    game = gv.random_game(gv.parse(SPEC), seed=3)
    for name in ("game.json", "game.sgf"):
        gv.save(game, tmp_path / name)
        assert gv.load(tmp_path / name) == game
    assert "<svg" in gv.svg(game.rules, game.position)


def test_the_terminal(tmp_path: Path) -> None:
    session, rng = playing(tmp_path, SPEC, {WHITE: "greedy"}), Random(1)
    while not session.game.is_over:
        point = rng.choice(session.keyboard.view.actions)
        list(session.answer(session.game.rules.board.vertex(point)))
    put_away()


def test_the_page() -> None:
    with site() as served:
        name, seats = served.begin(SPEC)
        with served.sit(name, seats["b"]) as black, served.sit(name, seats["w"]) as white:
            ends = {"b": black, "w": white}
            while (mover := black.state["asked"]) is not None:
                turn = black.state["turn"]
                ends[mover].do("play", at=black.state["legal"][0], turn=turn)
                for end in ends.values():
                    while end.state["turn"] == turn and end.state["asked"] is not None:
                        end.take()
            assert black.state["result"] in ("B+", "W+")


@pytest.mark.slow
def test_a_match_and_a_program(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(REGISTER, encoding="utf-8")
    path = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    program = f"{sys.executable} -m gtp_variants gtp {SPEC} --bot greedy"
    players = ("--player", f"program={program}", "--player", "bot:uniform")
    done = run("match", "--variant", SPEC, *players, "--pairs", "2", "--dir", str(tmp_path / "out"), PYTHONPATH=path)
    assert done.returncode == 0, done.stderr.decode()
    done = run("bench", "--spec", SPEC, "--seconds", "0.05", PYTHONPATH=path)
    assert done.returncode == 0, done.stderr.decode()


def test_the_example_is_small() -> None:
    assert importlib.util.find_spec("gtp_variants.rules.games.go") is not None
    assert len(GAME.read_text(encoding="utf-8").splitlines()) < 100
