"""The engine as tools for assistants, over the Model Context Protocol (MCP); ``factgraph mcp``."""
