"""People who challenge us while we play somebody else: each is called in turn, first come, first served."""

# How long who is called has to challenge us before the next is.
CALLED_S = 90.0


class ChallengeQueue:
    """Who waits, at most so many. `now_s` is any clock that goes on."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._waiting: list[str] = []
        self._called = ""
        self._called_until_s = 0.0

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, user: str) -> int | None:
        """Let somebody wait: their place, from 1, which stays theirs; None where too many wait."""
        names = [each.lower() for each in self._waiting]
        if user.lower() not in names:
            if len(names) >= self.most:
                return None
            self._waiting.append(user)
            return len(self._waiting)
        return names.index(user.lower()) + 1

    def remove(self, user: str) -> None:
        """Somebody plays us, or has gone."""
        self._waiting = [each for each in self._waiting if each.lower() != user.lower()]
        if self._called.lower() == user.lower():
            self._called = ""

    def call(self, now_s: float) -> str | None:
        """We are free: whose turn it is now, None where nobody waits."""
        if not self._waiting:
            return None
        self._called, self._called_until_s = self._waiting.pop(0), now_s + CALLED_S
        return self._called

    def must_wait(self, user: str, now_s: float) -> bool:
        """Whether somebody else was called and still has time to come."""
        is_another = bool(self._called) and self._called.lower() != user.lower()
        return is_another and now_s < self._called_until_s
