"""``python -m bayesdnf`` is ``bayesdnf``."""

from .cli import main

if __name__ == "__main__":
    main()
