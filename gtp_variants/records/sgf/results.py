"""Reading game results in the forms that people and programs use.

SGF FF[4] defines the values of `RE` as B+3.5, B+R, B+T, B+F, B+, 0, Void and ?. Files also have other spellings
(`b+r.`, `B+3 1/2`) and sentences in English, French, German, Chinese, Japanese and Korean. A result is read only if all
its words are known.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from gtp_variants.lang import load
from gtp_variants.rules.languages import format_number

# The forms of FF[4], extended to a third player, Red. Source: red-bean.com/sgf/properties.html#RE.
_FF4 = re.compile(r"[BWR]\+([0-9]+(\.[0-9]+)?|R|Resign|T|Time|F|Forfeit)?|0|Draw|Void|\?")
_COUNTED = re.compile(r"[BWR]\+[0-9.]+|0")
_LONGEST = 200
# Half the points of a 19×19 board. A larger number of zi is not a margin, but the winner's score: 黑胜185又1/4子.
_MOST_ZI = 180.5

# Kinds of words, as in `result_words.toml`. A feat belongs to the winner ("resignation"),
# and a deed to the loser ("resigns"). A manner fits either.
_COLOUR, _WINS, _LOSES, _BY, _FEAT, _DEED, _MANNER = "colour", "wins", "loses", "by", "feat", "deed", "manner"
_NUMBER, _END, _STOP, _SKIP = "number", "end", "stop", "skip"
# Kind and value. The value is the letter of a colour or manner, a margin in points, or a result in FF[4].
_Word = tuple[str, str]

_LISTED = load(Path(__file__).with_name("result_words.toml"))
_NUMBERS = _LISTED.pop("number")
_UNITS = {float(points): text for points, text in _NUMBERS["unit"].items()}
_NUMERALS, _NUMBER_WORDS = (
    {word: int(value) for value, text in _NUMBERS[key].items() for word in text.split()} for key in ("numeral", "word")
)
_VULGAR = _NUMBERS["fraction"]

_MEANINGS: dict[str, _Word] = {
    word.replace("_", " "): (kind, value)
    for kind, listed in _LISTED.items()
    for value, text in (listed if isinstance(listed, dict) else {"": listed}).items()
    for word in text.split()
}
_LATIN = re.compile(r"[a-zà-öø-ÿ]")
# A word in Latin letters must not be followed by a letter. Words in other scripts may follow each other without spaces.
_WORDS_BY_LENGTH = sorted(_MEANINGS, key=len, reverse=True)
_WORD = re.compile(
    "|".join(re.escape(word) + (r"(?![a-zà-öø-ÿ])" if _LATIN.match(word[-1]) else "") for word in _WORDS_BY_LENGTH)
)
_UNIT = "|".join(
    re.escape(unit) + (r"(?![a-z])" if _LATIN.match(unit[-1]) else "")
    for unit in sorted(" ".join(_UNITS.values()).split(), key=len, reverse=True)
)
_CJK_NUMERAL = f"[{''.join(_NUMERALS)}]+"
_FRACTION = (
    rf"[0-9]+/[0-9]+|(?:{_CJK_NUMERAL}|[0-9]+)\s*分之\s*(?:{_CJK_NUMERAL}|[0-9]+)"
    r"|half(?:\s+an?)?(?![a-z])|demi(?![a-z])[ -]?|半|반"
)
_AND = r"又|과|와|et(?=\s+demi)|and\s+an?(?=\s+half)|and(?=\s+[0-9]+/)|-(?=[0-9]+/)"
_AMOUNT = re.compile(
    rf"""
    (?: (?P<whole> [0-9]+ (?:[.,][0-9]+)? (?![0-9.,]*\s*(?:/|分之)) | {_CJK_NUMERAL} (?!\s*分之)
          | (?:{"|".join(_NUMBER_WORDS)}) (?![a-z]) )
        (?: \s* (?P<first> {_UNIT}) )?
    )?
    (?: \s* (?:{_AND})? \s* (?P<fraction> {_FRACTION}) )?
    (?: \s* (?P<last> {_UNIT}) )?
    """,
    re.VERBOSE,
)
# The number of moves in the game: 185手, 205手まで, 210수, "185 moves".
_MOVES = re.compile(
    r"(?:after\s+|第|共|全|총\s*)?[0-9]{1,4}\s*(?:手(?:完|止|まで)?|수(?:\s*끝|\s*만에|까지)?|moves?(?![a-z])|coups(?![a-z]))"
)
_RED_WINS = re.compile(r"^r ?\+")
_REMARK = re.compile(r"[(\[{（【「〔]([^()\[\]{}]*)[)\]}）】」〕]")


@dataclass(frozen=True, slots=True)
class _Statement:
    """One part of a result: the winner's letter, with the margin or manner of the win, or an end without a winner."""

    winner: str = ""
    how: str = ""
    end: str = ""

    def join(self, other: "_Statement") -> "_Statement | None":
        """Return both statements as one, or None if they contradict each other."""
        for one, two in ((self.winner, other.winner), (self.how, other.how), (self.end, other.end)):
            if one and two and one != two:
                return None
        joined = _Statement(self.winner or other.winner, self.how or other.how, self.end or other.end)
        return None if joined.end and (joined.winner or joined.how) else joined

    @property
    def sgf(self) -> str | None:
        """The statement as a result in FF[4], or None if it is incomplete."""
        if self.end:
            return self.end
        if not self.winner:
            return None
        return "0" if self.how == "0" else f"{self.winner}+{self.how}"


def read_result(text: str) -> str | None:
    """Return a stated result in the form of `Outcome.sgf`, or None if it cannot be read.

    The result may also be Void, or ? if it is unknown. Margins are in points. One zi (子) is two points. Quarters
    without a unit are zi, because no komi leads to quarter points.

    >>> read_result("b+r."), read_result("白胜43.5目"), read_result("黑胜2又3/4子"), read_result("Jigo")
    ('B+R', 'W+43.5', 'B+5.5', '0')
    >>> read_result("Black was stronger") is None
    True
    """
    if len(text) > _LONGEST:
        return None
    plain = _normalise(text)
    if not plain.strip("-?* "):
        return "?"
    remarks = [match[1] for match in _REMARK.finditer(plain)]
    main = _REMARK.sub(" ", plain).strip()
    if not main:
        return read_result(" ".join(remarks)) if len(remarks) == 1 else None
    found = _read_statements(main)
    if found is None:
        return None
    for remark in remarks:
        # A remark in brackets may complete the result, but must not contradict it.
        added = _read_statements(remark)
        if added is not None:
            found = found.join(added) or found
    return found.sgf


@lru_cache(64)
def read_points(text: str) -> float | None:
    """Return an amount in points, or None if it cannot be read.

    >>> read_points("6目半"), read_points("3又3/4子"), read_points("3.75"), read_points("much")
    (6.5, 7.5, 7.5, None)
    """
    amount = _AMOUNT.fullmatch(_normalise(text).rstrip(".")) if len(text) <= _LONGEST else None
    margin = None if amount is None or not (amount["whole"] or amount["fraction"]) else _margin(amount)
    return None if margin is None else float(margin)


def is_ff4(text: str) -> bool:
    """Return True if a result is spelt as in the definition of FF[4]."""
    return _FF4.fullmatch(text) is not None


def is_counted(result: str) -> bool:
    """Return True if a result from `read_result` comes from counting the board: a margin or a drawn game."""
    return _COUNTED.fullmatch(result) is not None


def _normalise(text: str) -> str:
    for sign, fraction in _VULGAR.items():
        text = text.replace(sign, f" {fraction}")
    text = unicodedata.normalize("NFKC", text).casefold().replace("⁄", "/").replace("’", "'")
    text = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    # Read `R+` at the start as Red, not as resignation.
    return _RED_WINS.sub("red+", text)


def _read_statements(text: str) -> _Statement | None:
    """Read statements one after another and join them. Return None if any is unreadable or contradicts another."""
    joined: _Statement | None = None
    for words_of_one in _split(text):
        if words_of_one is None:
            return None
        statement = _read_one(words_of_one)
        joined = statement if joined is None or statement is None else joined.join(statement)
        if joined is None:
            return None
    return joined


def _split(text: str) -> Iterator[list[_Word] | None]:
    """Yield the words of each statement as kinds and values, or None for an unknown word."""
    found: list[_Word] = []
    place = 0
    while place < len(text):
        if text[place].isspace():
            place += 1
            continue
        word, place = _word_at(text, place)
        if word is None:
            yield None
            return
        if word[0] == _STOP:
            # Continue after a colour alone, because it is not yet a statement: 흑, 불계승.
            if any(kind != _COLOUR for kind, _ in found):
                yield found
                found = []
        elif word[0] != _SKIP:
            found.append(word)
    if found:
        yield found


def _word_at(text: str, place: int) -> tuple[_Word | None, int]:
    """Return the word at a place in a text, None for an unknown word, and the place where the word ends."""
    moves = _MOVES.match(text, place)
    if moves is not None:
        return (_SKIP, ""), moves.end()
    amount = _AMOUNT.match(text, place)
    known = _WORD.match(text, place)
    is_amount = amount is not None and (amount["whole"] or amount["fraction"])
    # The longer match counts, because some words begin with a numeral: 三劫, 반칙.
    if amount is not None and is_amount and (known is None or known.end() < amount.end()):
        margin = _margin(amount)
        return (None if margin is None else (_NUMBER, margin)), amount.end()
    if known is None:
        return None, place
    kind, value = _MEANINGS[known[0]]
    return (kind, value), known.end()


def _margin(amount: re.Match[str]) -> str | None:
    """Return a margin in points in the form of `Outcome.sgf`, or None if it is impossible."""
    fraction = _fraction(amount["fraction"] or "0/1")
    if fraction is None or (amount["first"] and amount["last"] and amount["first"] != amount["last"]):
        return None
    value = _number(amount["whole"] or "0") + fraction
    unit = amount["first"] or amount["last"]
    if unit is None:
        scale = 2.0 if value * 4 % 2 == 1 else 1.0
    else:
        scale = next(scale for scale, names in _UNITS.items() if unit in names.split())
    return None if unit is not None and scale == 2.0 and value > _MOST_ZI else format_number(value * scale)


def _fraction(text: str) -> float | None:
    if text.startswith(("half", "demi")) or text in ("半", "반"):
        return 0.5
    if "分之" in text:
        below, above = (_number(part.strip()) for part in text.split("分之"))
    else:
        above, below = map(float, text.split("/"))
    return above / below if 0 <= above < below else None


def _number(text: str) -> float:
    if text in _NUMBER_WORDS:
        return float(_NUMBER_WORDS[text])
    if text[0] not in _NUMERALS:
        return float(text.replace(",", "."))
    if "十" not in text:
        return float("".join(str(_NUMERALS[digit]) for digit in text))
    tens, _, ones = text.partition("十")
    return 10 * (_number(tens) if tens else 1.0) + (_number(ones) if ones else 0.0)


def _read_one(found: list[_Word]) -> _Statement | None:
    """Return one statement such as "white resigns", "B + 3.5" or "time", or None if the words do not form one."""
    kinds = [kind for kind, _ in found]
    ends = {value for kind, value in found if kind == _END}
    if ends == {"?"} and kinds == [_COLOUR, _WINS, _END]:
        # B+? means that Black won in an unknown way.
        return _Statement(found[0][1])
    if ends:
        is_alone = len(ends) == 1 and set(kinds) <= {_END, _COLOUR, _BY}
        return _Statement(end=ends.pop()) if is_alone else None
    hows = {value for kind, value in found if kind in (_FEAT, _DEED, _MANNER, _NUMBER)}
    if len(hows) > 1:
        return None
    how = next(iter(hows), "")
    if _COLOUR not in kinds:
        if not set(kinds) <= {_FEAT, _DEED, _MANNER, _NUMBER, _BY}:
            return None
        return _Statement(end="0") if how == "0" else _Statement(how=how)
    winner = _winner(found)
    return None if winner is None else _Statement(winner, how)


def _winner(found: list[_Word]) -> str | None:
    """Return the winner's letter, or None if a statement does not name the winner.

    The subject is the last colour before the verb: in 白认输黑胜 Black wins. Without a verb, a deed names the loser,
    while "Black by resignation" and 黒中押し name the winner.
    """
    kinds = [kind for kind, _ in found]
    verbs = ((_WINS, _LOSES), (_DEED,), (_BY, _FEAT))
    verb = next((place for group in verbs for place, kind in enumerate(kinds) if kind in group), None)
    if verb is None:
        return None
    before = [value for kind, value in found[:verb] if kind == _COLOUR]
    after = [value for kind, value in found[verb:] if kind == _COLOUR]
    if before:
        subject = before[-1]
    elif kinds[verb] in (_WINS, _LOSES) and len(after) == 1:
        subject = after[0]
    else:
        return None
    return {"B": "W", "W": "B"}.get(subject) if kinds[verb] in (_LOSES, _DEED) else subject
