"""The chapters of the handbook, by name of the game."""

from collections.abc import Callable, Iterable
from typing import Any

from gtp_variants.handbook.chapter import Section, choices
from gtp_variants.handbook.chapters import aleago, alter_igo, go, pentalath, phantom, rosette
from gtp_variants.handbook.localised_text import Sentences
from gtp_variants.rules.rules import Rules

# Name of a game -> its sections.
CHAPTERS: dict[str, Callable[[Any], Iterable[Section]]] = {
    "go": go.sections,
    "aleago": aleago.sections,
    "phantom": phantom.sections,
    "rosette": rosette.sections,
    "alter-igo": alter_igo.sections,
    "pentalath": pentalath.sections,
}


def chapter(rules: Rules) -> tuple[Section, ...]:
    """The rules of one configured game in words; of a game that has no chapter, its options."""
    write = CHAPTERS.get(rules.name)
    return tuple(write(rules)) if write is not None else (choices(rules, Sentences("common")),)
