"""The edit engine: where a text stands, and what the file's bytes become."""
