# Go Fantôme: what the referee says and what each side may know.

variant-set phantom:size=5

1 gogui-rules_game_id
#? [Phantom]

play b C3
10 phantom-announcements
#? [Black has played]
11 phantom-view w
#? [[. \n]*]
12 phantom-view b
#? [[. \n]*X[. \n]*]

# The other's point may be tried by whoever does not know; a ruler takes the try, and the turn stays.
13 gogui-rules_legal_moves
#? [!.*C3.*]
play w C3
14 gogui-rules_side_to_move
#? [white]
15 phantom-announcements
#? [impossible move]
play w D4
16 gogui-rules_side_to_move
#? [black]

# A seat is told the news of its own side only.
variant-set phantom:size=5
20 variant-legal_moves w
#? [A1 A2 .* E5 pass]
