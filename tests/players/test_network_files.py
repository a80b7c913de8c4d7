"""Network files for bots: an unusable file is refused when the bot is loaded, or before the game."""

from pathlib import Path

import pytest

import gtp_variants as gv
from gtp_variants.ai.backend import load_native
from gtp_variants.ai.nets.weight_choice import FOLDER
from gtp_variants.cli import main
from gtp_variants.gtp.client.isolated_bot import explain_refusal
from gtp_variants.players import bots
from tests.support.programs import run

pytestmark = pytest.mark.skipif(
    load_native("gtp_variants.ai.kernel._kernel") is None, reason="the native kernel was not built"
)

GO, PENTALATH = FOLDER / "go.safetensors", FOLDER / "pentalath.safetensors"
HIDDEN = FOLDER / "phantom-hidden-stones.safetensors"


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    file = tmp_path / "broken.safetensors"
    file.write_bytes(GO.read_bytes()[:-10])
    return file


@pytest.mark.parametrize("parameter", ["mcts:net", "phantom:net", "phantom:hidden_net"])
def test_a_file_that_is_no_network_is_refused_when_the_bot_is_loaded(parameter: str, broken: Path) -> None:
    with pytest.raises(gv.ConfigError, match=r"nowhere\.safetensors: No such file or directory"):
        gv.load_bot(f"{parameter}=nowhere.safetensors")
    with pytest.raises(gv.ConfigError, match=r"broken\.safetensors: board\.bias has 18 bytes, expected 28"):
        gv.load_bot(f"{parameter}={broken}")
    with pytest.raises(gv.ConfigError, match="there is no home folder"):
        gv.load_bot(f"{parameter}=~nobodyhere/net.safetensors")


def test_a_network_of_the_other_kind_is_refused_when_the_bot_is_loaded() -> None:
    with pytest.raises(gv.ConfigError, match=r"go\.safetensors: expected a network that predicts hidden stones"):
        gv.load_bot(f"phantom:hidden_net={GO}")
    with pytest.raises(gv.ConfigError, match=r"hidden-stones\.safetensors: expected a network that judges positions"):
        gv.load_bot(f"phantom:net={HIDDEN},hidden_net={HIDDEN}")


def test_a_wrong_network_file_leaves_the_bot_unchanged() -> None:
    bot = gv.load_bot("mcts")
    with pytest.raises(gv.ConfigError, match="No such file"):
        bots.set_parameter(bot, "net", "nowhere.safetensors")
    assert bots.parameters(bot)["net"] == "auto"


def test_a_network_of_another_game_cannot_play() -> None:
    rules = gv.parse("go:size=9")
    assert explain_refusal(f"mcts:net={GO}", rules) == ""
    assert explain_refusal(f"mcts:net={PENTALATH}", rules).endswith("weights of pentalath, expected go")
    # In an open game there are no hidden stones to predict.
    assert explain_refusal(f"phantom:hidden_net={HIDDEN}", rules) == ""
    hidden = gv.parse("phantom:size=9")
    assert explain_refusal(f"phantom:net={GO},hidden_net={HIDDEN}", hidden) == ""


@pytest.mark.parametrize(
    "command",
    ["gtp go:size=5 --bot {}", "play go:size=5 --bot {}", "match --variant go:size=5 -p a=bot:{} -p b=bot:greedy"],
)
@pytest.mark.parametrize(
    ("bot", "said"),
    [
        ("mcts:net=nowhere.safetensors", "nowhere.safetensors: No such file or directory"),
        (f"mcts:net={PENTALATH}", "pentalath.safetensors: weights of pentalath, expected go"),
    ],
)
def test_no_command_begins_a_game_with_a_wrong_file(
    command: str,
    bot: str,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(command.format(bot).split()) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    "command", ["gtp go:size=5", "play go:size=5", "match --variant go:size=5 -p a=bot:mcts -p b=bot:greedy"]
)
def test_no_command_begins_a_game_with_invalid_instructions(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GTP_VARIANTS_INSTRUCTIONS", "xyz")
    assert main(command.split()) == 2
    assert "GTP_VARIANTS_INSTRUCTIONS=xyz: expected one of plain" in capsys.readouterr().err


def test_without_a_spec_the_host_says_which_game_a_network_plays() -> None:
    told = run("gtp", "--bot", f"mcts:net={PENTALATH},playouts=2", sent=b"variant-set pentalath\ngenmove b\nquit\n")
    assert told.returncode == 0
    assert told.stdout.count(b"=") == 3
