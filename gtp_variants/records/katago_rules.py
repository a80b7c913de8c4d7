"""Conversion between KataGo's rules, as a JSON object or a short name, and the options of our games."""

import json
import re
from collections.abc import Mapping

from gtp_variants.base.json_values import Json, parse_object
from gtp_variants.errors import NotationError, SpecError
from gtp_variants.rules import split_spec
from gtp_variants.rules.options import REPETITIONS
from gtp_variants.rules.rules import Rules

# KataGo's names for repetition rules. Rules that KataGo does not have keep our names.
_KO = {"simple": "SIMPLE", "psk": "POSITIONAL", "ssk": "SITUATIONAL"}
_REPETITION_OF = {name: repetition for repetition, name in _KO.items()}
# The key for the points that White gets for handicap stones.
BONUS = "whiteHandicapBonus"
_BONUSES = ("0", "N", "N-1")
# The values that are the same in all our games with a score.
_FIXED: Mapping[str, object] = {
    "scoring": "AREA",
    "tax": "NONE",
    "suicide": False,
    "hasButton": False,
    BONUS: "0",
}
# The values that KataGo accepts, whether or not our games support them. For "ko", our own names are accepted too.
_VALUES: Mapping[str, tuple[object, ...]] = {
    "scoring": ("AREA", "TERRITORY"),
    "tax": ("NONE", "SEKI", "ALL"),
    "suicide": (False, True),
    "hasButton": (False, True),
    "friendlyPassOk": (False, True),
    BONUS: _BONUSES,
}
# This option only affects how KataGo itself plays at the end of a game, so either value is accepted.
_IGNORED = ("friendlyPassOk",)
_AGA = {"ko": "SITUATIONAL", BONUS: "N-1"}
_CHINESE = {BONUS: "N"}
_TERRITORY = {"ko": "SIMPLE", "scoring": "TERRITORY", "tax": "SEKI"}
# KataGo's short names, with the values in which they differ from `_FIXED`. Source: KataGo's GTP_Extensions.md.
_SHORT: Mapping[str, Mapping[str, object]] = {
    "tromp-taylor": {"ko": "POSITIONAL", "suicide": True},
    "chinese": {"ko": "SIMPLE", **_CHINESE},
    "chinese-ogs": {"ko": "POSITIONAL", **_CHINESE},
    "chinese-kgs": {"ko": "POSITIONAL", **_CHINESE},
    "japanese": _TERRITORY,
    "korean": _TERRITORY,
    "stone-scoring": {"ko": "SIMPLE", "tax": "ALL"},
    "aga": _AGA,
    "bga": _AGA,
    "french": _AGA,
    "new-zealand": {"ko": "SITUATIONAL", "suicide": True},
    "aga-button": {**_AGA, "hasButton": True},
}
# KataGo's rules as one word, such as koSIMPLEscoreAREAtaxNONEsui0.
_ONE_WORD = re.compile(
    r"ko(?P<ko>SIMPLE|POSITIONAL|SITUATIONAL)score(?P<scoring>AREA|TERRITORY)tax(?P<tax>NONE|SEKI|ALL)sui(?P<suicide>[01])"
    r"(button(?P<hasButton>[01]))?(whb(?P<whiteHandicapBonus>N-1|N|0))?(fpok(?P<friendlyPassOk>[01]))?"
)
_SWITCHES = ("suicide", "hasButton", "friendlyPassOk")


def write_katago_rules(rules: Rules) -> Json:
    """Return the answer to `kata-get-rules`: our SPEC, and for a game with a score also KataGo's keys."""
    told: Json = {"spec": rules.spec}
    if "repetition" in rules.values and rules.is_scored:
        repetition = rules.values.text("repetition")
        told |= {"ko": _KO.get(repetition, repetition.upper()), **_FIXED, "friendlyPassOk": False}
    return told


def expand_katago_rules(word: str) -> Json | str:
    """Return the meaning of a word for rules: an object with KataGo's keys, or a SPEC. Raises NotationError."""
    text = word.strip()
    short = text.lower().replace("_", "-").replace(" ", "-")
    if text.startswith("{"):
        try:
            return parse_object(text)
        except ValueError as error:
            raise NotationError(f"rules: no JSON ({error})") from None
    if short in _SHORT:
        return dict(_SHORT[short])
    if one_word := _ONE_WORD.fullmatch(text):
        said = {key: value for key, value in one_word.groupdict().items() if value is not None}
        return {key: value == "1" if key in _SWITCHES else value for key, value in said.items()}
    try:
        split_spec(text)
    except SpecError as error:
        raise NotationError(f"rules {text[:40]}: expected {', '.join(_SHORT)}, an object, or a SPEC: {error}") from None
    return text


def check_katago_values(wanted: Mapping[str, object]) -> None:
    """Raise NotationError for a value that KataGo does not have, whether or not our games support it."""
    for key, known in _VALUES.items():
        value = wanted.get(key, known[0])
        # In Python 0 == False, but 0 is not a valid value for a switch.
        if type(value) is not type(known[0]) or value not in known:
            raise NotationError(f"{key}={_text(value)} (expected {', '.join(map(_text, known))})")
    if "ko" in wanted and str(wanted["ko"]).upper() not in _REPETITION_OF and wanted["ko"] not in REPETITIONS:
        raise NotationError(f"ko={_text(wanted['ko'])} (expected {', '.join(_REPETITION_OF)})")


def read_katago_rules(
    rules: Rules, wanted: Mapping[str, object], has_handicap: bool = False
) -> tuple[dict[str, str], list[str]]:
    """Return the options of a game that KataGo's keys set, and phrases about unsupported keys and values.

    Points for handicap stones are accepted unless the game is known to have handicap stones.
    """
    changed: dict[str, str] = {}
    faults: list[str] = []
    for key, value in wanted.items():
        if key in _IGNORED:
            continue
        if key == "spec":
            options = _options_of(rules, value)
            changed |= options or {}
            if options is None:
                faults.append(f"spec={_text(value)} (expected one of {rules.name})")
        elif key == "ko" and "repetition" in rules.values:
            repetition = _REPETITION_OF.get(str(value).upper(), str(value).lower())
            if repetition in REPETITIONS:
                changed["repetition"] = repetition
            else:
                faults.append(f"ko={_text(value)} (expected {', '.join(_REPETITION_OF)})")
        elif key == "komi" and "komi" in rules.values and isinstance(value, int | float):
            changed["komi"] = f"{value}"
        elif key in _FIXED and rules.is_scored:
            if value != _FIXED[key] and (has_handicap or key != BONUS or value not in _BONUSES):
                faults.append(f"{key}={_text(value)} (expected {_text(_FIXED[key])})")
        else:
            faults.append(f"{key}={_text(value)} (no rule of {rules.title})")
    return changed, faults


def _options_of(rules: Rules, spec: object) -> dict[str, str] | None:
    """Return the options in which a SPEC differs from these rules, or None if its game is another."""
    try:
        game, given = split_spec(str(spec))
        values = game(given).values
    except SpecError:
        return None
    if game is not type(rules):
        return None
    return {key: given[key] for key in given if rules.values.get(key) != values.get(key)}


def _text(value: object) -> str:
    return (value if isinstance(value, str) else json.dumps(value))[:40]
