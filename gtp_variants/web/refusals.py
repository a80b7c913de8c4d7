"""What the server refuses people, and the language they read it in."""

from gtp_variants.lang import RequestRefused
from gtp_variants.rules.words import LANGUAGES


class PageRefused(RequestRefused):
    """A refusal with a status of HTTP."""

    def __init__(self, key: str, status: int = 400, **parts: object) -> None:
        super().__init__(key, **parts)
        self.status = status


def language_of(accepted: str) -> str:
    """The first of our languages that an `Accept-Language` names, English where it names none."""
    wanted = (each.partition(";")[0].strip().lower()[:2] for each in accepted.split(","))
    return next((lang for lang in wanted if lang in LANGUAGES), "en")
