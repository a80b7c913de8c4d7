"""OGS, the Online Go Server, by its WebSocket and REST, from the bottom up: each file knows those above it.

* `transport.py`: one login: frames over a WebSocket, pings and the server's time, answers by id, posts over HTTP.
* `values.py`: the protocol's values and ours: points, results, people, and how clocks are read.
* `challenges.py`: challenges of others, why they are refused in the server's codes, and a challenge of our own.
* `game.py`: a game as the server has it, and the games that we are in: moves sent again, pauses, scoring, undo.
* `adapter.py`: a bot that plays, for the bridge's core, and what all roles share.
* `roles.py`: the roles made of `adapter.py` that own demonstration boards: `board` plays on one, `private` referees by
  private messages and shows games that are over.

Nothing here was tried on the real server. What is taken from the server's own clients is as certain as they are; what
nobody can know without an account is called a guess where it stands, and listed in docs/ogs.md.
"""
