"""Starting the engine: SPEC, aliases, language, seat (gtp.md 1)."""

import os
import subprocess
from pathlib import Path

import pytest

from gtp_variants.cli.engines.gtp import main
from gtp_variants.rules import GAMES
from tests.gtp.talk import Talk
from tests.support.programs import COMMAND, environment, run


def test_the_default_is_aleago_on_13x13_with_a_six_sided_die() -> None:
    assert Talk()("variant-get").startswith("aleago:size=13,dice=1d6,star=true,")


def test_games_are_known_by_their_aliases() -> None:
    talk = Talk()
    for alias, name in {
        "fantome": "phantom",
        "alterigo": "alter-igo",
        "epago": "alter-igo",
        "ndengrod": "pentalath",
        "GO": "go",
    }.items():
        talk(f"variant-set {alias}")
        assert talk("variant-get").partition(":")[0] == name


def test_variant_set_accepts_the_output_of_variant_get() -> None:
    talk = Talk()
    for name in GAMES:
        talk(f"variant-set {name}")
        spec = talk("variant-get")
        talk(f"variant-set {spec}")
        assert talk("variant-get") == spec


ORDER = {
    "go": "size komi repetition dead suicide scoring lang",
    "aleago": "size dice star star_lines overflow fallback_ko double_whole_board mapping end_passes agreement "
    "free_player crystal_ball komi repetition dead lang",
    "phantom": "size komi repetition announce atari self_atari impossible dead lang",
    "rosette": "n komi immunity rosette_suicide repetition supply dead lang",
    "alter-igo": "width height first repetition repeat_count white_passes lang",
    "pentalath": "board players repetition no_move supply swap lang",
}


@pytest.mark.parametrize("name", GAMES)
def test_variant_get_prints_every_key_in_the_order_of_the_rules(name: str) -> None:
    spec = Talk(name)("variant-get").partition(":")[2]
    assert [part.partition("=")[0] for part in spec.split(",")] == ORDER[name].split()


@pytest.mark.parametrize(
    ("spec", "known"),
    [
        ("chess", list(GAMES)),
        ("go:colour=3", ["size", "komi", "repetition", "dead", "lang"]),
        ("go:repetition=often", ["none", "simple", "psk", "ssk", "nssk"]),
        ("go:size=26", ["1", "25"]),
        ("go:size=0", ["1", "25"]),
        ("rosette:n=14", ["1", "13"]),
        ("alter-igo:white_passes=-1", []),
        ("go:lang=de", ["en", "fr"]),
        ("aleago:dice=6", ["1d6"]),
        ("aleago:dice=0d6", ["1d6"]),
        ("aleago:star=yes", ["true", "false"]),
        ("pentalath:players=4", ["2", "3"]),
        ("go:size", ["key=value"]),
        ("go:komi=inf", []),
        ("", list(GAMES)),
    ],
)
def test_an_unknown_name_lists_the_known_ones(spec: str, known: list[str]) -> None:
    talk = Talk("go:size=5")
    before = talk.snapshot()
    if spec:
        text = talk.fails(f"variant-set {spec}")
        assert text.startswith("syntax error: ")
        assert [word for word in known if word not in text] == []
    assert talk.snapshot() == before
    done = run("gtp", spec)
    assert done.returncode == 2
    assert done.stdout == b""
    assert [word for word in known if word not in done.stderr.decode()] == []


def test_a_bot_that_is_unknown_is_an_error_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["go", "--bot", "nobody"]) == 2
    assert "greedy" in capsys.readouterr().err


def test_the_key_lang_beats_the_switch() -> None:
    talk = Talk("phantom:size=5", lang="fr")
    talk("play b C3")
    assert talk.fails("play w C3") == "coup impossible"
    talk.does("variant-set phantom:size=5,lang=en/play b C3")
    assert talk.fails("play w C3") == "impossible move"
    talk("variant-set phantom:size=5")
    assert talk("variant-get").endswith("lang=fr")


def test_alter_igo_takes_size_for_both_sides() -> None:
    talk = Talk("alter-igo:size=6")
    assert talk("variant-get").startswith("alter-igo:width=6,height=6,")
    talk("variant-set alter-igo:width=3")
    assert talk("variant-get").startswith("alter-igo:width=3,height=9,")


def test_a_fault_in_a_mapping_names_its_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "lines.txt"
    for content, fault in ((b"\xff", "byte 0: not UTF-8"), (b"1 2\n1 x\n", "mapping: expected concentric, original")):
        file.write_bytes(content)
        assert main(["aleago:size=2", "--mapping", str(file)]) == 2
        assert f"gtp-variants gtp: {file}: {fault}" in capsys.readouterr().err


def test_a_bots_prints_do_not_reach_the_gtp_output(tmp_path: Path) -> None:
    """gtp.md 3: "Nothing but responses on stdout"."""
    (tmp_path / "talkative.py").write_text(
        "import gtp_variants as gv\n"
        "print('loaded')\n"
        "class Talkative(gv.Seat):\n"
        "    def pick(self, view, points):\n"
        "        print('thinking', flush=True)\n"
        "        return points[0]\n",
        encoding="utf-8",
    )
    done = run("gtp", "go:size=5", "--bot", f"{tmp_path / 'talkative.py'}:Talkative", sent=b"genmove b\nquit\n")
    assert done.stdout == b"= A1\n\n= \n\n"
    assert b"loaded" in done.stderr
    assert b"thinking" in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no file that is always full")
def test_an_engine_whose_log_cannot_be_written_plays_on() -> None:
    """A full disk under the host's log, or a host that closed it, takes no game."""
    closed, broken = os.pipe()
    os.close(closed)
    sent = b"kgs-rules japanese\ngenmove b\nquit\n"
    with Path("/dev/full").open("wb") as full, os.fdopen(broken, "wb") as unread:
        for stderr in (full, unread):
            command = [*COMMAND, "gtp", "go:size=5", "--bot", "greedy"]
            done = subprocess.run(
                command, input=sent, stdout=subprocess.PIPE, stderr=stderr, check=False, timeout=60, env=environment()
            )
            assert done.stdout.count(b"= ") == 3


@pytest.mark.slow
def test_the_secret_of_the_dice_may_lie_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "seed"
    file.write_text("a secret\n", encoding="utf-8")
    asked = b"aleago-commitment\naleago-draw\n"
    told = [run("gtp", *words, sent=asked).stdout for words in (("--seed", "a secret"), ("--seed-file", str(file)))]
    assert told[0] == told[1]
    file.write_text("\n", encoding="utf-8")
    for wrong in (file, tmp_path / "nowhere"):
        done = run("gtp", "--seed-file", str(wrong))
        assert (done.returncode, done.stdout) == (2, b"")
        assert str(wrong) in done.stderr.decode()
