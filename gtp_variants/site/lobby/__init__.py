"""A server where bots play our games over the network: the line protocol of CGOS, and a few words beyond it.

Who only watches says `v1` and needs no account: see `observers.py`. Lines of UTF-8, each with a line feed. S is the
server, C a client::

    S protocol variants
    C e1 NAME/VERSION [variants=GAME,GAME,...]      with the word it may be paired for these games, else for
                                                    Go as far as `setup` tells it
    S username
    C NAME                                          3 to 18 letters, digits and _ . -, a letter first
    S password
    C PASSWORD [NEW]                                6 to 64 printable characters, not the name; an unknown name is a
                                                    new account, unless only who runs the server makes them
    S info TEXT                                     at any time, for people
    S Error: TEXT                                   and the line is closed

A game, for a client that said `variants`; what is marked * only for it::

    S variant GID COLOUR SPEC [COMMITMENT]        * the game in full; in Aléago the SHA-256 of the secret of its dice
    S draw TURN COLOUR FACE...|free               * a draw, as soon as it is known (with the crystal ball a turn early)
    S setup GID SIZE KOMI MS WHITE(RATING) BLACK(RATING) [MOVE MS]*
    S play COLOUR MOVE MS                           the other's move and what his clock shows; not in a hidden game
    S hear NEWS                                   * Go Fantôme: what this seat is told, own moves too, as in GTP
                                                    `phantom-hear NEWS`
    S genmove COLOUR MS
    C MOVE                                          a vertex, `pass`, `swap` or `resign`; what follows it is not read
    S record JSON                                 * the game as the referee saw it, the secret of the dice with it
    S gameover DATE RESULT [TEXT]                   B+12.5, Draw, B+Resign, B+Time, B+Illegal; a win without score B+1
    C ready                                         or it is not paired again

Who comes back to a game is told it anew. A client that said `variants` hears the `draw`, `play` (own ones too) and
`hear` lines of all that happened between `variant` and `setup`, and its `setup` names no moves; to others `setup` tells
them. The clock runs on meanwhile. The newest login of a name counts; while a game is on that `setup` does not tell in
full, it has to say `variants`. An illegal move loses; in Go Fantôme a refused try is asked again. The passes that end a
game end it at once, and what stands is counted. SIZE is the width of the grid.
"""
