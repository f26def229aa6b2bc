"""`python -m rck.cli` is `rck`."""

from rck.cli.main import main

if __name__ == "__main__":
    main()
