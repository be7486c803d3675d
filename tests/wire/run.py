#!/usr/bin/env python3
"""Hostile, broken and unusual clients against the HTTP core, byte by byte.

usage: run.py PATH-OF-WIRE_SERVER [unittest arguments, as Framing or -k WORD]
"""
import sys
import unittest
from pathlib import Path

import harness

if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    harness.PROGRAM = Path(sys.argv.pop(1)).resolve()
    for file in sorted(Path(__file__).parent.glob("*_test.py")):
        module = __import__(file.stem)
        globals().update({name: each for name, each in vars(module).items() if isinstance(each, type)})
    unittest.main(module="__main__", warnings="ignore")  # sockets are closed by the garbage collector
