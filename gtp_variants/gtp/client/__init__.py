"""Other people's GTP engines: started, asked, and given a seat in our games."""
