"""`python -m toolassay`: the command, for where the script is not on the path."""

from toolassay.cli import main

if __name__ == "__main__":
    main()
