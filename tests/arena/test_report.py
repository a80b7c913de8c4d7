"""The text of a report."""

from collections.abc import Iterator
from textwrap import dedent

from gtp_variants.arena import config as configuration
from gtp_variants.arena.referee import Played
from gtp_variants.arena.report import tallies, text, too_many_failures

TEXT = """
arena: 1
players: {mine: {command: bot:greedy}, other: {command: bot:uniform}, third: {command: bot:uniform}}
defaults: {variant: "aleago:size=9", max_failures: 2}
tournament: {type: playoff, matchups: [{players: [mine, other], pairs: 100}]}
"""


def pairs(counts: list[int], other: str = "other") -> Iterator[Played]:
    """Games of mine that make up these counts of pairs."""
    scores = [(0.0, 0.0), (0.0, 0.5), (1.0, 0.0), (1.0, 0.5), (1.0, 1.0)]
    both = [pair for pair, count in zip(scores, counts, strict=True) for _ in range(count)]
    for number, legs in enumerate(both, 1):
        for leg, score in zip("ab", legs, strict=True):
            yield row(number, leg, {0.0: other, 0.5: None, 1.0: "mine"}[score], f"mine-{other}")


def row(pair: int, leg: str, winner: str | None, matchup: str = "mine-other", **more: object) -> Played:
    black, white = ("mine", "other") if leg == "a" else ("other", "mine")
    fields = {"kind": "played", "result": "B+1", "winner": winner, "moves": 9, "thought_s": {}, **more}
    return Played(f"{matchup}/{pair:04}{leg}", matchup, pair, leg, black, white, **fields)  # type: ignore[arg-type]


def test_a_whole_match() -> None:
    assert text(tallies(configuration.read(TEXT), pairs([20, 0, 48, 0, 32]))) == dedent("""\
        Results of mine vs other (aleago:size=9,dice=1d4; 200 of 200 games):
        Elo: 41.89 +/- 49.47, nElo: 41.46 +/- 48.15    LOS: 95.43 %
        Games: 200, Wins: 112, Losses: 88, Draws: 0    Ptnml(0-2): [20, 0, 48, 0, 32]
        95 % interval of Elo: [-6.73, 92.22]    failures: mine 0, other 0""")


def test_only_wins_claim_no_error() -> None:
    lines = text(tallies(configuration.read(TEXT), pairs([0, 0, 0, 0, 10]))).splitlines()
    assert lines[1] == "Elo: inf, nElo: unknown    LOS: 99.92 %"
    assert lines[3].startswith("95 % interval of Elo: [166.20, inf]")


def test_games_without_partner_void_games_and_failures_are_told() -> None:
    failed = (("other", "crash", "in choose: ValueError"),)
    rows = [
        *pairs([1, 0, 1, 0, 0]),
        row(3, "a", "mine", kind="forfeit", failures=failed),
        row(3, "b", None, kind="void"),
        row(4, "a", "mine", kind="adjudicated"),
    ]
    found = tallies(configuration.read(TEXT), rows)
    shown = text(found)
    assert "7 of 200 games" in shown
    assert "Games: 6, Wins: 3, Losses: 3, Draws: 0    Ptnml(0-2): [1, 0, 1, 0, 0]" in shown
    assert "failures: mine 0, other 1 crash" in shown
    assert "Ended at the move limit: 1 adjudicated, 1 void" in shown
    assert "Elo is from complete pairs; 2 more games wait for their partner" in shown
    assert too_many_failures(found) is None
    found[0].add(row(5, "a", "mine", failures=failed))
    assert too_many_failures(found) == "other failed 2 times in mine-other (max_failures: 2)"


def test_before_the_first_game() -> None:
    assert text(tallies(configuration.read(TEXT), [])).endswith("0 of 200 games):\nno game has been played")


def test_several_matchups_end_in_a_ranking() -> None:
    three = TEXT.replace("playoff, matchups: [{players: [mine, other], pairs: 100}]", "roundrobin, pairs: 10")
    rows = [*pairs([2, 0, 0, 0, 8]), *pairs([0, 2, 7, 0, 1], "third")]
    assert text(tallies(configuration.read(three), rows)).endswith(
        dedent("""\
        rank  player  games  wins  losses  draws   score  failures
           1  mine       40    25      13      2  65.0 %         0
           2  third      20     9       9      2  50.0 %         0
           3  other      20     4      16      0  20.0 %         0""")
    )
