"""Reports as text, CSV, JSON and HTML."""

import csv
import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from textwrap import dedent

import pytest

from gtp_variants.arena.config import resolve
from gtp_variants.arena.report import plan, text_report
from gtp_variants.arena.report.match_page import render_page
from gtp_variants.arena.report.result import Result
from gtp_variants.arena.result_row import ResultRow
from gtp_variants.players.agreements import winner_of_match
from gtp_variants.statistics.sprt import llr

TEXT = """
arena: 1
players: {mine: {command: bot:greedy}, other: {command: bot:uniform}, third: {command: bot:uniform}}
defaults: {variant: "aleago:size=9", max_failures: 2}
tournament: {type: playoff, matchups: [{players: [mine, other], pairs: 100}]}
"""
ROUND_ROBIN = TEXT.replace("playoff, matchups: [{players: [mine, other], pairs: 100}]", "roundrobin, pairs: 10")
SWISS = TEXT.replace("playoff, matchups: [{players: [mine, other], pairs: 100}]", "swiss, rounds: 3, pairs: 1")
THREE = TEXT.replace("aleago:size=9", "pentalath:players=3").replace("[mine, other]", "[mine, other, third]")


def result(rows: Iterable[ResultRow], text: str = TEXT) -> Result:
    return Result(resolve.read(text), {row.id: row for row in rows})


def pairs(counts: list[int], other: str = "other") -> Iterator[ResultRow]:
    """Yield games of `mine` that lead to these counts of pairs."""
    scores = [(0.0, 0.0), (0.0, 0.5), (1.0, 0.0), (1.0, 0.5), (1.0, 1.0)]
    both = [pair for pair, count in zip(scores, counts, strict=True) for _ in range(count)]
    for number, legs in enumerate(both, 1):
        for leg, score in zip("ab", legs, strict=True):
            yield row(number, leg, {0.0: other, 0.5: None, 1.0: "mine"}[score], f"mine-{other}")


def row(pair: int, leg: str, winner: str | None, matchup: str = "mine-other", **more: object) -> ResultRow:
    other = matchup.removeprefix("mine-")
    players = ("mine", other) if leg == "a" else (other, "mine")
    id = f"{matchup}/{pair:04}{leg}"
    fields: dict[str, object] = {
        "kind": "played",
        "result": "B+1",
        "winner": winner,
        "moves": 9,
        "thought_s": {"mine": 0.9},
    }
    fields |= {"fingerprint": id, **more}
    return ResultRow(id, matchup, pair, leg, players, **fields)  # type: ignore[arg-type]


def test_report_lists_bots_with_settings() -> None:
    text = TEXT.replace("bot:greedy", '"bot:mcts:playouts=300,resign=false"').replace("bot:uniform", "bot:mcts:level=4")
    rows = list(pairs([0, 0, 1, 0, 0]))
    told = "\nmine: Search, 300 playouts a move, resign=false; other: Search, level 4\n"
    assert told in text_report.render_text(result(rows, text))
    assert "Greedy" not in text_report.render_text(result(rows))
    assert "Search, level 4" in render_page(result(rows, text))


def of_three(pair: int, leg: str, winner: str | None, left: tuple[str, ...] = ()) -> ResultRow:
    names = ("mine", "other", "third")
    turn = "abc".index(leg)
    players = names[-turn:] + names[:-turn] if turn else names
    id = f"mine-other-third/{pair:04}{leg}"
    return ResultRow(id, "mine-other-third", pair, leg, players, "played", "B+", winner, 9, fingerprint=id, left=left)


def test_report_of_a_whole_match() -> None:
    assert text_report.render_text(result(pairs([20, 0, 48, 0, 32]))) == dedent("""\
        Results of mine vs other (aleago:size=9,dice=1d4; 200 of 200 games):
        Elo +42 [-7, +92], nElo +41 [-7, +90], LOS 95.4%
        Games: 200, Wins: 112, Losses: 88, Draws: 0    Ptnml(0-2): [20, 0, 48, 0, 32]
        95 % intervals in brackets    failures: mine 0, other 0
        Dice: each game has its own dice""")


def test_report_of_a_whole_match_in_french() -> None:
    found = result(pairs([20, 0, 48, 0, 32]))
    assert text_report.render_text(found, "fr").replace("\u00a0", "~") == dedent("""\
        Résultats de mine vs other (aleago:size=9,dice=1d4~; 200 parties sur 200)~:
        Elo +42 [-7, +92], nElo +41 [-7, +90], LOS 95.4%
        Parties~: 200, gagnées~: 112, perdues~: 88, nulles~: 0    Ptnml(0-2): [20, 0, 48, 0, 32]
        intervalles à 95~% entre crochets    pannes~: mine 0, other 0
        Dés~: chaque partie a les siens""")
    assert text_report.summarise(found, "fr") == "mine a gagné 112 parties sur 200, other 88."


@pytest.mark.parametrize(
    ("limits", "more", "said"),
    [
        ("limits: {time: 1m+2s}, ", "", "60s+2s"),
        ("", "openings: {file: go-9x9}\n", "openings go-9x9"),
        ("limits: {time: 90s}, ", "openings: {file: go-9x9, plies: 2}\n", "90s, openings go-9x9"),
    ],
)
def test_report_names_clock_and_openings(limits: str, more: str, said: str) -> None:
    text = TEXT.replace("aleago:size=9", "go:size=9").replace("{variant", f"{{{limits}variant") + more
    assert text_report.render_text(result(pairs([1, 0, 0, 0, 0]), text)).startswith(
        f"Results of mine vs other (go:size=9, {said}; 2 of 200 games):"
    )
    odds = text.replace("bot:uniform}, third", "bot:uniform, limits: {time: 5m}}, third")
    times = {"60s+2s": "60s+2s vs 300s", "openings go-9x9": "none vs 300s, openings go-9x9"}
    told = times.get(said, "90s vs 300s, openings go-9x9")
    assert f"(go:size=9, {told}; " in text_report.render_text(result(pairs([1, 0, 0, 0, 0]), odds))


@pytest.mark.parametrize("dice", ["own", "shared"])
def test_report_says_whether_dice_were_shared(dice: str) -> None:
    found = result(pairs([1, 0, 0, 0, 0]), f"{TEXT}dice: {dice}\n")
    words = {"own": "each game has its own", "shared": "the games of a pair have the same"}[dice]
    assert f"\nDice: {words}" in text_report.render_text(found)
    assert words in render_page(found)
    assert found.as_json()["matchups"][0]["dice"] == dice
    without = result(pairs([1, 0, 0, 0, 0]), f"{TEXT}dice: {dice}\n".replace("aleago:size=9", "go:size=9"))
    assert "Dice:" not in text_report.render_text(without)


def test_report_has_the_state_of_an_sprt() -> None:
    shown = text_report.render_text(result(pairs([20, 0, 48, 0, 32]), TEXT + "stop: {sprt: {elo1: 10}}\n"))
    line = "LLR: 0.59 (20.2%) (-2.94, 2.94) [0.00, 10.00] normalized    failures: mine 0, other 0"
    assert line in shown.splitlines()


def test_elo_is_finite_when_a_player_won_every_game() -> None:
    lines = text_report.render_text(result(pairs([0, 0, 0, 0, 10]))).splitlines()
    assert lines[1] == "Elo +629 [+200, +1827], nElo +778 [+427, +1128], LOS > 99.9%"


def test_report_counts_unpaired_void_and_failed_games() -> None:
    failed = (("other", "crash", "in choose: ValueError"),)
    rows = [
        *pairs([1, 0, 1, 0, 0]),
        row(3, "a", "mine", kind="forfeit", failures=failed),
        row(3, "b", None, kind="void"),
        row(4, "a", "mine", kind="adjudicated"),
    ]
    found = result(rows)
    shown = text_report.render_text(found)
    assert "7 of 200 games" in shown
    assert "Games: 6, Wins: 3, Losses: 3, Draws: 0    Ptnml(0-2): [1, 0, 1, 0, 0]" in shown
    assert "failures: mine 0, other 1 crash" in shown
    assert "Ended at the move limit: 1 adjudicated, 1 void" in shown
    assert "Elo is from complete pairs; 1 more games are in incomplete pairs" in shown
    assert found.failed is None
    again = result([*rows, row(5, "a", "mine", failures=failed)])
    assert again.failed == "other failed 2 times (max_failures: 2)"
    assert again.exit == 3


def test_report_says_when_no_game_was_played() -> None:
    assert text_report.render_text(result([])).endswith("0 of 200 games):\nno game has been played")
    page = render_page(result([]))
    assert "<h1>match</h1>" in page
    assert "Tuning" not in page


def test_report_of_several_matchups_has_crosstable_and_ranking() -> None:
    rows = [*pairs([2, 0, 0, 0, 8]), *pairs([0, 2, 7, 0, 1], "third")]
    assert text_report.render_text(result(rows, ROUND_ROBIN)).endswith(
        dedent("""\
                     1      2      3
        1 mine       -  10/20  16/20
        2 third  10/20      -
        3 other   4/20             -

        rank  player  games  wins  losses  draws  points   score               Elo  failures
           1  mine       40    25      13      2      26  65.0 %   +120 [+1, +240]         0
           2  third      20     9       9      2      10  50.0 %  +120 [-56, +297]         0
           3  other      20     4      16      0       4  20.0 %  -241 [-442, -40]         0""")
    )


def test_byes_are_in_every_format() -> None:
    who = "mine in round 3; other in round 2; third in round 1"
    told = f"Sat out, which counts as a draw when the next round is paired: {who}"
    first = [row(1, "a", "mine"), row(1, "b", "mine")]
    second = [row(2, "a", "mine", "mine-third"), row(2, "b", "mine", "mine-third")]
    found = result([*first, *second], SWISS)
    assert told in text_report.render_text(found)
    assert f"{told}." in render_page(found)
    assert {each["name"]: each["byes"] for each in found.as_json()["players"]} == {
        "mine": [3],
        "other": [2],
        "third": [1],
    }
    one = result(first, SWISS.replace("rounds: 3", "rounds: 1"))
    assert "paired: third in round 1\n" in text_report.render_text(one) + "\n"


def test_report_has_no_byes_when_everybody_plays() -> None:
    found = result([row(1, "a", "mine")])
    assert "Sat out" not in text_report.render_text(found) + render_page(found)
    assert "byes" not in found.as_json()["players"][0]


def test_report_counts_duplicate_games() -> None:
    rows = [row(pair, leg, "mine", fingerprint=leg) for pair in (1, 2) for leg in "ab"]
    assert "Duplicate games: 2; in 1 pairs, which are no evidence" in text_report.render_text(result(rows))


def test_report_of_three_players_has_points_and_places() -> None:
    rows = [
        of_three(1, "a", "mine"),
        of_three(1, "b", "mine", ("third",)),
        of_three(1, "c", None),
        of_three(2, "a", "other"),
        of_three(2, "b", "mine"),
        of_three(2, "c", None, ("third",)),
    ]
    found = result(rows, THREE)
    assert text_report.render_text(found) == dedent("""\
        Results of mine vs other vs third (pentalath:board=trapezoid,players=3; 6 of 300 games):
        player  games  points                a game     places 1, 2, 3  failures
        mine        6    3.83  0.639 [0.174, 0.902]  3, 1, 0, shared 2         0
        other       6    1.83  0.306 [0.072, 0.815]  1, 2, 0, shared 3         0
        third       6    0.33  0.056 [0.006, 0.749]  0, 1, 2, shared 3         0
        Wins by colour: Black 1, White 3, Red 0; drawn: 2""")
    data = found.as_json()
    assert [player["points"] for player in data["players"]] == [3.833333, 1.833333, 0.333333]
    assert data["players"][0]["elo"] is None
    assert data["matchups"] == [
        {
            "players": ["mine", "other", "third"],
            "wdl": None,
            "pentanomial": None,
            "llr": None,
            "sprt": None,
            "dice": None,
            "interferences": 0,
        }
    ]


def test_json_report_has_its_documented_form() -> None:
    found = result(pairs([20, 0, 48, 0, 32]), TEXT + "stop: {sprt: {elo1: 10}}\n").as_json()
    assert json.loads(json.dumps(found, allow_nan=False)) == {
        "name": "match",
        "complete": True,
        "exit": 0,
        "games": 200,
        "players": [
            {
                "name": name,
                "games": 200,
                "wins": wins,
                "draws": 0,
                "losses": 200 - wins,
                "points": wins,
                "elo": elo,
                "elo_low": low,
                "elo_high": high,
                "process": "referee",
                "wall": "none",
                "failures": {
                    "illegal": 0,
                    "time": 0,
                    "crash": 0,
                    "hang": 0,
                    "protocol": 0,
                    "tampering": 0,
                    "killed": 0,
                    "quit": 0,
                },
            }
            for name, wins, elo, low, high in [
                ("mine", 112, 41.89, -6.73, 92.22),
                ("other", 88, -41.89, -92.22, 6.73),
            ]
        ],
        "matchups": [
            {
                "players": ["mine", "other"],
                "wdl": [112, 0, 88],
                "pentanomial": [20, 0, 48, 0, 32],
                "llr": pytest.approx(0.594989, abs=1e-6),
                "sprt": "open",
                "dice": "own",
                "interferences": 0,
            }
        ],
    }


def test_csv_has_a_line_per_game() -> None:
    failed = (("other", "crash", 'said "x", and ended'),)
    found = text_report.as_csv([row(2, "b", None, kind="forfeit", failures=failed, why="y"), *pairs([1, 0, 0, 0, 0])])
    lines = list(csv.DictReader(io.StringIO(found)))
    assert [line["id"] for line in lines] == ["mine-other/0001a", "mine-other/0001b", "mine-other/0002b"]
    assert (lines[0]["black"], lines[0]["winner"], lines[0]["black_s"], lines[0]["red"]) == ("mine", "other", "0.9", "")
    assert (lines[2]["status"], lines[2]["failures"]) == ("forfeit:crash", 'other crash: said "x", and ended')


# -- a match of two games ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("winners", "stones", "match", "by_tiebreak"),
    [
        (("a", "a"), (9, 9), "a", False),
        (("a", None), (9, 9), "a", False),
        ((None, "b"), (9, 9), "b", False),
        ((None, None), (9, 7), None, False),
        (("a", "b"), (9, 7), "b", True),
        (("a", "b"), (7, 9), "a", True),
        (("a", "b"), (9, 9), None, False),
        # Both won as White, so the tie-break, which is about Black, does not apply.
        (("b", "a"), (7, 9), None, False),
    ],
)
def test_winner_of_a_match_of_two_has_more_points(
    winners: tuple[str | None, str | None], stones: tuple[int, int], match: str | None, by_tiebreak: bool
) -> None:
    """rules.md I-6: points 1/½/0; more points wins; 1-1 with both games won as Black: fewer moves wins."""
    games = list(zip([("a", "b"), ("b", "a")], winners, stones, strict=True))
    assert winner_of_match(games, True) == (match, by_tiebreak)
    assert winner_of_match(games, False) == (None if by_tiebreak else match, False)


def test_report_counts_matches_of_two() -> None:
    text = TEXT.replace('"aleago:size=9"', "alter-igo, match: 2, tiebreak: black_moves")
    rows = [row(1, "a", "mine", stones=8), row(1, "b", "other", stones=9), *(row(2, leg, "mine") for leg in "ab")]
    assert "game matches: 2 won, 0 tied, 0 lost; decided by tie-break: 1" in text_report.render_text(result(rows, text))


# -- planning ----------------------------------------------------------------------------------------------------------


def test_games_for_follows_from_error_and_variance() -> None:
    assert [plan.games_for(error) for error in (50, 30, 20, 10, 5)] == [185, 515, 1159, 4637, 18548]


def test_plan_has_games_and_time() -> None:
    rows = [row(number, leg, "mine" if number % 2 else "other", took_s=7.2) for number in range(1, 21) for leg in "ab"]
    shown = plan.render_plan(resolve.read(TEXT), result(rows), 2)
    assert "A game takes 7.20 s (mean of 40); 2 at a time." in shown
    # Pairs won twice by the same player carry half the information.
    assert "+/- 50 Elo      371    186  22 minutes" in shown
    assert "- " in plan.render_plan(resolve.read(TEXT), result([]), 2)


def test_sprt_counts_all_games_of_its_two_players() -> None:
    text = (
        TEXT.replace("matchups: [", "matchups: [{players: [other, mine], pairs: 100}, ") + "stop: {sprt: {PLAYERS}}\n"
    )
    text = text.replace("PLAYERS", "players: [mine, other], elo1: 10")
    found = result([*pairs([8, 0, 50, 0, 42])], text)
    assert [each["llr"] for each in found.as_json()["matchups"]] == [1.878995, 1.878995]
    there_and_back = [replace(row(1, leg, "mine"), id=f"other-mine/0001{leg}", matchup="other-mine") for leg in "ab"]
    both = result([*pairs([8, 0, 50, 0, 42]), *there_and_back], text)
    first, second = both.as_json()["matchups"]
    assert (first["llr"], first["sprt"]) == (second["llr"], second["sprt"])
    assert first["llr"] == pytest.approx(llr((8, 0, 50, 0, 43), 0, 10), abs=1e-6)
