"""A server on which bots play over the network, using the CGOS line protocol with extensions.

Viewers say `v1` and need no account: see `observers.py`. Lines are UTF-8, and each ends in a line feed. S is the
server, and C is a client::

    S protocol variants
    C e1 NAME/VERSION [variants=GAME,GAME,...]      with `variants`, it may be paired for these games;
                                                    without, for Go whose options `setup` can describe
    S username
    C NAME                                          3 to 18 letters, digits and _ . -, a letter first
    S password
    C PASSWORD [NEW]                                6 to 64 printable characters, not the name; an unknown name
                                                    creates an account, if the operator allows this
    S info TEXT                                     at any time, for people
    S Error: TEXT                                   then the connection is closed

A game, for a client that said `variants`; lines marked * are for such clients only::

    S variant GID COLOUR SPEC [COMMITMENT]        * the full game; in Aléago, the SHA-256 of the secret of its dice
    S draw TURN COLOUR FACE...|free               * the dice of a turn, once known (a turn early with the crystal ball)
    S setup GID SIZE KOMI MS WHITE(RATING) BLACK(RATING) [MOVE MS]*
    S play COLOUR MOVE MS                           the opponent's move and clock; not in a hidden game
    S hear NEWS                                   * Go Fantôme: the news of this seat, including its own moves,
                                                    as in GTP `phantom-hear NEWS`
    S genmove COLOUR MS
    C MOVE                                          a vertex, `pass`, `swap` or `resign`; further words are ignored
    S record JSON                                 * the game as the referee saw it, with the secret of the dice
    S gameover DATE RESULT [TEXT]                   B+12.5, Draw, B+Resign, B+Time, B+Illegal; a win without score B+1
    C ready                                         needed to be paired again

A client that reconnects is sent its game again. If it said `variants`, the `draw`, `play` (including its own moves) and
`hear` lines of all events come between `variant` and `setup`, and `setup` lists no moves; for other clients `setup`
lists them. The clock keeps running meanwhile. A new login under a name replaces the old one; it must say `variants` if
`setup` cannot describe the game in progress. An illegal move loses, but after a refused try in Go Fantôme the server
asks again. If passes suspend a game, it ends at once and the stones on the board are counted. SIZE is the width of the
grid.
"""
