"""The pytest plugin: collects vectors as tests."""
