# Rosette and Pentalath in the squares in which GoGui shows them, Alter Igo, and the hexagons' names.

variant-set rosette:n=2
1 gogui-rules_board_size
#? [7 hex]
2 gogui-rules_game_id
#? [Rosette]
3 rosette-immune
#? []

# Six stones around a hexagon live for ever.
play b B1
play b C1
4 rosette-immune
#? []

variant-set pentalath
10 gogui-rules_board_size
#? [13 hex]
11 gogui-rules_side_to_move
#? [white]
play w A1
play b A2
play w B1
play b B2
play w C1
play b C2
play w D1
play b D2
12 kata-genmove_analyze w
#? [info move E1 visits [0-9]+ winrate 1.000000 .*\nplay E1]
13 pentalath-line
#? [A1 B1 C1 D1 E1]
14 gogui-rules_final_result
#? [White wins with five in a row]
15 gogui-rules_legal_moves
#? []
16 gogui-rules_board_gfx
#? [.*SQUARE A1 B1 C1 D1 E1.*]

variant-set alter-igo:size=3
20 gogui-rules_legal_moves
#? [!.*pass.*]
play b A1
play w B1
play b C3
play w A2
21 gogui-rules_captured_count
#? [0 1]
22 gogui-rules_board_gfx
#? [.*MARK A1]
23 genmove b
#? [[A-C][1-3]]
