"""What is told of packages that are missing or too old."""

import types
import unittest
from unittest import mock

import problems  # noqa: F401, finds the providers

import packages
from provider import Missing, WrongVersion


def found(version):
    module = types.SimpleNamespace(__version__=version)
    return mock.patch("importlib.import_module", lambda name: module)


class Packages(unittest.TestCase):
    def test_missing(self):
        with self.assertRaisesRegex(Missing, "no package no_such_thing .*tools/setup python"):
            packages.package("no_such_thing")

    def test_versions(self):
        for version in ("2.7", "2.7.1", "2.11.0+cu130", "3.0a0"):
            with found(version):
                self.assertEqual(packages.package("torch", "2.7").__version__, version)
        for version in ("2.6.9", "1.13", "2"):
            with found(version), self.assertRaisesRegex(WrongVersion, f"torch {version} is too old, 2.7 is needed"):
                packages.package("torch", "2.7")


if __name__ == "__main__":
    unittest.main()
