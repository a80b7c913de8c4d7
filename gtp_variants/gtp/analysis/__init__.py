"""The analysis engine of KataGo's JSON protocol: queries and answers in lines, for KaTrain, Ogatak and others."""
