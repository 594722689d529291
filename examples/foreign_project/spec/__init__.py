"""What this project's agent promises; nothing to do with toolassay."""

OWNER = "foreign-project"
GREETING = "hello"
