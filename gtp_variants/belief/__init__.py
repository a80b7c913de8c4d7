"""What a seat that does not see every stone may think: what it heard, hypotheses that agree with it, particles."""
