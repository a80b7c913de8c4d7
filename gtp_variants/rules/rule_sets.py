"""The rule sets of Go by name: one table for SPECs, GTP, servers and files.

A set is a choice of options for games of the Go family. The options in `RULES_OF_PLAY` are the rules themselves; hosts
set the komi separately. Points in a seki count as territory, which is the usual simplification. Sources: KataGo's
GTP_Extensions.md; for `french` 002_de0d3e2916539ccb.txt: "l'un de ceux qu'il lui avait déjà donné" (nssk) and "dans une
partie à égalité" (komi).
"""

from collections.abc import Mapping

RuleSet = Mapping[str, str]

RULES_OF_PLAY = ("repetition", "suicide", "scoring", "handicap_bonus", "button")

_EVEN_KOMI = {"komi_in_handicap": "false"}
_TERRITORY: RuleSet = {"komi": "6.5", "repetition": "simple", "scoring": "territory", **_EVEN_KOMI}
_CHINESE: RuleSet = {"komi": "7.5", "handicap_bonus": "N", **_EVEN_KOMI}
_AGA: RuleSet = {"komi": "7.5", "repetition": "ssk", "handicap_bonus": "N-1", **_EVEN_KOMI}

RULE_SETS: Mapping[str, RuleSet] = {
    "japanese": _TERRITORY,
    "korean": _TERRITORY,
    "chinese": {**_CHINESE, "repetition": "simple"},
    "chinese-ogs": {**_CHINESE, "repetition": "psk"},
    "chinese-kgs": {**_CHINESE, "repetition": "psk"},
    "aga": _AGA,
    "bga": _AGA,
    "aga-button": {**_AGA, "button": "true"},
    "french": {**_AGA, "repetition": "nssk"},
    "new-zealand": {"komi": "7", "repetition": "ssk", "suicide": "true"},
    "tromp-taylor": {"komi": "7.5", "repetition": "psk", "suicide": "true"},
}

# Servers' names for their rules -> our names.
KGS_RULES = {"chinese": "chinese-kgs", "aga": "aga", "new_zealand": "new-zealand", "japanese": "japanese"}
OGS_RULES = {"chinese": "chinese-ogs", "aga": "aga", "japanese": "japanese", "korean": "korean", "nz": "new-zealand"}
