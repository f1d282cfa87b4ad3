#!/usr/bin/env python3
"""Tests compare.py: compare_test.py PERFMODEL"""
import pathlib
import sys
import tempfile
import unittest

import compare

PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve() if __name__ == "__main__" else None


class Intervals(unittest.TestCase):
    def test_order_statistics(self):
        # Tables of the sign test: of 6 values none is left out, of 15 three at each end, of 20 five.
        for count, left_out in ((6, 0), (8, 0), (9, 1), (15, 3), (20, 5)):
            self.assertEqual(compare.median_interval(range(count)), (left_out, count - 1 - left_out))
        with self.assertRaises(ValueError):
            compare.median_interval(range(5))

    def test_a_loss_is_large_and_significant(self):
        self.assertTrue(compare.is_loss([1.06, 1.07, 1.08, 1.09, 1.1, 1.01]))
        self.assertFalse(compare.is_loss([1.06, 1.07, 1.08, 1.09, 1.1, 0.99]))
        self.assertFalse(compare.is_loss([1.04] * 6))


class Programs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.slow = pathlib.Path(folder.name) / "slow"
        self.slow.write_text(f"#!/bin/sh\ni=0\nwhile [ $i -lt 20000 ]; do i=$((i+1)); done\n"
                             f"exec '{PROGRAM}' \"$@\"\n")
        self.slow.chmod(0o755)

    def test_a_slow_program(self):
        small = ["--quick", "--only", "start"]
        self.assertEqual(compare.main([str(PROGRAM), str(self.slow), *small]), 1)
        self.assertEqual(compare.main([str(self.slow), str(PROGRAM), *small]), 0)

    def test_a_program_and_itself(self):
        self.assertEqual(
            compare.main([str(PROGRAM), str(PROGRAM), "--pairs", "12", "--only", "start"]), 0)


if __name__ == "__main__":
    unittest.main()
