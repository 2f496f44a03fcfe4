# SPDX-License-Identifier: Apache-2.0
"""Results as arrays, in memory and in files; broken files and names are refused in plain words."""

from __future__ import annotations

import unittest

import h5py
import numpy as np
from support import PackageTest, pendulum

import trammel


class InMemory(PackageTest):
    @classmethod
    def setUpClass(cls) -> None:
        cls.results = pendulum().run()

    def test_channels_are_views_of_one_memory(self) -> None:
        whole, column = self.results["bob.position"], self.results["bob.position.z"]
        self.assertEqual(whole.shape, (501, 3))
        self.assertFalse(whole.flags.owndata or column.flags.owndata or self.results.time.flags.owndata)
        self.assertTrue(np.shares_memory(whole, column))
        np.testing.assert_array_equal(whole[:, 2], column)
        np.testing.assert_array_equal(self.results["height"], column)
        self.assertFalse(whole.flags.writeable)

    def test_views_outlive_the_results(self) -> None:
        column = pendulum(end=0.01).run()["bob.position.x"]
        self.assertEqual(column[0], 1.0)

    def test_channels_of_the_solver_have_its_times(self) -> None:
        channel = self.results.channel("solver.h")
        self.assertEqual(channel.unit, "s")
        self.assertEqual(len(channel.time), len(channel.values))
        np.testing.assert_array_equal(channel.time, self.results.step_time)
        np.testing.assert_allclose(channel.values, 1e-3)

    def test_an_unknown_channel_is_refused_with_the_nearest_name(self) -> None:
        with self.assertRaisesRegex(trammel.InputError, "did you mean 'bob.position'"):
            self.results["bob.positon"]

    def test_the_summary_says_why_it_stopped(self) -> None:
        self.assertTrue(self.results.completed)
        self.assertIn("reached the end", self.results.stop)
        self.assertIn("reached the end", str(self.results))
        self.assertEqual(self.results.statistics.steps, 1000)

    def test_a_notebook_shows_the_report_and_stays_small(self) -> None:
        self.assertLess(len(self.results._repr_html_()), 5_000)
        self.assertIn("1000", self.results._repr_html_())
        view = self.results.view(self.folder / "shown.html")
        self.assertLess(len(view._repr_html_()), 1_000)
        self.assertIn("shown.html", view._repr_html_())
        self.assertGreater((self.folder / "shown.html").stat().st_size, 100_000)

    def test_statistics_are_a_mapping_and_attributes_of_runs_and_files(self) -> None:
        now = self.results.statistics
        self.assertEqual(now["steps"], now.steps)
        self.assertEqual(dict(now)["degrees_of_freedom"], 2)
        self.assertIn("steps", dir(now))
        self.assertIn("reached the end", str(now))
        with self.assertRaisesRegex(AttributeError, "no 'stepz'; they have"):
            now.stepz
        later = trammel.open(self.results.save(self.folder / "kept.h5")).statistics
        self.assertEqual((later.steps, later.completed), (1000, True))
        self.assertAlmostEqual(later["energy_drift"], now.energy_drift)

    def test_tables_of_pandas_have_time_as_index_and_a_column_for_each_number(self) -> None:
        try:
            import pandas  # noqa: F401
        except ImportError:
            self.skipTest("pandas is not installed")
        table = self.results.to_dataframe(["bob.position", "height"])
        self.assertEqual(list(table.columns), ["bob.position.x", "bob.position.y", "bob.position.z", "height"])
        self.assertTrue((table["height"].to_numpy() == self.results["bob.position.z"]).all())
        self.assertTrue((table.index.to_numpy() == self.results.time).all())
        whole = self.results.to_dataframe()
        self.assertIn("bob.velocity.y", whole.columns)
        self.assertNotIn("bob.velocity", whole.columns)
        with self.assertRaisesRegex(ValueError, "times of its own"):
            self.results.to_dataframe(["bob.position", "solver.h"])

    def test_plots_are_those_of_matplotlib(self) -> None:
        try:
            import matplotlib
        except ImportError:
            self.skipTest("matplotlib is not installed")
        matplotlib.use("Agg")
        axes = self.results.plot("bob.position.z", over="bob.position.x")
        line = axes.get_lines()[0]
        self.assertTrue((line.get_xdata() == self.results["bob.position.x"]).all())
        self.assertEqual(axes.get_xlabel(), "bob.position.x [m]")
        self.assertEqual(len(self.results.plot().get_lines()), 1)  # the measure

    def test_what_is_not_installed_is_named(self) -> None:
        from trammel.results import _import

        with self.assertRaisesRegex(ImportError, r"plot\(\) needs no_such_module \(Debian: python3-none\)"):
            _import("no_such_module.pyplot", "python3-none", "plot()")

    def test_saved_results_are_the_same_numbers(self) -> None:
        file = trammel.open(self.results.save(self.folder / "saved.h5"))
        self.assertEqual(file.channels, self.results.channels)
        for name in file.channels:
            np.testing.assert_array_equal(file[name], self.results[name])
        self.assertEqual(file.summary, self.results.summary)
        self.assertEqual(file.channel("height").unit, "m")

    def test_reports_and_tables_are_written(self) -> None:
        other = pendulum(h=1e-2).run()
        page = trammel.write_report([self.results, other], self.folder / "both.html", title="Two")
        self.assertIn("<title>Two", page.read_text(encoding="utf-8"))
        tables = [path.name for path in self.results.export_csv(self.folder / "tables")]
        self.assertIn("position.csv", tables)


class InFiles(PackageTest):
    def test_a_run_into_a_file_is_read_by_this_package_and_by_h5py(self) -> None:
        path = self.folder / "run.h5"
        results = pendulum().run(file=path)
        self.assertEqual(results.file, path)
        with h5py.File(path) as file:
            np.testing.assert_array_equal(file["/bodies/bob/position"][:], results["bob.position"])
            np.testing.assert_array_equal(file["/time"][:], results.time)

    def test_files_that_cannot_be_results_are_refused_plainly(self) -> None:
        good = pendulum().run(file=self.folder / "good.h5").file
        assert good is not None
        whole = good.read_bytes()
        with h5py.File(self.folder / "foreign.h5", "w") as file:
            file["x"] = np.zeros(3)
        (self.folder / "empty.h5").write_bytes(b"")
        (self.folder / "text.h5").write_text("not a results file")
        (self.folder / "truncated.h5").write_bytes(whole[: len(whole) // 3])
        for name, words in [
            ("missing.h5", "no such file"),
            ("empty.h5", "it is empty"),
            ("text.h5", "it is not an HDF5 file"),
            ("foreign.h5", "not a results file of Trammel"),
            ("truncated.h5", "damaged or truncated"),
            (".", "it is a directory"),
        ]:
            with self.subTest(name), self.assertRaisesRegex(trammel.IoError, words):
                trammel.open(self.folder / name)

    def test_every_truncation_is_refused_or_read(self) -> None:
        good = pendulum(end=0.05).run(file=self.folder / "good.h5").file
        assert good is not None
        whole = good.read_bytes()
        cut = self.folder / "cut.h5"
        refused = 0
        for length in range(0, len(whole), max(1, len(whole) // 40)):
            cut.write_bytes(whole[:length])
            try:
                trammel.open(cut)["bob.position"]
            except trammel.Error:
                refused += 1
        self.assertGreater(refused, 30)

    def test_a_file_that_cannot_be_written_is_an_io_error(self) -> None:
        with self.assertRaises(trammel.IoError):
            pendulum().run(file=self.folder / "no" / "such" / "folder.h5")

    def test_results_without_frames_are_empty_arrays(self) -> None:
        path = self.folder / "stopped.h5"
        pendulum(end=0.05).run(file=path)
        with h5py.File(path, "a") as file:  # as a run leaves it that was killed before its first frame
            file["/time"].resize((0,))
        results = trammel.open(path)
        self.assertEqual(len(results), 0)
        self.assertEqual(results["bob.position"].shape, (0, 3))
        self.assertIn("<th>frames</th><td>0</td>", results._repr_html_())

    def test_numbers_that_are_not_finite_stay_and_are_shown(self) -> None:
        path = self.folder / "nan.h5"
        pendulum(end=0.05).run(file=path)
        with h5py.File(path, "a") as file:
            file["/frames/position"][3, 0, 1] = np.nan
        results = trammel.open(path)
        self.assertTrue(np.isnan(results["bob.position.y"][3]))
        self.assertEqual(np.isnan(results["bob.position"]).sum(), 1)
        self.assertGreater(results.report(self.folder / "nan.html").stat().st_size, 10_000)

    def test_verify_names_what_is_damaged_and_the_rest_is_read(self) -> None:
        path = self.folder / "run.h5"
        pendulum(end=0.05).run(file=path)
        self.assertEqual(trammel.verify(path), {})
        with h5py.File(path, "a") as file:
            file["/frames/position"][3, 0, 1] += 1e-9
            file["my_note"] = 1
        self.assertEqual(list(trammel.verify(path)), ["/frames/position"])
        with h5py.File(path, "a") as file:
            file["/frames/position"].resize((10**12, 1, 3))
        self.assertIn("announces more", trammel.verify(path)["/frames/position"])
        self.assertEqual(len(trammel.open(path)["bob.velocity"]), len(trammel.open(path)))


if __name__ == "__main__":
    unittest.main()
