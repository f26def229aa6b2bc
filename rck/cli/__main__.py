"""`python -m rck.cli` runs `rck`."""

import sys

if __name__ == "__main__":
    # Python puts the current folder first: there, a project's folder `rck_plugins` would hide RCK's package.
    sys.path.append(sys.path.pop(0))
    from rck.cli.main import main

    main()
