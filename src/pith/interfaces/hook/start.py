"""Where a host enters: `python -S -E -I start.py claude`. Without site-packages the package's folder must be named."""

import gc
import os
import sys

if __name__ == "__main__":
    gc.disable()  # looking for garbage took a tenth of a large capture, and this process is over in a moment
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))))
    from pith.interfaces.hook.main import main

    main()
