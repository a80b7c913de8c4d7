"""Commands that KataGo made usual: rules as JSON, parameters, positions (gtp.md 3)."""

import json
import re
from math import isnan
from pathlib import Path

import pytest

from gtp_variants.ai.backend import search_backend
from gtp_variants.ai.mcts.settings import PuctSettings
from gtp_variants.ai.nets.weight_choice import FOLDER, reason_without_network
from gtp_variants.gtp.engine.session_search import search_of
from gtp_variants.players.thinking.sliced_search import MEMORY_MB, PositionSearch
from gtp_variants.rules import parse
from gtp_variants.rules.actions import BLACK
from tests.gtp.talk import SCORED, UNSCORED, Talk

native = pytest.mark.skipif(search_backend() != "native", reason="the native kernel was not built")


def test_rules_are_reported_in_katagos_words_with_the_spec() -> None:
    told = json.loads(Talk("go:size=9,komi=6.5,repetition=ssk")("kata-get-rules"))
    assert (told["ko"], told["scoring"], told["suicide"], told["tax"]) == ("SITUATIONAL", "AREA", False, "NONE")
    assert told["spec"].startswith("go:size=9,komi=6.5")
    assert set(json.loads(Talk("pentalath")("kata-get-rules"))) == {"spec"}


@pytest.mark.parametrize("spec", [*SCORED, *UNSCORED])
def test_reported_rules_can_be_set_again(spec: str) -> None:
    talk = Talk(spec)
    before = talk("variant-get")
    talk(f"kata-set-rules {talk('kata-get-rules')}")
    assert talk("variant-get") == before


def test_rules_that_were_saved_are_set_again_after_others() -> None:
    talk = Talk("go:size=9,komi=6.5,dead=agreed")
    before, saved = talk("variant-get"), talk("kata-get-rules")
    talk("kata-set-rules go:komi=0.5,dead=none,repetition=simple")
    talk(f"kata-set-rules {saved}")
    assert talk("variant-get") == before
    assert talk.fails('kata-set-rules {"spec":"rosette:n=4"}') == (
        "cannot set rules: spec=rosette:n=4 (expected a SPEC of go)"
    )
    assert "spec=go:colour=red" in talk.fails('kata-set-rules {"spec":"go:colour=red"}')


@pytest.mark.parametrize(
    ("word", "repetition"),
    [
        ("chinese", "simple"),
        ("chinese-ogs", "psk"),
        ("AGA", "ssk"),
        ('{"ko":"SIMPLE"}', "simple"),
        ("koSITUATIONALscoreAREAtaxNONEsui0", "ssk"),
        ("koSIMPLEscoreAREAtaxNONEsui0button0whbNfpok1", "simple"),
    ],
)
def test_rules_that_can_be_are_set(word: str, repetition: str) -> None:
    talk = Talk("go:size=9")
    talk(f"kata-set-rules {word}")
    assert f"repetition={repetition}," in talk("variant-get")


# KataGo's GTP_Extensions.md; the French federation's own words are nssk.
NAMED = {
    "japanese": ("SIMPLE", "TERRITORY", False, False, "0"),
    "korean": ("SIMPLE", "TERRITORY", False, False, "0"),
    "chinese": ("SIMPLE", "AREA", False, False, "N"),
    "chinese-ogs": ("POSITIONAL", "AREA", False, False, "N"),
    "chinese-kgs": ("POSITIONAL", "AREA", False, False, "N"),
    "aga": ("SITUATIONAL", "AREA", False, False, "N-1"),
    "bga": ("SITUATIONAL", "AREA", False, False, "N-1"),
    "aga-button": ("SITUATIONAL", "AREA", False, True, "N-1"),
    "french": ("NSSK", "AREA", False, False, "N-1"),
    "new_zealand": ("SITUATIONAL", "AREA", True, False, "0"),
    "Tromp-Taylor": ("POSITIONAL", "AREA", True, False, "0"),
}


@pytest.mark.parametrize("name", NAMED)
def test_rules_by_name_are_kept_in_every_respect(name: str) -> None:
    talk = Talk("go:size=9,komi=5.5")
    talk(f"kata-set-rules {name}")
    told = json.loads(talk("kata-get-rules"))
    assert tuple(told[key] for key in ("ko", "scoring", "suicide", "hasButton", "whiteHandicapBonus")) == NAMED[name]
    assert talk("get_komi") == "5.5"
    # What is told sets the same rules again.
    other = Talk("go:size=9,komi=5.5")
    other("kata-set-rules " + json.dumps({key: value for key, value in told.items() if key != "spec"}))
    assert other("variant-get") == talk("variant-get")


def test_keys_of_katago_have_synonyms_and_usual_simplifications() -> None:
    talk = Talk("go:size=9")
    talk('kata-set-rules {"score":"TERRITORY","tax":"SEKI","friendlyPassOk":true}')
    assert "scoring=territory," in talk("variant-get")
    talk("kata-set-rule score AREA")
    assert "scoring=area," in talk("variant-get")


def test_invalid_rules_are_refused_and_change_nothing() -> None:
    talk = Talk("go:size=9")
    before = talk("variant-get")
    taxed = "(expected NONE, or SEKI with territory: points in a seki count)"
    assert talk.fails("kata-set-rules stone-scoring") == f"cannot set rules: tax=ALL {taxed}"
    assert talk.fails("kata-set-rules koPOSITIONALscoreAREAtaxSEKIsui1") == f"cannot set rules: tax=SEKI {taxed}"
    assert "hasButton=1 (expected false, true)" in talk.fails('kata-set-rules {"hasButton":1,"ko":"SIMPLE"}')
    assert talk.fails("kata-set-rules japanes").endswith("; did you mean japanese?")
    assert talk.fails("kata-set-rules mine").startswith("syntax error: ")
    for noise in ("{", '{"ko":' + "[" * 5000):
        assert talk.fails(f"kata-set-rules {noise}").startswith("syntax error: ")
    assert Talk("phantom").fails("kata-set-rule suicide true") == (
        "cannot set rules: suicide=true (a stone without a liberty that captures nothing is an impossible move)"
    )
    assert talk("variant-get") == before
    talk("kata-set-rule ko SITUATIONAL")
    assert "repetition=ssk" in talk("variant-get")


@pytest.mark.parametrize("rules", ["chinese", '{"ko":"SIMPLE","whiteHandicapBonus":"N"}'])
def test_rules_with_points_for_handicap_stones_are_set_before_and_after_the_stones(
    rules: str, capsys: pytest.CaptureFixture[str]
) -> None:
    told = []
    for lines in ([f"kata-set-rules {rules}", "fixed_handicap 2"], ["fixed_handicap 2", f"kata-set-rules {rules}"]):
        talk = Talk("go:size=9")
        for line in lines:
            talk(line)
        told.append((talk("kata-get-rules"), talk("final_score"), capsys.readouterr().err))
    assert told[0] == told[1]
    assert '"ko": "SIMPLE"' in told[0][0]
    assert '"whiteHandicapBonus": "N"' in told[0][0]
    # Black's stones own the board; White has komi and two points.
    assert told[0][1:] == ("B+71.5", "")
    assert "whiteHandicapBonus=X" in Talk("go:size=9").fails('kata-set-rules {"whiteHandicapBonus":"X"}')
    Talk("go:size=9")("kata-set-rule whiteHandicapBonus 0")
    assert capsys.readouterr().err == ""


def test_rules_may_be_a_spec() -> None:
    talk = Talk("go:size=9")
    talk("kata-set-rules go:komi=0.5")
    assert "size=9,komi=0.5" in talk("variant-get")
    talk("kata-set-rules alter-igo:size=5")
    assert talk("variant-get").startswith("alter-igo:width=5")
    talk("play b C3")
    assert talk.fails("kata-set-rules go:size=9") == "board not empty"


def test_wide_root_noise_is_for_analysis_alone() -> None:
    talk = Talk("go:size=5")
    assert "analysisWideRootNoise" in talk("kata-list-params").split()
    assert talk("kata-get-param analysisWideRootNoise") == "0.0"
    talk("kata-set-param analysisWideRootNoise 0.04")
    talk("clear_board")
    assert talk("kata-get-param analysisWideRootNoise") == "0.04"
    assert json.loads(talk("kata-get-params"))["analysisWideRootNoise"] == 0.04
    talk.fails('kata-set-params {"analysisWideRootNoise": 1, "maxPlayouts": "many"}')
    for wrong in ("-1", "5.5", "much"):
        assert talk.fails(f"kata-set-param analysisWideRootNoise {wrong}").startswith("syntax error: ")
    assert talk.session.wide_root_noise == 0.04
    talk('kata-set-params {"analysisWideRootNoise": 1}')
    assert talk.session.wide_root_noise == 1


@pytest.mark.parametrize("spec", ["go:size=5", "aleago:size=9", "alter-igo:size=4"])
def test_a_benchmark_searches_ten_positions(spec: str) -> None:
    talk = Talk(spec, seed="x")
    before = talk.snapshot()
    said = talk("kata-benchmark 20")
    assert re.fullmatch(r"numSearchThreads = +\d+: \d+ / 10 positions, visits/s = [\d.]+ \([\d.]+ secs\)", said)
    assert talk.snapshot() == before
    assert talk.fails("kata-benchmark 0") == "syntax error: 0: expected 1 or more visits"


def test_parameters_go_by_katagos_names_and_the_bots_own() -> None:
    talk = Talk("go:size=5", bot="mcts:playouts=30")
    known = talk("kata-list-params").split()
    assert {"maxPlayouts", "maxVisits", "maxTime", "numSearchThreads", "playouts", "seconds"} <= set(known)
    assert talk("kata-get-param maxPlayouts") == "30"
    assert talk("kata-get-param ponderingEnabled") == "false"
    talk("kata-set-param maxPlayouts 40")
    talk('kata-set-params {"maxTime": 1.5, "numSearchThreads": 1}')
    assert json.loads(talk("kata-get-params"))["seconds"] == 1.5
    assert talk("kata-get-param playouts") == "40"
    assert talk.fails("kata-set-param playoutDoublingAdvantage 1").startswith("playoutDoublingAdvantage: not supported")
    for noise in ("5", "[" * 5000):
        assert talk.fails(f"kata-set-params {noise}").startswith("syntax error: ")
    talk.fails('kata-set-params {"maxTime": 3, "maxPlayouts": "many"}')
    # Numbers that cannot be do not take a limit away.
    for number in ("NaN", "1e30", "12345678901234567890", "-Infinity"):
        talk.fails(f'kata-set-params {{"maxTime": {number}}}')
    talk.fails('kata-set-params {"maxPlayouts": 12345678901234567890}')
    assert talk("kata-get-param maxPlayouts") == "40"
    assert talk("kata-get-param maxTime") == "1.5"
    for name in known:
        talk(f"kata-get-param {name}")


def test_katagos_names_answer_numbers_where_nothing_is_set() -> None:
    talk = Talk("go:size=5", bot="mcts")
    talk.session.bot.cores = 3
    told = json.loads(talk("kata-get-params"))
    names = ("maxPlayouts", "maxVisits", "maxTime", "numSearchThreads", "ponderingEnabled", "allowResignation")
    assert [told[name] for name in names] == [2**50, 2**50, 1e20, 3, False, True]
    for name in names:
        assert json.loads(talk(f"kata-get-param {name}")) == told[name]
    # By its own names the bot tells what was set.
    assert [told[name] for name in ("playouts", "seconds", "threads")] == [None, None, None]
    # What was told can be sent back, and a limit is lifted by KataGo's number for none.
    talk("kata-set-param maxPlayouts 40")
    assert talk("kata-get-param numSearchThreads") == "1", "the same playouts come out again"
    talk(f"kata-set-param maxPlayouts {told['maxPlayouts']}")
    talk("kata-set-param maxTime 2")
    talk(f'kata-set-params {{"maxTime": {told["maxTime"]}}}')
    assert json.loads(talk("kata-get-params")) == told
    talk("kata-set-param numSearchThreads 2")
    assert talk("kata-get-param numSearchThreads") == "2"
    talk("kata-set-param maxTime 2.5")
    assert talk("kata-get-param maxTime") == "2.5"


def test_visits_and_playouts_are_one_limit_and_the_lower_of_both_holds() -> None:
    talk = Talk("go:size=5", bot="mcts:seconds=0,stop_early=false")
    talk("kata-set-param maxVisits 40")
    for name in ("maxVisits", "maxPlayouts", "playouts"):
        assert talk(f"kata-get-param {name}") == "40"
    for visits, playouts in ((50, 2**50), (2**50, 50), (60, 50), (50, 60), (50, 50)):
        talk("kata-set-param maxVisits 40")
        talk(f'kata-set-params {{"maxVisits": {visits}, "maxPlayouts": {playouts}}}')
        assert talk("kata-get-param maxVisits") == "50"
    for wrong in ('"many"', "NaN"):
        talk.fails(f'kata-set-params {{"maxVisits": {wrong}, "maxPlayouts": 60}}')
        talk.fails(f'kata-set-params {{"maxPlayouts": {wrong}, "maxVisits": 60}}')
    assert talk("kata-get-param maxVisits") == "50"
    talk("kata-search b")
    assert talk.session.bot.found is not None
    assert talk.session.bot.found.playouts == 50
    talk(f"kata-set-param maxVisits {2**50}")
    assert talk("kata-get-param playouts") == "none"


@pytest.mark.parametrize(("bot", "threads"), [("mcts:level=7", "1"), ("mcts:level=10", "3"), ("phantom", "3")])
def test_the_reported_threads_are_the_searching_ones(bot: str, threads: str) -> None:
    talk = Talk("phantom:size=5" if bot == "phantom" else "go:size=9", bot=bot)
    talk.session.bot.cores = 3
    assert talk("kata-get-param numSearchThreads") == threads


def test_a_position_is_set_at_once_and_its_history_forgotten() -> None:
    talk = Talk("go:size=5")
    talk.plays("b:A1 w:B2")
    talk("set_position b C3 w D4 b E5")
    assert talk("list_stones b") == "C3 E5"
    assert talk("list_stones w") == "D4"
    assert talk("move_history") == ""
    assert talk.fails("set_position b C3 w C3").startswith("syntax error: ")
    assert talk("list_stones w") == "D4"
    talk("set_position")
    assert talk("list_stones b") == ""


def test_komi_and_commands_that_have_little_to_do() -> None:
    talk = Talk("go:size=5,komi=5.5")
    assert (talk("get_komi"), talk("stop"), talk("clear_cache")) == ("5.5", "", "")
    assert Talk("pentalath")("get_komi") == "0"


def test_a_search_plays_nothing() -> None:
    talk = Talk("go:size=5", bot="mcts:playouts=200,seconds=0")
    before = talk.snapshot()
    word = talk("kata-search b")
    lines = talk("kata-search_analyze b 1").strip().split("\n")
    assert lines[-1] == f"play {word}"
    assert lines[-2].startswith(f"info move {word} ")
    talk.session.has_pending_command = lambda: False
    assert talk("kata-search_cancellable b") == word, "nobody cancels it"
    assert talk("kata-search_analyze_cancellable b 1").strip().split("\n")[-1] == f"play {word}"
    assert talk.snapshot() == before
    assert talk.fails("kata-search_cancellable").startswith("syntax error: ")


def read_evaluation(text: str) -> dict[str, list[float]]:
    """As KataGo's users read it: words are keys, whatever follows until the next is theirs."""
    found: dict[str, list[float]] = {}
    key = ""
    for word in text.split():
        if word[0].isalpha() and word != "NAN":
            key = word
            found[key] = []
        else:
            found[key].append(float(word))
    return found


@native
def test_the_network_alone_is_heard_before_any_search() -> None:
    talk = Talk("go:size=5")
    talk("play b B4")
    said = read_evaluation(talk("kata-raw-nn 0"))
    assert said["symmetry"] == [0]
    assert said["whiteWin"][0] + said["whiteLoss"][0] == pytest.approx(1, abs=1e-5)
    assert said["noResult"] == [0]
    assert said["whiteScoreSelfplaySq"][0] >= said["whiteScoreSelfplay"][0] ** 2 - 0.01
    # A cell of the grid each, from the top left; B4 is taken, and all that may be played has 1 together.
    policy = said["policy"]
    assert len(policy) == len(said["whiteOwnership"]) == 25
    assert [cell for cell, prior in enumerate(policy) if isnan(prior)] == [6]
    assert sum(prior for prior in policy if not isnan(prior)) + said["policyPass"][0] == pytest.approx(1, abs=1e-4)
    # The stone there is Black's.
    assert said["whiteOwnership"][6] < 0


@native
def test_the_network_that_judges_positions_is_the_only_model() -> None:
    file = FOLDER / "go.safetensors"
    (model,) = json.loads(Talk("go:size=5", bot=f"mcts:net={file}")("kata-get-models"))
    assert (model["name"], model["internalName"], model["usesHumanSLProfile"]) == ("go.safetensors", "go", False)
    assert set(model) == {"name", "internalName", "maxBatchSize", "usesHumanSLProfile", "version", "usingFP16"}
    assert json.loads(Talk("go:size=5", bot="mcts:net=none")("kata-get-models")) == []
    rosette = FOLDER / "rosette.safetensors"
    assert "weights of rosette" in Talk("go:size=5", bot=f"mcts:net={rosette}").fails("kata-get-models")
    # The package's own is told where it is used.
    for spec, name in (("go:size=9", "go.safetensors"), ("go:size=19", "go-large.safetensors")):
        told = json.loads(Talk(spec, bot="mcts")("kata-get-models"))
        assert [each["name"] for each in told] == ([] if reason_without_network(parse(spec)) else [name])
    # Another komi changes it, too.
    talk = Talk("go:size=9", bot="mcts")
    talk("komi 0.5")
    told = json.loads(talk("kata-get-models"))
    assert [each["name"] for each in told] == (
        [] if reason_without_network(parse("go:size=9")) else ["go-komi.safetensors"]
    )


@native
def test_the_network_sees_the_board_turned() -> None:
    pytest.importorskip("numpy")
    talk = Talk("go:size=5")
    talk("play b B4")
    every = [read_evaluation("symmetry" + part) for part in talk("kata-raw-nn all").split("symmetry")[1:]]
    assert [said["symmetry"][0] for said in every] == list(range(8))
    assert talk("kata-raw-nn 3") == talk("kata-raw-nn w 3")
    # What is taken is taken however the board lies.
    assert all(isnan(said["policy"][6]) for said in every)
    assert len({said["whiteWin"][0] for said in every}) > 1
    # The same board, turned: the same words.
    mirrored = Talk("go:size=5")
    mirrored("play b D4")
    turned = {
        read_evaluation("symmetry" + part)["whiteWin"][0] for part in mirrored("kata-raw-nn all").split("symmetry")[1:]
    }
    assert turned == {said["whiteWin"][0] for said in every}
    for wrong in ("8", "-1"):
        assert talk.fails(f"kata-raw-nn {wrong}").endswith("expected a symmetry, 0 to 7, or all")


def test_kata_raw_nn_is_refused_without_a_fitting_network() -> None:
    assert (
        Talk("alter-igo:size=5", bot="mcts:net=none").fails("kata-raw-nn 0")
        == "cannot evaluate: the bot has no network"
    )
    assert Talk("phantom:size=5").fails("kata-raw-nn 0") == "cannot evaluate: this game has hidden stones"
    assert Talk("pentalath:players=3").fails("kata-raw-nn 0") == "not a game for two"


def priors(bot: str) -> dict[int, float]:
    """Move -> prior, as the analysis of the first position sees it."""
    found = search_of(Talk("go:size=7", bot=bot).session, BLACK).run_slice()
    return dict(found.priors)


@native
def test_analysis_searches_as_the_bot_does() -> None:
    def settings(bot: str) -> tuple[float, ...]:
        search = search_of(Talk("go:size=7", bot=bot).session, BLACK)
        assert isinstance(search, PositionSearch)
        chosen = search._thinker.settings
        assert isinstance(chosen, PuctSettings)
        return chosen.threads, chosen.exploration, chosen.playout_weight, chosen.memory_mb, chosen.playouts

    net = f"net={FOLDER / 'go.safetensors'}"
    assert settings(f"mcts:{net},threads=2,exploration=2.5,playout_weight=0,memory_mb=99,playouts=7,seconds=0") == (
        2,
        2.5,
        0.0,
        MEMORY_MB,
        0,
    )
    # What nobody set suits the game.
    assert settings(f"mcts:{net}") == (1, PuctSettings().exploration, 0.5, MEMORY_MB, 0)


@native
def test_analysis_judges_by_the_network_of_the_bot(tmp_path: Path) -> None:
    copy = tmp_path / "mine.safetensors"
    copy.write_bytes((FOLDER / "go.safetensors").read_bytes())
    mine, none = priors(f"mcts:net={copy}"), priors("mcts:net=none")
    assert mine
    assert mine != none
    # What a level says of playouts is no word about a network, and a bot without the setting leaves it to the package.
    assert priors("greedy") == priors("mcts") == priors("mcts:level=3")
    wrong = Talk("go:size=7", bot=f"mcts:net={FOLDER / 'rosette.safetensors'}")
    assert "rosette" in wrong.fails("estimate_score")
