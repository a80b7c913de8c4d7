"""Matches between bots and programs: what a file or the command line asks for, played, kept, judged and told."""
