"""Where a host enters: `python -S -E -I start.py claude`. Without site-packages the package's own folder must be named."""

import os
import sys

if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))))
    from pith.interfaces.hook.main import main

    main()
