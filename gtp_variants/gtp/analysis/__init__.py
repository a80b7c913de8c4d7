"""The engine for KataGo's JSON analysis protocol, used by KaTrain, Ogatak and others."""
