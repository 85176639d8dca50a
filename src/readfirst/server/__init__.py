"""The only floor that speaks MCP: it translates tools into the protocol, and never decides about files."""
