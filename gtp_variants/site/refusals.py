"""Refusals of the site, each with the status of its HTTP answer."""

from gtp_variants.lang import RequestRefused


class PageRefused(RequestRefused):
    """A refusal with an HTTP status."""

    def __init__(self, key: str, status: int = 400, **parts: object) -> None:
        super().__init__(key, **parts)
        self.status = status


class Full(PageRefused):
    """A refusal because the server has reached a limit or cannot read or store anything."""

    def __init__(self, key: str, **parts: object) -> None:
        super().__init__(key, 503, **parts)
