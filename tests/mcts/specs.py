"""Games to try everything of a search on."""

from typing import Any

import pytest

# Every game, every option that changes how it is played, boards small enough for captures and repetitions to abound.
SPECS = (
    "go:size=5",
    "go:size=3,repetition=simple,komi=0",
    "go:size=4,repetition=none,dead=agreed",
    "go:size=4,repetition=ssk,komi=-0.5",
    "go:size=4,repetition=nssk,dead=agreed",
    "go:size=1",
    "aleago:size=5,dice=1d3",
    "aleago:size=5,dice=1d2,star=true,star_lines=inner,repetition=psk",
    "aleago:size=7,dice=2d2,star=true,double_whole_board=true",
    "aleago:size=5,dice=2d3,overflow=pass,free_player=w,dead=agreed",
    "aleago:size=5,dice=2d3,overflow=reroll,crystal_ball=true",
    "aleago:size=5,dice=1d3,mapping=original,agreement=false,end_passes=3",
    "aleago:size=3,mapping=1.2.7/2.0.2/7.5.1,dice=1d6,fallback_ko=false,repetition=simple",
    "aleago:size=4,dice=1d4,free_player=b,crystal_ball=true,repetition=nssk",
    "aleago:size=4,dice=2d2,fallback_ko=false,end_passes=4,repetition=ssk",
    "aleago:size=3,dice=1d2,fallback_ko=false,repetition=psk",
    "aleago:size=3,dice=2d3,overflow=reroll,double_whole_board=true",
    "phantom:size=4",
    "phantom:size=5,repetition=simple,dead=agreed",
    "phantom:size=3,rules=openspiel",
    "phantom:size=2,rules=openspiel,length=none,dead=agreed",
    "rosette:n=2",
    "rosette:n=2,rosette_suicide=legal,repetition=psk,dead=agreed",
    "rosette:n=3,supply=12,repetition=ssk",
    "rosette:n=2,immunity=false,supply=7,repetition=none",
    "rosette:n=1,rosette_suicide=legal",
    "alter-igo:size=3",
    "alter-igo:size=5",
    "alter-igo:width=4,height=3,repetition=situation,first=w,white_passes=3",
    "alter-igo:width=1,height=3,repeat_count=2",
    "pentalath",
    "pentalath:board=hexhex5,swap=true,repetition=draw3,no_move=loss,supply=9",
    "pentalath:players=3,no_move=pass,supply=6,repetition=draw3_situation",
    "pentalath:board=hexhex5,players=3,no_move=loss,supply=9",
    "pentalath:no_move=pass,supply=5,swap=true",
    "pentalath:players=3,supply=1",
)

# Two of each kind, which every run of the tests tries.
FEW = frozenset(
    (
        "go:size=5",
        "go:size=4,repetition=ssk,komi=-0.5",
        "aleago:size=5,dice=1d2,star=true,star_lines=inner,repetition=psk",
        "aleago:size=5,dice=2d3,overflow=pass,free_player=w,dead=agreed",
        "phantom:size=4",
        "phantom:size=3,rules=openspiel",
        "rosette:n=2",
        "rosette:n=2,rosette_suicide=legal,repetition=psk,dead=agreed",
        "alter-igo:size=3",
        "alter-igo:width=4,height=3,repetition=situation,first=w,white_passes=3",
        "pentalath:no_move=pass,supply=5,swap=true",
        "pentalath:board=hexhex5,players=3,no_move=loss,supply=9",
    )
)


def each_spec(*more: str, hidden: bool = True) -> list[Any]:
    """All of them as parameters of a test, and others; all but a few are slow."""
    specs = [spec for spec in (*SPECS, *more) if hidden or not spec.startswith("phantom")]
    return [pytest.param(spec, marks=() if spec in FEW else pytest.mark.slow) for spec in specs]
