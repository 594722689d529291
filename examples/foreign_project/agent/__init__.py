"""A small agent."""
