"""Games in the formats of Tygem (GIB) and WBaduk (NGF), as the properties that they would have in SGF.

Nobody has published the formats. Lines that are not understood are reported, and the head of a file is kept whole in
the property GC. Points count from the upper left corner, as in SGF.
"""

import re
from collections.abc import Iterator, Mapping
from string import ascii_letters

from gtp_variants.errors import RecordError
from gtp_variants.records.record import Caveat
from gtp_variants.rules.languages import format_number

# Properties with one value each.
_Node = dict[str, str]

_GIB_FIELD = re.compile(r"\\\[(\w+)=(.*?)\\\]", re.DOTALL)
_GIB_PART = re.compile(r"([A-Z]+):([^,]*)")
_RANKED = re.compile(r"(.*\S)\s*[(\s](\d+\s*\S+?)\)?", re.DOTALL)
# Results by GRLT; the margin is in ZIPSU, in tenths of a point.
_GIB_RESULTS = {"0": "B+{}", "1": "W+{}", "3": "B+R", "4": "W+R", "7": "B+T", "8": "W+T"}
_NGF_HEAD = 12
_NGF_MOVE = re.compile(r"PM..([BW])([A-Z])([A-Z])")
_MOST_UNREAD = 200
_QUOTED = 20


def convert(text: str) -> tuple[list[_Node], list[Caveat]]:
    """Return the nodes of a game in GIB or NGF, and what was guessed or left out. Raises RecordError for other text."""
    lines = text.strip().splitlines()
    if any(line.startswith(("\\HS", "\\GS", "STO ")) for line in lines):
        found = list(_read_gib(text, lines))
    elif len(lines) >= _NGF_HEAD and any(map(_NGF_MOVE.match, lines[_NGF_HEAD:])):
        found = list(_read_ngf(lines))
    else:
        raise RecordError("no game found: expected (; as in SGF, or a game in GIB or NGF")
    caveats = [each for each in found if isinstance(each, Caveat)]
    if len(caveats) > _MOST_UNREAD:
        raise RecordError(f"more than {_MOST_UNREAD} faults; the last is: {caveats[-1].sentence()}")
    return [each for each in found if not isinstance(each, Caveat)], caveats


def _unread(number: int, line: str) -> Caveat:
    return Caveat("line", {"number": number, "text": line[:_QUOTED]})


def _point(x: str, y: str) -> str:
    """Return a point with coordinates from 0. Raises IndexError or ValueError if they are none of a board."""
    return ascii_letters[int(x)] + ascii_letters[int(y)]


def _named(letter: str, text: str) -> _Node:
    """Return the properties of a player's name and rank."""
    found = _RANKED.fullmatch(text.strip())
    return {f"P{letter}": text.strip()} if found is None else {f"P{letter}": found[1], f"{letter}R": found[2]}


def _time(text: str) -> _Node:
    """Return the properties of seconds of main time, seconds of a period and periods, such as 7200-60-5."""
    found = re.fullmatch(r"(\d{1,6})-(\d{1,4})-(\d{1,3})", text)
    return {} if found is None else {"TM": found[1], "OT": f"{found[3]}x{found[2]} byo-yomi"}


def _tenths(text: str) -> str | None:
    return format_number(int(text) / 10) if re.fullmatch("[0-9]{1,4}", text) else None


def _read_gib(text: str, lines: list[str]) -> Iterator[_Node | Caveat]:
    fields = dict(_GIB_FIELD.findall(text))
    tag = {part[:1]: part[1:] for part in fields.get("GAMETAG", "").split(",")}
    known = {"GONGJE": tag.get("G", ""), "GRLT": tag.get("W", ""), "ZIPSU": tag.get("Z", "")}
    known |= {name: value for field in fields.values() for name, value in _GIB_PART.findall(field)}
    moves = lines[next((number for number, line in enumerate(lines) if line.startswith("\\GS")), 0) :]
    handicap = next((words[3] for words in map(str.split, moves) if words[:1] == ["INI"] and len(words) > 3), "")
    date = fields.get("GAMEDATE") or known.get("GDATE") or tag.get("C", "")
    yield _root(
        {
            "SZ": known.get("LINE") or "19",
            **_named("B", fields.get("GAMEBLACKNAME") or known.get("BID") or known.get("BNICK", "")),
            **_named("W", fields.get("GAMEWHITENAME") or known.get("WID") or known.get("WNICK", "")),
            "KM": _tenths(known["GONGJE"]) or "",
            "RE": _GIB_RESULTS.get(known["GRLT"], "").format(_tenths(known["ZIPSU"])) or fields.get("GAMERESULT", ""),
            "DT": "-".join(part.zfill(2) for part in re.findall(r"\d+", date)[:3]),
            **_time(known.get("GTIME", "")),
            "EV": fields.get("GAMENAME") or known.get("GNAME", ""),
            "PC": fields.get("GAMEPLACE") or known.get("GPLC", ""),
            "HA": handicap if handicap not in ("0", "1") else "",
            "GC": text.partition("\\HS")[2].partition("\\HE")[0].strip(),
        }
    )
    colour = "W" if handicap not in ("", "0", "1") else "B"
    for number, line in enumerate(moves, len(lines) - len(moves) + 1):
        words = line.split()
        try:
            match words:
                case ["STO", _, _, "1" | "2" as player, x, y, *_]:
                    colour = "BW"[player == "2"]
                    yield {colour: _point(x, y)}
                case ["SKI", *_]:
                    yield {colour: ""}
                case ["INI", *_] | []:
                    continue
                case [word, *_] if word[0] not in "\\0123456789":
                    yield _unread(number, line)
                case _:
                    continue
        except (IndexError, ValueError):
            yield _unread(number, line)
        colour = "W" if colour == "B" else "B"
    if not lines[-1].startswith("\\GE"):
        yield Caveat("ends", {"place": f"line {len(lines)}"})


def _read_ngf(lines: list[str]) -> Iterator[_Node | Caveat]:
    event, size, white, black, place, handicap, _, komi, date, _, result, count = map(str.strip, lines[:_NGF_HEAD])
    has_handicap = handicap not in ("0", "1")
    # The komi of an even game is written without its half point.
    points = f"{komi}.5" if komi.isdecimal() and not has_handicap else komi
    yield _root(
        {
            "SZ": size,
            **_named("B", black),
            **_named("W", white),
            "KM": points,
            "RE": result,
            "DT": re.sub(r"^(\d{4})(\d\d)(\d\d)\b.*", r"\1-\2-\3", date),
            "EV": event,
            "PC": place,
            "HA": handicap if has_handicap else "",
            "GC": "\n".join(lines[:_NGF_HEAD]),
        }
    )
    if points != komi:
        yield Caveat("komi", {"text": komi, "komi": points})
    found = 0
    for number, line in enumerate(lines[_NGF_HEAD:], _NGF_HEAD + 1):
        move = _NGF_MOVE.match(line)
        if move is None:
            yield _unread(number, line)
            continue
        found += 1
        x, y = (ord(letter) - ord("B") for letter in move.group(2, 3))
        yield {move[1]: "" if x < 0 or y < 0 else _point(str(x), str(y))}
    if count.isdecimal() and found < int(count):
        yield Caveat("ends", {"place": f"line {len(lines)}"})


def _root(properties: Mapping[str, str]) -> _Node:
    return {"GM": "1", "FF": "4", **{name: value for name, value in properties.items() if value}}
