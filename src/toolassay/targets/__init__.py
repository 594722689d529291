"""Targets: how implementations under test are reached."""
