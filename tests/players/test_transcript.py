"""The news of a game that its audiences receive, item by item."""

from collections import Counter
from collections.abc import Sequence

import pytest

from gtp_variants.base.json_values import Json
from gtp_variants.players.hosted_game import HostedGame
from gtp_variants.players.transcript import Audience, NoSeat, Transcript
from gtp_variants.records.record import Record
from gtp_variants.records.state import describe_for_seat, describe_view
from gtp_variants.rules import GAMES, game_class, parse
from gtp_variants.rules.colour_names import COLOUR_LETTERS
from gtp_variants.rules.game import random_game

# A smaller board than usual, on which stones are not too far apart.
SMALL = {"aleago": "aleago:size=5,dice=1d3"}
SPECS = [SMALL.get(name, game_class(name).profile.small_spec) for name in GAMES]


def count_captures(items: Sequence[Json]) -> dict[str, int]:
    taken: Counter[str] = Counter()
    for item in items:
        taken[item["actor"]] += item.get("taken", 0)
    return {colour: count for colour, count in taken.items() if count}


@pytest.mark.parametrize("spec", [*SPECS, "phantom:size=4,captures=owner", "pentalath:players=3"])
def test_the_stones_taken_in_all_news_are_those_of_the_game_as_its_audience_knows_it(spec: str) -> None:
    rules = parse(spec)
    # Count captures, to make sure that the comparison is not empty.
    found = 0
    for seed in range(6):
        hosted = HostedGame.new(Record(random_game(rules, seed, 400)), {})
        game = hosted.table.game
        audiences: tuple[Audience, ...] = (NoSeat.ALL, NoSeat.WATCHING, *rules.colours)
        for audience in audiences:
            transcript = Transcript(hosted.table, audience)
            taken = count_captures(transcript.catch_up())
            if audience == NoSeat.ALL:
                known = {COLOUR_LETTERS[colour]: game.position.taken[colour] for colour in rules.colours}
            elif rules.is_open:
                known = describe_for_seat(game, transcript.view, ())["captures"]
            else:
                known = describe_view(rules, transcript.view)["captures"]
            assert taken == {colour: count for colour, count in known.items() if count}
            found += sum(taken.values())
    assert found
