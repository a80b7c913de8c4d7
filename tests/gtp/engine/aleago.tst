# Aléago as a host sees it. gogui-regress "gtp-variants gtp" aleago.tst runs this file, too.

variant-set aleago:size=9,dice=1d6

1 gogui-rules_game_id
#? [Aleago]

2 gogui-rules_board_size
#? [9]

# A draw that is told opens its line and no other.
aleago-draw b 4
10 aleago-draw
#? [b 4]
11 aleago-open
#? [D4 D5 D6 E4 E6 F4 F5 F6]
12 gogui-rules_legal_moves
#? [D4 D5 D6 E4 E6 F4 F5 F6 pass]
13 show-open_line
#? [COLOR #[0-9a-f]{6} D4 D5 D6 E4 E6 F4 F5 F6\nTEXT draw 4: line 4 is open]
play b E6
14 aleago-open
#? [!.*E6.*]

# The same die comes back with undo.
undo
15 aleago-draw
#? [b 4]

# Where the line of the die is full of nothing, the next one inside that has room opens.
variant-set aleago:size=3,dice=1d4
aleago-draw b 4
20 aleago-open
#? [B2]

# A free player has no line.
variant-set aleago:size=5,free_player=b
21 aleago-draw
#? [b free]

# Two passes suspend the game; a stone opens it again; a third pass in a row ends it.
variant-set aleago:size=5
play b pass
play w pass
30 gogui-rules_final_result
#? [White wins by 7.5 points]
31 gogui-rules_legal_moves
#? [[A-E].* pass]
aleago-resume
32 gogui-rules_final_result
#? []
play b pass
play w pass
play b pass
33 gogui-rules_legal_moves
#? []
34 final_score
#? [W\+7.5]
35 genmove b
#? [resign]
36 genmove w
#? [pass]

# Handicap stones lie where they always do, on no line of the dice, and White begins.
variant-set aleago:size=9
40 fixed_handicap 4
#? [C3 C7 G3 G7]
41 gogui-rules_side_to_move
#? [white]
