# SPDX-License-Identifier: Apache-2.0
"""Many runs from Python: tables, cases that fail, sweeps that go on."""

from __future__ import annotations

import math
import unittest

import numpy as np
from support import PROGRAM, PackageTest, pendulum

import trammel


class Sweeps(PackageTest):
    def test_a_sweep_is_a_table_of_its_cases(self) -> None:
        sweep = trammel.sweep(pendulum(0.1), {"body.bob.mass": [1, 2], "solver.h": "1e-3:2e-3:2"}, folder=self.folder / "s",
                              program=PROGRAM)
        self.assertEqual(len(sweep), 4)
        self.assertEqual((sweep.failed, sweep.open), ([], []))
        np.testing.assert_array_equal(np.unique(sweep["body.bob.mass"]), [1, 2])
        alone = pendulum(0.1).run(settings={"body.bob.mass": 1, "solver.h": 2e-3})
        case = int(np.argmax((sweep["body.bob.mass"] == 1) & (sweep["solver.h"] == 2e-3))) + 1
        np.testing.assert_array_equal(sweep.results(case)["bob.position"], alone["bob.position"])
        with self.assertRaisesRegex(KeyError, "the table has no"):
            sweep["nothing"]

    def test_a_case_that_is_refused_is_named_and_the_others_run(self) -> None:
        cases = [{"body.bob.mass": m} for m in (1.0, -1.0, 3.0)]
        sweep = trammel.sweep(pendulum(0.05), cases=cases, folder=self.folder / "s", program=PROGRAM)
        self.assertEqual((sweep.failed, sweep.open), ([2], []))
        column = next(name for name in sweep[0] if "height" in name)
        self.assertEqual([math.isnan(x) for x in sweep[column]], [False, True, False])
        # Called again nothing is run again.
        written = [file.stat().st_mtime_ns for file in sorted((self.folder / "s").glob("case_*.h5"))]
        again = trammel.sweep(pendulum(0.05), cases=cases, folder=self.folder / "s", program=PROGRAM)
        self.assertEqual(written, [file.stat().st_mtime_ns for file in sorted((self.folder / "s").glob("case_*.h5"))])
        self.assertEqual(list(again), list(sweep))

    def test_what_cannot_be_planned_is_refused_by_name(self) -> None:
        with self.assertRaisesRegex(trammel.InputError, "masss"):
            trammel.sweep(pendulum(), {"body.bob.masss": [1, 2]}, folder=self.folder / "s", program=PROGRAM)
        with self.assertRaisesRegex(trammel.IoError, "is not found"):
            trammel.sweep(pendulum(), {"body.bob.mass": [1]}, folder=self.folder / "s", program="no_such_program")
        trammel.sweep(pendulum(0.01), {"body.bob.mass": [1]}, folder=self.folder / "t", program=PROGRAM)
        with self.assertRaisesRegex(trammel.InputError, "there is another plan"):
            trammel.sweep(pendulum(0.01), {"body.bob.mass": [1, 2]}, folder=self.folder / "t", program=PROGRAM)


if __name__ == "__main__":
    unittest.main()
