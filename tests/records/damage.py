"""Damaged records: our own files and those of other programs, with random faults."""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from gtp_variants.errors import RecordError
from gtp_variants.records.drawing.diagram import diagram
from gtp_variants.records.files import load_all
from gtp_variants.records.json import to_json
from gtp_variants.records.record import Record, verify
from gtp_variants.records.sgf.games import from_sgf, to_sgf
from gtp_variants.rules import parse
from tests.records.eventful import eventful_record
from tests.records.games import HANDMADE
from tests.support.specs import RECORDED

GIB = r"""\HS
\[GAMEINFOMAIN=GBKIND:2,GTYPE:0,GCDT:0,GTIME:7200-60-5,GRLT:1,ZIPSU:25,DUM:0,GONGJE:65,TCNT:5,LINE:19,AUSZ:0\]
\[GAMEINFOSUB=GNAMEF:99,GPLCF:0,GNAME:rank game,GDATE:2026-07-30-13-31-33,GPLC:www.example.com,GCMT:x\]
\[WUSERINFO=WID:b ,WLV:35,WNICK:b,WNCD:2,WAID:0\]
\[GAMEBLACKNAME=Ada (9D)\]
\[GAMEWHITENAME=Bea Bay (18K)\]
\HE
\GS
2 1 0
5 0 &4
INI 0 1 0 &4
STO 0 2 1 15 3
STO 0 3 2 3 3
STO 0 4 1 15 16
STO 0 5 2 3 16
SKI 0 6
STO 0 7 2 2 2
\GE
"""
NGF = """レーティング対局
19
アギラール  7段*
江維傑      5段P
www.example.com
0
0
6
20110812 [09:31]
480
黒中押し勝ち!
3
PMABBQEEQ
PMACWEEEE
PMADBAAAA
"""
OGS = """{"id":1,"name":"Friendly (; Match","width":13,"height":9,"komi":"5.50","annulled":false,"auth":"mine",
"gamedata":{"game_id":1,"game_name":"Friendly (; Match","phase":"finished","width":13,"height":9,
"rules":"chinese","komi":5.5,
"handicap":0,"free_handicap_placement":true,"game_chat_auth":"mine","initial_player":"white",
"initial_state":{"black":"aabb","white":"cc"},"players":{"black":{"id":7,"username":"ada","rank":25.38},
"white":{"id":9,"username":"bea","rank":31.9}},"time_control":{"system":"byoyomi","main_time":600,"period_time":30,
"periods":5},"moves":[[4,4,4422],[12,8,1000,null,{"blur":3}],[-1,-1,2],[6,6,9,2],[5,5,1]],"removed":"",
"outcome":"3.5 points","winner":9,"start_time":1589982486,"end_time":1589983486}}"""
FOREIGN = (
    OGS,
    GIB,
    NGF,
    "(;GM[1]FF[3]SZ[9]KM[0.5]RU[Japanese]PB[Ada]RE[B+R]TM[1800];B[cc]BL[1790.5];W[gg]WL[3]OW[5];B[];W[tt])",
    "(;SZ[19]HA[2]AB[dd][pp]PL[W](;W[dp];B[pd](;W[qq])(;W[cc]))(;W[aa:cc]))(;SZ[9];B[aa])",
    "(;SiZe[9]GaMe[1]CA[Shift_JIS]PlayerBlack[A\\]\\\\]AW[ca:ee]AE[cc]Comment[x];White[bb];AB[ii]AE[ca];Black[hh])",
    "(\nPB[x]SZ[5]\n;B[aa]C[" + "long comment " * 300 + "];W[ee])",
    # KGS with two players a side, and a game of OGS that was forked from another.
    "(;GM[1]FF[4]CA[UTF-8]AP[CGoban:3]ST[2]\nRU[Japanese]SZ[19]HA[3]KM[0.50]TM[1200]OT[5x30 byo-yomi]\nPW[ada,bea]"
    "PB[cid,dan]WR[3k,4k]BR[1d,2d]RE[B+12.50]AB[dd][pd][dp]PL[W];W[qp]WL[1195.2]OW[5];B[cd]BL[1190];W[];B[tt]C[hi])",
    "(;FF[4]\nCA[UTF-8]\nGM[1]\nPC[OGS: https://online-go.com/game/1]\nGN[fork]\nPB[ada]\nPW[bea]\nRE[W+R]\nSZ[13]\nKM[5.5]\n"
    "RU[Chinese]\nAB[dd][jj]AW[jd]PL[W]\n;W[dj]\n(;B[gg]\n(;W[gd]\n)))",
    "(;GM[1]SZ[9]KM[375]AP[foxwq]TM[1小时]PB[古力]EV[春兰杯]RE[黑中盘胜];B[ee]C[见 [1] 图];W[ee];"
    "AB[]AE[ee];B[cc](;W[zz])(;W[dd]",
)
_SCRAPS = (
    *("[", "]", "(", ")", ";", "{", "}", '"', "\\", ",", ":", "null", "-1", "1e999", "NaN", "true", "\x00", "é", "棋"),
    *("[]", "B[tt]", "W[zz]", "EVENT[chance 9]", "AB[aa:ss]", "VARIANT[go]", "SZ[25]", "SZ[52:52]", "(;", "CA[hz]"),
    *('["chance","free"]', '"set_dice 9d9"', "dead Z99", "2d6", "size=0", "players=3", "\ufeff", "\r\n", "PL[W]"),
    *("TIME[0 1e9 - -]", '"times":[[0,1,2,3]],', '"spec":"go",', "KM[1e9]", "TM[9" * 99 + "]", "9" * 5000, "0." * 999),
)
_VALUES: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    1e308,
    10**30,
    "",
    "\x00",
    "b D4",
    [],
    {},
    [[]],
    ["b", "D4"],
    {"b": []},
    "é" * 9999,
)
_ENCODINGS = ("utf-16", "utf-32", "latin-1", "cp1252", "shift_jis", "gb18030", "utf-7", "utf-8-sig", "cp037")
# Maximum number of games checked per file: a repeated piece of a file may contain a thousand games.
_SHOWN = 10
_WORD = re.compile(r"[A-Za-z0-9_.=-]+")


@cache
def sources() -> tuple[tuple[str, str], ...]:
    """Return suffix and text of all records to damage: short and long ones of every game, and other programs' files."""
    records = [
        Record(played, "secret", "ab" * 32, b"s", frozenset({1}), {1: "Ada"}, comment="x") for played in HANDMADE
    ]
    for spec in RECORDED:
        records += [eventful_record(parse(spec), Random(f"{spec} {most}"), most) for most in (10, 300)]
    ours = [pair for record in records for pair in ((".json", to_json(record)), (".sgf", to_sgf(record)))]
    return (*ours, *((".json" if text[0] == "{" else ".sgf", text) for text in FOREIGN))


@cache
def _words() -> tuple[str, ...]:
    return tuple(sorted({word for _, text in sources() for word in _WORD.findall(text)}))


def damaged_records(seed: int, count: int, *, is_foreign: bool = False) -> Iterator[tuple[str, bytes]]:
    """Yield suffix and content of damaged records, all or other programs'. The same seed yields the same records."""
    rng = Random(seed)
    texts = sources()[-len(FOREIGN) :] if is_foreign else sources()
    for _ in range(count):
        suffix, text = rng.choice(texts)
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            text = rng.choice(_WAYS)(text, rng)
        content = text.encode(errors="surrogatepass")
        if rng.random() < 0.1:
            content = rng.choice(_WAYS_OF_BYTES)(content, rng)
        yield suffix, content


def read_wholly(path: Path) -> int:
    """Return the number of records in a file, 0 if it is refused. Verify, show and rewrite the first ones."""
    count = 0
    said = ""
    try:
        for record in load_all(path):
            if count < _SHOWN:
                verify(record)
                diagram(record.game.rules, record.game.position)
                to_json(record)
                # What was written can be read, unless it has the faults of the file.
                with suppress(RecordError):
                    from_sgf(to_sgf(record).encode("utf-8", "surrogateescape"), is_lenient=True)
            count += 1
    except RecordError as error:
        said = str(error)
    # The error states the file, the place and the fault on one line of limited length.
    assert not said or said.startswith(f"{path}: "), said
    assert len(said) < 2000
    assert said.isprintable(), said
    return count


# -- ways to damage a text --------------------------------------------------------------------------------------------


def _word(text: str, rng: Random) -> str:
    start, end = rng.choice([word.span() for word in _WORD.finditer(text)] or [(0, 0)])
    return text[:start] + rng.choice(_words()) + text[end:]


def _scrap(text: str, rng: Random) -> str:
    start = rng.randrange(len(text) + 1)
    end = min(len(text), start + rng.choice((0, 0, 1, 2, 5, 40)))
    return text[:start] + rng.choice(_SCRAPS) + text[end:]


def _cut(text: str, rng: Random) -> str:
    start, end = sorted((rng.randrange(len(text) + 1), rng.randrange(len(text) + 1)))
    return rng.choice((text[:start], text[end:], text[:start] + text[end:]))


def _again(text: str, rng: Random) -> str:
    """Repeat a piece of the text many times, up to a quarter of a million characters in all."""
    start = rng.randrange(len(text) + 1)
    piece = text[start : start + rng.choice((1, 3, 10, 100, 1000))]
    most = 250_000 // (len(piece) or 1)
    return text[:start] + piece * rng.choice((2, 2, 10, most)) + text[start:]


def _deep(text: str, rng: Random) -> str:
    start = rng.randrange(len(text) + 1)
    return text[:start] + rng.choice(("[", "{", "(", "(;", '{"a":', "[[")) * rng.choice((5, 900, 50_000)) + text[start:]


def _splice(text: str, rng: Random) -> str:
    other = rng.choice(sources())[1]
    return text[: rng.randrange(len(text) + 1)] + other[rng.randrange(len(other) + 1) :]


def _piece(text: str, rng: Random) -> str:
    """Swap two events or nodes, or drop or duplicate one."""
    mark = ";" if text.startswith("(") else '],["'
    pieces = text.split(mark)
    first, second = rng.randrange(len(pieces)), rng.randrange(len(pieces))
    way = rng.randrange(3)
    if way == 0:
        pieces[first], pieces[second] = pieces[second], pieces[first]
    elif way == 1:
        del pieces[first]
    else:
        pieces.insert(first, pieces[second])
    return mark.join(pieces)


def _value(text: str, rng: Random) -> str:
    """Replace a value somewhere in the tree of a JSON text."""
    try:
        tree = json.loads(text)
    except (ValueError, RecursionError):
        return _scrap(text, rng)
    at: Any = tree
    while isinstance(at, dict | list) and at:
        key = rng.choice(list(at) if isinstance(at, dict) else range(len(at)))
        if not isinstance(at[key], dict | list) or not at[key] or rng.random() < 0.3:
            at[key] = rng.choice(_VALUES)
            break
        at = at[key]
    return json.dumps(tree, ensure_ascii=rng.random() < 0.5)


_WAYS = (_word, _word, _word, _scrap, _scrap, _cut, _again, _deep, _splice, _piece, _piece, _value, _value)


def _byte(content: bytes, rng: Random) -> bytes:
    start = rng.randrange(len(content) + 1)
    return content[:start] + rng.randbytes(rng.choice((1, 4, 400))) + content[start + 1 :]


def _encoded(content: bytes, rng: Random) -> bytes:
    return content.decode(errors="replace").encode(rng.choice(_ENCODINGS), errors="replace")


_WAYS_OF_BYTES = (_byte, _encoded)
