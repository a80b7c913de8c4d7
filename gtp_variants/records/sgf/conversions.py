"""Games in the formats of Tygem (GIB), WBaduk (NGF) and OGS, as the properties that they would have in SGF.

Nobody has published the first two. Lines that are not understood are reported, and the head of a file is kept whole in
the property GC. Points count from the upper left corner, as in SGF.
"""

import re
from collections.abc import Iterator
from string import ascii_lowercase

from gtp_variants.errors import RecordError
from gtp_variants.records.record import Caveat
from gtp_variants.records.sgf.ogs_games import OGS_START, ConvertedNode, read_ogs
from gtp_variants.rules.languages import format_number

# Each pattern reads a long or damaged text in linear time.
_GIB_FIELD = re.compile(r"\\\[(\w{1,20})=((?:(?!\\[\[\]]).)*+)\\\]", re.DOTALL)
_GIB_PART = re.compile(r"\b([A-Z]{1,20}):([^,]*)")
_GIB_MOVE = re.compile(r"STO \S+ \S+ ([12]) (1?\d|2[0-5])\s+(1?\d|2[0-5])(?: .*)?|SKI\b.*", re.ASCII)
# Results by GRLT; the margin is in ZIPSU, in tenths of a point.
_GIB_RESULTS = {"0": "B+{}", "1": "W+{}", "3": "B+R", "4": "W+R", "7": "B+T", "8": "W+T"}
_NGF_HEAD = 12
# A is a pass, and B the first line.
_NGF_MOVE = re.compile(r"PM..([BW])([A-Z])([A-Z])")
_RANKED = re.compile(r"(.*[^ (]) ?[( ](\d{1,3} ?\S{1,20}?)\)?")
_EVEN = ("", "0", "1")
_MOST_UNREAD = 200
_QUOTED = 20


def convert(text: str) -> tuple[list[ConvertedNode], list[Caveat]]:
    """Return the nodes of a game, and what was guessed or left out. Raises RecordError for text in other formats."""
    lines = text.strip().splitlines()
    found: list[ConvertedNode | Caveat]
    if OGS_START.match(text):
        found = list(read_ogs(text))
    elif any(line.startswith(("\\HS", "\\GS", "STO ")) for line in lines):
        found = list(_read_gib(text, lines))
    elif any(map(_NGF_MOVE.match, lines)):
        found = list(_read_ngf(lines))
    else:
        raise RecordError("no game found: expected (; as in SGF, a game in GIB or NGF, or the JSON of OGS")
    caveats = [each for each in found if isinstance(each, Caveat)]
    if len(caveats) > _MOST_UNREAD:
        raise RecordError(f"more than {_MOST_UNREAD} faults; the last is: {caveats[-1].sentence()}")
    root, *moves = [each for each in found if not isinstance(each, Caveat)]
    return [{"GM": "1", "FF": "4", **{name: value for name, value in root.items() if value}}, *moves], caveats


def _read_gib(text: str, lines: list[str]) -> Iterator[ConvertedNode | Caveat]:
    fields = dict(_GIB_FIELD.findall(text))
    tag = {part[:1]: part[1:] for part in fields.get("GAMETAG", "").split(",")}
    known = {"GONGJE": tag.get("G", ""), "GRLT": tag.get("W", ""), "ZIPSU": tag.get("Z", ""), "GTIME": ""}
    known |= {name: value for field in fields.values() for name, value in _GIB_PART.findall(field)}
    start = next((number for number, line in enumerate(lines) if line.startswith("\\GS")), 0)
    handicap = next((words[3] for words in map(str.split, lines[start:]) if words[:1] == ["INI"] and words[3:]), "")
    date = fields.get("GAMEDATE") or known.get("GDATE") or tag.get("C", "")
    main, each, count = [*known["GTIME"].split("-"), "", ""][:3]
    yield {
        "SZ": known.get("LINE") or "19",
        **_name("B", fields.get("GAMEBLACKNAME") or known.get("BID") or known.get("BNICK", "")),
        **_name("W", fields.get("GAMEWHITENAME") or known.get("WID") or known.get("WNICK", "")),
        "KM": _tenths(known["GONGJE"]),
        "RE": _GIB_RESULTS.get(known["GRLT"], "").format(_tenths(known["ZIPSU"])) or fields.get("GAMERESULT", ""),
        "DT": "-".join(part.zfill(2) for part in re.findall(r"\d+", date)[:3]),
        "TM": main,
        "OT": f"{count}x{each} byo-yomi" if count else "",
        "EV": fields.get("GAMENAME") or known.get("GNAME", ""),
        "PC": fields.get("GAMEPLACE") or known.get("GPLC", ""),
        "HA": "" if handicap in _EVEN else handicap,
        "GC": text.partition("\\HS")[2].partition("\\HE")[0].strip(),
    }
    last = "W" if handicap in _EVEN else "B"
    for number, line in enumerate(lines[start:], start + 1):
        move = _GIB_MOVE.fullmatch(line.strip())
        if move is not None:
            last = "BW"[move[1] == "2"] if move[1] else "BW"[last == "B"]
            yield {last: ascii_lowercase[int(move[2])] + ascii_lowercase[int(move[3])] if move[1] else ""}
        elif line[:1].isalpha() and not line.startswith("INI"):
            yield Caveat("line", {"number": number, "text": line[:_QUOTED]})
    if not lines[-1].startswith("\\GE"):
        yield Caveat("ends", {"place": f"line {len(lines)}"})


def _read_ngf(lines: list[str]) -> Iterator[ConvertedNode | Caveat]:
    start = next(number for number, line in enumerate(lines) if _NGF_MOVE.match(line))
    event, size, white, black, place, handicap, _, komi, date, _, result, count = map(
        str.strip, lines[:start] if start == _NGF_HEAD else ["", "19", *[""] * (_NGF_HEAD - 2)]
    )
    if start != _NGF_HEAD:
        yield Caveat("head", {"count": start, "expected": _NGF_HEAD})
    # The komi of an even game is written without its half point.
    points = f"{komi}.5" if komi.isdecimal() and handicap in _EVEN else komi
    yield {
        "SZ": size,
        **_name("B", black),
        **_name("W", white),
        "KM": points,
        "RE": result,
        "DT": re.sub(r"^(\d{4})(\d\d)(\d\d)\b.*", r"\1-\2-\3", date),
        "EV": event,
        "PC": place,
        "HA": "" if handicap in _EVEN else handicap,
        "GC": "\n".join(lines[:start]),
    }
    if points != komi:
        yield Caveat("komi", {"text": komi, "komi": points})
    moves = list(map(_NGF_MOVE.match, lines[start:]))
    for number, move in enumerate(moves, start):
        if move is None:
            yield Caveat("line", {"number": number + 1, "text": lines[number][:_QUOTED]})
        else:
            point = move[2] + move[3]
            yield {move[1]: "" if "A" in point else "".join(chr(ord(letter) - 1) for letter in point.lower())}
    if count.isdecimal() and sum(map(bool, moves)) < int(count):
        yield Caveat("ends", {"place": f"line {len(lines)}"})


def _name(letter: str, text: str) -> dict[str, str]:
    """Return the properties of a player's name and rank."""
    found = _RANKED.fullmatch(" ".join(text.split()))
    return {f"P{letter}": text.strip()} if found is None else {f"P{letter}": found[1], f"{letter}R": found[2]}


def _tenths(text: str) -> str:
    return format_number(int(text) / 10) if re.fullmatch("[0-9]{1,4}", text) else ""
