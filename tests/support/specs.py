"""SPECs for tests: a few that represent all games, and lists in which every option is set at least once."""

import re
from collections import Counter
from collections.abc import Iterable

import pytest

# One SPEC for every kind of game, and one with three colours: enough for most tests.
EACH = (
    "go:size=5",
    "aleago:size=9",
    "phantom:size=5",
    "rosette:n=2",
    "alter-igo:size=4",
    "pentalath",
    "pentalath:board=hexhex5,players=3",
)
# Every option that affects how a game is played, on boards so small that captures and repetitions are frequent and
# every game ends. The first two SPECs of each game differ most.
SMALL = (
    "go:size=5",
    "go:width=4,height=3,suicide=true,scoring=territory,button=true,repetition=nssk,dead=agreed",
    "go:size=4,repetition=nssk,dead=agreed",
    "go:size=3,suicide=true,repetition=ssk,handicap_bonus=N-1,komi_in_handicap=false",
    "go:size=3,repetition=ssk,dead=agreed,komi=0",
    "go:size=4,repetition=ssk,komi=-0.5,lang=fr",
    "go:size=1",
    "aleago:size=5,dice=1d3",
    "aleago:size=5,dice=2d3,overflow=reroll,crystal_ball=true",
    "aleago:size=5,dice=1d2,star=true,star_lines=inner,repetition=psk,suicide=true,scoring=territory,button=true",
    "aleago:size=5,dice=2d2,double_whole_board=true,star_lines=inner,end_passes=5",
    "aleago:size=7,dice=2d2,star=true,double_whole_board=true",
    "aleago:size=5,dice=2d3,overflow=pass,free_player=w,dead=agreed",
    "aleago:size=5,dice=1d5,overflow=pass,free_player=w,crystal_ball=true,end_passes=4",
    "aleago:size=5,dice=2d3,overflow=reroll,fallback_ko=false,end_passes=3,free_player=b",
    "aleago:size=6,dice=1d2,crystal_ball=true,agreement=false,repetition=psk",
    "aleago:size=5,dice=1d3,mapping=original,star=true,agreement=false,end_passes=3",
    "aleago:size=3,dice=1d3,mapping=1.1.2/3.0.2/3.3.2,repetition=nssk",
    "aleago:size=4,dice=1d4,free_player=b,crystal_ball=true,repetition=nssk",
    "aleago:size=4,dice=2d2,fallback_ko=false,end_passes=4,repetition=ssk",
    "aleago:size=3,dice=1d2,fallback_ko=false,repetition=psk",
    "aleago:size=3,dice=2d3,overflow=reroll,double_whole_board=true",
    "phantom:size=4",
    "phantom:size=3,rules=openspiel",
    "phantom:size=5,announce=joined,atari=all,self_atari=new_only,impossible=private,repetition=psk,scoring=territory,button=true",
    "phantom:size=4,rules=olympiad",
    "phantom:size=3,in_a_row=tries,button=true,handicap_bonus=N",
    "rosette:n=2",
    "rosette:n=2,rosette_suicide=legal,repetition=psk,dead=agreed,supply=7,suicide=true,scoring=territory",
    "rosette:n=1,rosette_suicide=legal",
    "rosette:n=2,suicide=true,repetition=ssk,handicap_bonus=N,button=true",
    "rosette:n=3,immunity=false,repetition=ssk",
    "rosette:n=3,supply=12/9,repetition=ssk",
    "alter-igo:size=4",
    "alter-igo:width=5,height=2,repetition=situation,repeat_count=4,white_passes=3,first=w",
    "alter-igo:size=3",
    "alter-igo:width=1,height=3,repeat_count=2",
    "alter-igo:size=1",
    "pentalath",
    "pentalath:players=3,no_move=pass,supply=6,repetition=draw3_situation",
    "pentalath:board=hexhex5,repetition=draw3,no_move=loss,swap=true,supply=9",
    "pentalath:board=hexhex5,players=3,no_move=loss,supply=9/12/5",
    "pentalath:no_move=pass,supply=5,swap=true",
    "pentalath:players=3,supply=1",
)
# SPECs of games in which a board may repeat without end.
ENDLESS = (
    "go:size=3,repetition=simple,komi=0",
    "go:size=3,repetition=simple,suicide=true,scoring=territory",
    "go:size=4,repetition=none,dead=agreed",
    "aleago:size=3,mapping=1.2.7/2.0.2/7.5.1,dice=1d6,fallback_ko=false,repetition=simple",
    "phantom:size=5,repetition=simple,dead=agreed",
    "phantom:size=2,rules=openspiel,length=none,dead=agreed",
    "rosette:n=2,immunity=false,supply=7,repetition=none",
)
# Every option that affects what is written into a game's record, on boards of every size.
RECORDED = (
    "go",
    "go:size=9,dead=agreed",
    "go:width=7,height=5,scoring=territory,suicide=true,button=true",
    "go:size=25,repetition=nssk,komi=-0.5",
    "go:size=2,repetition=simple",
    "go:size=5,repetition=none",
    "go:size=1",
    "aleago",
    "aleago:size=9,crystal_ball=true,free_player=w,lang=fr",
    "aleago:size=19,dice=2d4,double_whole_board=true,end_passes=3,agreement=false",
    "aleago:size=19,dice=2d6,overflow=reroll,komi=0",
    "aleago:size=3,mapping=1.2.1/2.3.2/1.2.1,dice=1d12",
    "aleago:size=5,dice=2d3,overflow=pass,dead=agreed",
    "phantom",
    "phantom:size=5,announce=joined,impossible=private,lang=fr",
    "phantom:size=4,atari=all,self_atari=new_only,dead=agreed",
    "phantom:size=3,rules=openspiel",
    "rosette",
    "rosette:n=2,rosette_suicide=legal,repetition=ssk",
    "rosette:n=5,immunity=false,supply=40,lang=fr",
    "rosette:n=13",
    "alter-igo",
    "alter-igo:size=4",
    "alter-igo:width=5,height=3,first=w,white_passes=6,repetition=situation",
    "alter-igo:width=25,height=1",
    "alter-igo:size=5,white_passes=3,repeat_count=2",
    "pentalath",
    "pentalath:board=hexhex5,players=3,no_move=pass",
    "pentalath:swap=true,supply=12,no_move=loss",
    "pentalath:players=3,repetition=draw3_situation,supply=40/40/30",
)


def two_quick(specs: Iterable[str]) -> list[object]:
    """Return SPECs, or texts that begin with one, as test parameters. All but two for each game are marked slow."""
    seen: Counter[str] = Counter()
    found: list[object] = []
    for spec in specs:
        game = re.split("[: ]", spec)[0]
        seen[game] += 1
        found.append(spec if seen[game] <= 2 else pytest.param(spec, marks=pytest.mark.slow))
    return found
