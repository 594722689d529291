"""Authored vectors in YAML, and the packs compiled from them; this folder is data."""
