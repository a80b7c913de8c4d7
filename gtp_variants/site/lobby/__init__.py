"""A server where bots play over the network, by the line protocol of CGOS with extensions.

Viewers say `v1` and need no account: see `observers.py`. Lines are UTF-8, each ended by a line feed. S is the server, C
a client::

    S protocol variants
    C e1 NAME/VERSION [variants=GAME,GAME,...]      with `variants` it may be paired for these games, else
                                                    for Go, if `setup` can describe the options
    S username
    C NAME                                          3 to 18 letters, digits and _ . -, a letter first
    S password
    C PASSWORD [NEW]                                6 to 64 printable characters, not the name; an unknown name is a
                                                    new account, if the operator allows them
    S info TEXT                                     at any time, for people
    S Error: TEXT                                   then the connection is closed

A game, for a client that said `variants`; lines marked * are for such clients only::

    S variant GID COLOUR SPEC [COMMITMENT]        * the full game; in Aléago, the SHA-256 of the secret of its dice
    S draw TURN COLOUR FACE...|free               * a draw, as soon as it is known (a turn early with the crystal ball)
    S setup GID SIZE KOMI MS WHITE(RATING) BLACK(RATING) [MOVE MS]*
    S play COLOUR MOVE MS                           the opponent's move and clock; not in a hidden game
    S hear NEWS                                   * Go Fantôme: the news of this seat, its own moves too, as in
                                                    GTP `phantom-hear NEWS`
    S genmove COLOUR MS
    C MOVE                                          a vertex, `pass`, `swap` or `resign`; further words are ignored
    S record JSON                                 * the game as the referee saw it, with the secret of the dice
    S gameover DATE RESULT [TEXT]                   B+12.5, Draw, B+Resign, B+Time, B+Illegal; a win without score B+1
    C ready                                         needed to be paired again

A client that reconnects is told its game again. If it said `variants`, it gets the `draw`, `play` (its own too) and
`hear` lines of all events between `variant` and `setup`, and `setup` names no moves; for others `setup` names them. The
clock runs meanwhile. The latest login of a name counts; it must say `variants` if `setup` cannot describe the game in
progress. An illegal move loses; in Go Fantôme a refused try is asked again. Passes that suspend a game end it at once,
and the stones on the board are counted. SIZE is the width of the grid.
"""
