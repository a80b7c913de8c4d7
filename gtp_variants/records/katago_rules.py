"""Conversion between KataGo's rules, as a JSON object or a short name, and the options of our games."""

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from gtp_variants.base.json_values import Json, parse_object
from gtp_variants.errors import NotationError, SpecError
from gtp_variants.lang import load
from gtp_variants.rules import GO, game_class, split_spec
from gtp_variants.rules.options import REPETITIONS, Value, did_you_mean, fold_rule_set, text_of
from gtp_variants.rules.rule_sets import RULE_SETS, RULES_OF_PLAY
from gtp_variants.rules.rules import Rules

# KataGo's names for repetition rules. Rules that KataGo does not have keep our names.
_KO = {"simple": "SIMPLE", "psk": "POSITIONAL", "ssk": "SITUATIONAL"}
_REPETITION_OF = {name: repetition for repetition, name in _KO.items()}
# The key for the points that White gets for handicap stones.
BONUS = "whiteHandicapBonus"
# KataGo's keys, with the options of our games that have the same values in small letters.
_OPTIONS = {"scoring": "scoring", "suicide": "suicide", "hasButton": "button", BONUS: "handicap_bonus"}
# What `katago_rules.toml` says: the values that KataGo accepts, why some games with a score lack one of its rules, the
# beginnings of names in RU, and the names in RU that we write.
_TABLES = load(Path(__file__).with_suffix(".toml"))
_VALUES: Mapping[str, Sequence[object]] = _TABLES["values"]
_WRITTEN: Mapping[str, str] = _TABLES["written"]
_NAMED = {start: name for name, starts in _TABLES["named"].items() for start in starts}
# This option only affects how KataGo itself plays at the end of a game, so either value is accepted.
_IGNORED = ("friendlyPassOk",)
_SYNONYMS = {"score": "scoring"}
# KataGo's name for rules that no game here has.
_STONE_SCORING = {"stone-scoring": {"ko": "SIMPLE", "tax": "ALL"}}
# KataGo's rules as one word, such as koSIMPLEscoreAREAtaxNONEsui0.
_ONE_WORD = re.compile(
    r"ko(?P<ko>SIMPLE|POSITIONAL|SITUATIONAL|NSSK|NONE)score(?P<scoring>AREA|TERRITORY)tax(?P<tax>NONE|SEKI|ALL)sui(?P<suicide>[01])"
    r"(button(?P<hasButton>[01]))?(whb(?P<whiteHandicapBonus>N-1|N|0))?(fpok(?P<friendlyPassOk>[01]))?"
)
_SWITCHES = ("suicide", "hasButton", "friendlyPassOk")


def write_katago_rules(rules: Rules) -> Json:
    """Return the answer to `kata-get-rules`: our SPEC, and for a game with a score also KataGo's keys."""
    told: Json = {"spec": rules.spec}
    if "repetition" in rules.values and rules.is_scored:
        repetition = rules.values.text("repetition")
        told |= {"ko": _KO.get(repetition, repetition.upper()), "tax": "NONE", "friendlyPassOk": False}
        told |= {key: _katago_value(key, rules.values.get(option)) for key, option in _OPTIONS.items()}
    return told


def write_unusual_rules(rules: Rules) -> str:
    """Return KataGo's rules as JSON for a program that plays only Go, "" if only repetition may be unusual."""
    told = write_katago_rules(rules)
    if all(told.get(key, known[0]) == known[0] for key, known in _VALUES.items()):
        return ""
    known_ko = {"ko": told["ko"]} if told["ko"] in _REPETITION_OF else {}
    return json.dumps({**known_ko, **{key: told[key] for key in _OPTIONS}}, separators=(",", ":"))


def write_rules_name(rules: Rules, has_handicap: bool) -> str:
    """Return rules of Go for SGF's RU: a usual name, or KataGo's word. White's bonus matters only with handicap."""
    keys = [key for key in RULES_OF_PLAY if has_handicap or key != "handicap_bonus"]
    played = {key: rules.values[key] for key in keys}
    for name, written in _WRITTEN.items():
        known = rules_of_play(name)
        if all(known[key] == text_of(value) for key, value in played.items()):
            return written
    told = write_katago_rules(rules)
    switches = "".join(f"{word}{int(bool(told[key]))}" for word, key in (("sui", "suicide"), ("button", "hasButton")))
    return f"ko{told['ko']}score{told['scoring']}tax{told['tax']}{switches}whb{told[BONUS]}"


def read_rules_name(name: str) -> Mapping[str, str] | None:
    """Return the options of Go for rules that a file names in RU: {} for "", None for an unknown name."""
    word = fold_rule_set(name)
    said = _ONE_WORD.fullmatch(name.strip())
    if said is not None:
        return read_katago_rules(game_class(GO)(), _read_one_word(said))[0]
    for start, known in _NAMED.items():
        if word.startswith(start):
            return rules_of_play(known)
    return None if word else {}


@cache
def rules_of_play(name: str) -> Mapping[str, str]:
    """Return all options of a rule set except the komi, which hosts set on their own."""
    values = game_class(GO)({"rules": name}).values
    return {key: text_of(values[key]) for key in RULES_OF_PLAY}


def expand_katago_rules(word: str) -> Json | str:
    """Return what a word for rules means: an object with KataGo's keys, or a SPEC. Raises NotationError if unknown."""
    text = word.strip()
    short = fold_rule_set(text)
    if text.startswith("{"):
        try:
            return parse_object(text)
        except ValueError as error:
            raise NotationError(f"rules: not JSON ({error})") from None
    if short in _STONE_SCORING:
        return dict(_STONE_SCORING[short])
    if short in RULE_SETS:
        told = write_katago_rules(game_class(GO)({"rules": short}))
        return {key: told[key] for key in ("ko", *_OPTIONS)}
    if one_word := _ONE_WORD.fullmatch(text):
        return _read_one_word(one_word)
    try:
        split_spec(text)
    except SpecError as error:
        known, hint = ", ".join(RULE_SETS), did_you_mean(short, [*RULE_SETS]) or f": {error}"
        raise NotationError(f"rules {text[:40]}: expected {known}, an object, or a SPEC{hint}") from None
    return text


def _read_one_word(match: re.Match[str]) -> Json:
    said = {key: value for key, value in match.groupdict().items() if value is not None}
    return {key: value == "1" if key in _SWITCHES else value for key, value in said.items()}


def check_katago_values(wanted: Mapping[str, object]) -> None:
    """Raise NotationError for a value that KataGo does not have, whether or not our games support it."""
    for key, known in _VALUES.items():
        value = wanted.get(key, known[0])
        if not _is_known(key, value):
            raise NotationError(f"{key}={_text(value)} (expected {', '.join(map(_text, known))})")
    if "ko" in wanted and str(wanted["ko"]).upper() not in _REPETITION_OF and wanted["ko"] not in REPETITIONS:
        raise NotationError(f"ko={_text(wanted['ko'])} (expected {', '.join(_REPETITION_OF)})")


def read_katago_rules(rules: Rules, wanted: Mapping[str, object]) -> tuple[dict[str, str], list[str]]:
    """Return the options of a game that KataGo's keys set, and phrases about unsupported keys and values.

    A tax on points in a seki is accepted where territory is counted, although those points count here: that is how
    territory is usually counted without a tax.
    """
    wanted = {_SYNONYMS.get(key, key): value for key, value in wanted.items()}
    changed: dict[str, str] = {}
    faults: list[str] = []
    for key, value in wanted.items():
        option = _OPTIONS.get(key, "")
        if key in _IGNORED or (key == "tax" and rules.is_scored and _is_usual_tax(rules, wanted)):
            continue
        if key == "spec":
            options = _options_of(rules, value)
            changed |= options or {}
            if options is None:
                faults.append(f"spec={_text(value)} (expected a SPEC of {rules.name})")
        elif key == "ko" and "repetition" in rules.values:
            repetition = _REPETITION_OF.get(str(value).upper(), str(value).lower())
            if repetition in REPETITIONS:
                changed["repetition"] = repetition
            else:
                faults.append(f"ko={_text(value)} (expected {', '.join(_REPETITION_OF)})")
        elif key == "komi" and "komi" in rules.values and isinstance(value, int | float):
            changed["komi"] = f"{value}"
        elif option in rules.values and _is_known(key, value):
            changed[option] = _text(value) if key == BONUS else _text(value).lower()
        elif option and rules.is_scored and value == _VALUES[key][0]:
            continue
        else:
            why = _TABLES["lacking"].get(key) if rules.is_scored else None
            known = f"expected {', '.join(map(_text, _VALUES[key]))}" if option in rules.values else why
            faults.append(f"{key}={_text(value)} ({known or f'not a rule of {rules.title}'})")
    return changed, faults


def _is_known(key: str, value: object) -> bool:
    known = _VALUES[key]
    # Compare the types, because in Python 0 == False, but 0 is not a valid value for a switch.
    return type(value) is type(known[0]) and value in known


def _is_usual_tax(rules: Rules, wanted: Mapping[str, object]) -> bool:
    scoring = wanted.get("scoring", _katago_value("scoring", rules.values.get("scoring")))
    return wanted["tax"] == "NONE" or (wanted["tax"] == "SEKI" and scoring == "TERRITORY")


def _katago_value(key: str, value: Value) -> object:
    """Return KataGo's form of an option's value; None stands for an option that a game does not have."""
    if value is None:
        return _VALUES[key][0]
    return value.upper() if isinstance(value, str) else value


def _options_of(rules: Rules, spec: object) -> dict[str, str] | None:
    """Return the options in which a SPEC differs from these rules, or None unless it names the same game."""
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
