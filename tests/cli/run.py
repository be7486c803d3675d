#!/usr/bin/env python3
"""The command line as people and scripts meet it: every command, its exit status, bad input.

usage: run.py PATH-OF-LANEKEEPER [unittest arguments, as capture_test.Capture or -k WORD]
"""
import sys
import unittest
from pathlib import Path

import harness

if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    harness.BINARY = Path(sys.argv.pop(1)).resolve()
    here = Path(__file__).parent
    for file in sorted(here.glob("*_test.py")):
        module = __import__(file.stem)
        globals().update({file.stem: module} | {n: c for n, c in vars(module).items() if isinstance(c, type)})
    unittest.main(module="__main__")
