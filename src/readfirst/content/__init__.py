"""Pure knowledge about bytes and text: no files, no sessions."""
