#!/usr/bin/env python3
"""Runs the tests of the hub client: hub_test.py HUB_TOOL [unittest arguments …]. Everything stays on 127.0.0.1."""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import hub_case  # noqa: E402
from faults_test import *  # noqa: E402,F401,F403
from policy_test import *  # noqa: E402,F401,F403
from processes_test import *  # noqa: E402,F401,F403
from pull_test import *  # noqa: E402,F401,F403

if __name__ == "__main__":
    hub_case.TOOL = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=1)
