"""One game on a server: followed by our rules, answered by an engine, talked about in chat, and ended."""
