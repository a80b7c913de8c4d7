"""The numbers that KaTrain shows, read by KaTrain's own engine class, game tree and bots from our analysis engine.

Which point is whose, who leads and by how much is counted by hand. Without a network the count is exact; the network
may be wrong by some points, never about the winner.
"""

import json
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from gtp_variants.ai.backend import search_backend
from tests.gtp.hosts.registries import install_from_pypi
from tests.gtp.hosts.settled import EYES, POSITIONS, Settled
from tests.support.programs import COMMAND, environment

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("katrain"),
    pytest.mark.skipif(search_backend() != "native", reason="the native kernel was not built"),
]

WINDOW = Path(__file__).with_name("katrain_window.py")
# An opening without symmetry: Black on E5, White on G7.
OPENING = "(;GM[1]FF[4]SZ[9]KM[7]RU[chinese];B[ee];W[gc])"


@pytest.fixture(scope="module")
def katrain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("katrain")
    yield install_from_pypi(folder, "katrain", "pysgf", "chardet<6")
    # It brings KataGo and its network along, over 100 MB.
    shutil.rmtree(folder)


def show(
    katrain: Path, *games: str, net: str = "auto", visits: int = 200, styles: Mapping[str, object] | None = None
) -> dict[str, Any]:
    """Return what KaTrain shows at the end of each game, and the errors and warnings that it notes."""
    command = shlex.join([*COMMAND, "analysis", "--net", net])
    asked = {"command": command, "games": games, "engine": {"max_visits": visits}, "styles": styles or {}}
    done = subprocess.run(
        [sys.executable, str(WINDOW)],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env=environment(katrain),
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert isinstance(found, dict)
    return found


def signed(score: str) -> float:
    """Return Black's lead for a score such as W+3.5; KaTrain adds "?" to its own estimate."""
    colour, _, points = score.rstrip("?").partition("+")
    return float(points) * (1 if colour == "B" else -1)


# The network, positions, and the points by which a lead may be wrong. Without a network random games must end well.
JUDGED = [pytest.param(("none", EYES, 2), id="no network"), pytest.param(("auto", POSITIONS, 10), id="network")]


@pytest.fixture(scope="module", params=JUDGED)
def settled(request: pytest.FixtureRequest, katrain: Path) -> tuple[Sequence[Settled], list[Any], float]:
    """Positions, what KaTrain shows of each, and the points by which a lead may be wrong."""
    net, positions, near = request.param
    shown = show(katrain, *(each.sgf("chinese") for each in positions), net=net)
    assert shown["errors"] == []
    return positions, shown["games"], near


@pytest.mark.parametrize("number", range(len(POSITIONS)))
def test_settled_position_shows_winner_lead_and_owners(
    settled: tuple[Sequence[Settled], list[Any], float], number: int
) -> None:
    positions, games, near = settled
    position, game = positions[number], games[number]
    winner, percent = game["winrate"].split()
    assert winner == position.winner
    assert 90 < float(percent.rstrip("%")) <= 100
    assert signed(game["score"]) == pytest.approx(position.area_lead, abs=near)
    assert {vertex: "B" if share > 0 else "W" for vertex, share in game["owners"].items()} == position.owners
    assert all(-1 <= share <= 1 for share in game["owners"].values())


@pytest.mark.parametrize("rules", ["chinese", "japanese"])
def test_finished_game_shows_its_winner_by_the_right_score(katrain: Path, rules: str) -> None:
    """Under Japanese rules KaTrain counts by itself, from our owners; under others it rounds our lead."""
    shown = show(katrain, *(each.sgf(rules, ";B[];W[]") for each in EYES), net="none")
    assert shown["errors"] == []
    for position, game in zip(EYES, shown["games"], strict=True):
        assert game["rules"] == rules
        lead = position.territory_lead if rules == "japanese" else position.area_lead
        assert signed(game["result"]) == lead
        assert signed(game["score"]) == pytest.approx(lead, abs=2)


def test_heat_map_and_bots_have_the_points_that_the_policy_names(katrain: Path) -> None:
    styles = ("default", "scoreloss", "simple", "jigo", "p:weighted", "p:pick", "p:local", "p:tenuki")
    usual: dict[str, object] = {f"ai:{style}": {} for style in (*styles, "p:influence", "p:territory", "p:rank")}
    shown = show(katrain, OPENING, styles={**usual, "ai:policy": {"opening_moves": 0}})
    assert shown["errors"] == []
    (game,) = shown["games"]
    policy = {vertex: share for share, vertex in game["policy"]}
    assert {vertex for vertex, share in policy.items() if share < 0} == {"E5", "G7"}
    assert sum(share for share in policy.values() if share >= 0) == pytest.approx(1, abs=1e-3)
    ranked = [vertex for _, vertex in game["policy"]]
    assert sum(policy[vertex] for vertex in ranked[:10]) > 0.5
    # No first choice is on an edge.
    assert all(vertex[0] in "BCDEFGH" and vertex[1] in "2345678" for vertex in ranked[:10])
    assert game["styles"]["ai:policy"] == ranked[0]
    assert game["styles"]["ai:default"] == game["best"]
    assert {vertex for vertex in game["styles"].values() if policy[vertex] < 0} == set()
