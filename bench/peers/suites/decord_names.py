"""A plugin of pytest: ``import decord`` gives spool.decord."""

import sys
import types
import unittest

from spool import decord

sys.modules["decord"] = decord
sys.modules.update({f"decord.{name}": getattr(decord, name) for name in ("base", "bridge", "nd")})

# nose does not run on today's Python. The suite needs one function of it.
nose, tools = types.ModuleType("nose"), types.ModuleType("nose.tools")
tools.assert_raises = unittest.TestCase().assertRaises
sys.modules.update({"nose": nose, "nose.tools": tools})
