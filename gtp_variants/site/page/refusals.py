"""What the server refuses people."""

from gtp_variants.lang import RequestRefused


class PageRefused(RequestRefused):
    """A refusal with a status of HTTP."""

    def __init__(self, key: str, status: int = 400, **parts: object) -> None:
        super().__init__(key, **parts)
        self.status = status


class Full(PageRefused):
    """A limit of the server is reached, or it cannot keep anything."""

    def __init__(self, key: str, **parts: object) -> None:
        super().__init__(key, 503, **parts)
