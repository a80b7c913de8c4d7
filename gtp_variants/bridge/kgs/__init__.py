"""KGS by its JSON protocol, from the bottom up: each file knows those above it in this list, and none below.

* `values.py`: the protocol's values and ours: points, proposals, clocks, results.
* `game_tree.py`: a game as the server has it: a tree of SGF events, whoever plays in it.
* `client.py`: an account: its login over HTTP, its rooms and games, whatever its role. A bot that plays, a
  referee who watches and the owner of a demonstration board all read `receive`: a game is in `KgsClient.games` once
  it is joined, by `join(channel)` for who looks on, and its `KgsGame` tells the moves, the players and who may do what,
  whoever asks. They post through `to`, which never posts to a channel that is closed, `chat` in a channel and `tell` in
  private.
* `adapter.py`: a bot that plays, for the bridge's core, its challenges, and what all roles share.
* `roles.py`: the roles made of `adapter.py`: `referee` looks on, `board` plays on a demonstration board of its own,
  `private` speaks with each player alone and shows games that are over.
"""
