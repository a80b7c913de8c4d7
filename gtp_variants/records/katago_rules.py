"""Rules in KataGo's words: its JSON object and short names, read as options of a game and written from them."""

import json
from collections.abc import Mapping

from gtp_variants.errors import NotationError, SpecError
from gtp_variants.json_values import Json, parse_object
from gtp_variants.rules import split_spec
from gtp_variants.rules.options import REPETITIONS
from gtp_variants.rules.rules import Rules

# KataGo's name of each repetition rule; those it does not know keep ours.
_KO = {"simple": "SIMPLE", "psk": "POSITIONAL", "ssk": "SITUATIONAL"}
_REPETITION_OF = {name: repetition for repetition, name in _KO.items()}
# What every game here with a score has: area, no tax on groups, no suicide, no button, no points for handicap stones.
_FIXED: Mapping[str, object] = {
    "scoring": "AREA",
    "tax": "NONE",
    "suicide": False,
    "hasButton": False,
    "whiteHandicapBonus": "0",
}
# It says only how KataGo itself plays at the end, and may be anything.
_IGNORED = ("friendlyPassOk",)
_AGA = {"ko": "SITUATIONAL", "whiteHandicapBonus": "N-1"}
_CHINESE = {"whiteHandicapBonus": "N"}
_TERRITORY = {"ko": "SIMPLE", "scoring": "TERRITORY", "tax": "SEKI"}
# KataGo's short names, as far as they differ from `_FIXED`. Source: its GTP_Extensions.md.
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


def write_katago_rules(rules: Rules) -> Json:
    """The rules of a game as `kata-get-rules` answers them, and its SPEC; the SPEC alone where there is no score."""
    told: Json = {"spec": rules.spec}
    if "repetition" in rules.values and rules.is_scored:
        repetition = rules.values.text("repetition")
        told |= {"ko": _KO.get(repetition, repetition.upper()), **_FIXED, "friendlyPassOk": False}
    return told


def expand_katago_rules(word: str) -> Json | str:
    """What a word for rules means: an object with KataGo's keys, or a SPEC of ours. Raises NotationError."""
    text = word.strip()
    short = text.lower().replace("_", "-").replace(" ", "-")
    if text.startswith("{"):
        try:
            return parse_object(text)
        except ValueError as error:
            raise NotationError(f"rules: no JSON ({error})") from None
    if short in _SHORT:
        return dict(_SHORT[short])
    try:
        split_spec(text)
    except SpecError as error:
        raise NotationError(f"rules {text[:40]}: expected {', '.join(_SHORT)}, an object, or a SPEC: {error}") from None
    return text


def read_katago_rules(
    rules: Rules, wanted: Mapping[str, object], has_handicap: bool = False
) -> tuple[dict[str, str], list[str]]:
    """The options of a game that KataGo's keys set, and what of it cannot be here, a phrase each.

    Points for handicap stones are nothing in a game without them.
    """
    changed: dict[str, str] = {}
    faults: list[str] = []
    for key, value in wanted.items():
        if key in _IGNORED or (key == "spec" and value == rules.spec):
            continue
        if key == "ko" and "repetition" in rules.values:
            repetition = _REPETITION_OF.get(str(value).upper(), str(value).lower())
            if repetition in REPETITIONS:
                changed["repetition"] = repetition
            else:
                faults.append(f"ko={_text(value)} (expected {', '.join(_REPETITION_OF)})")
        elif key == "komi" and "komi" in rules.values and isinstance(value, int | float):
            changed["komi"] = f"{value}"
        elif key in _FIXED and rules.is_scored:
            if value != _FIXED[key] and (has_handicap or key != "whiteHandicapBonus"):
                faults.append(f"{key}={_text(value)} (expected {_text(_FIXED[key])})")
        else:
            faults.append(f"{key}={_text(value)} (no rule of {rules.title})")
    return changed, faults


def _text(value: object) -> str:
    return (value if isinstance(value, str) else json.dumps(value))[:40]
