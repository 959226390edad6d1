"""`python -m sayso.cli`."""

import sys

from sayso.cli import main

sys.exit(main())
