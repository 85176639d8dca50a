"""What each session has seen, and the guards that rest on it."""
