"""The exit statuses of every command: one table."""

DONE = 0
# It was done, and what was looked at is not as it should be.
NOT_TRUE = 1
# Wrong usage, a file or an engine that cannot be had: nothing was begun, or what was cannot go on.
WRONG = 2
# A player of a match kept failing; a server refused the login or another one replaced it.
STOPPED = 3
# The engine of a bridge kept failing.
ENGINE_FAILED = 4
# Ctrl-C, or a match that was asked to stop: 128 and the number of SIGINT, as shells have it.
INTERRUPTED = 130

TABLE = {
    DONE: "status_done",
    NOT_TRUE: "status_not_true",
    WRONG: "status_wrong",
    STOPPED: "status_stopped",
    ENGINE_FAILED: "status_engine_failed",
    INTERRUPTED: "status_interrupted",
}
