# SPDX-License-Identifier: Apache-2.0
"""Running: progress, threads, Ctrl-C, failures; what was computed is kept."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path

from support import PackageTest, pendulum

import trammel


class Running(PackageTest):
    def test_progress_is_told_and_may_stop_the_run(self) -> None:
        told: list[float] = []

        def progress(now: trammel.Progress) -> bool:
            told.append(now.t)
            return now.t < 0.5

        results = pendulum().run(progress=progress, progress_interval=0)
        self.assertFalse(results.completed)
        self.assertAlmostEqual(told[-1], 0.5, places=6)
        self.assertEqual(len(told), 500)
        self.assertAlmostEqual(results.time[-1], 0.5, places=2)

    def test_an_exception_of_progress_ends_the_run_and_carries_its_results(self) -> None:
        def progress(now: trammel.Progress) -> None:
            if now.t > 0.3:
                raise RuntimeError("enough")

        with self.assertRaisesRegex(RuntimeError, "enough") as caught:
            pendulum().run(progress=progress, progress_interval=0, file=self.folder / "run.h5")
        results = caught.exception.results  # type: ignore[attr-defined]
        self.assertAlmostEqual(results.time[-1], 0.3, places=2)
        self.assertIn("stopped by RuntimeError", trammel.open(self.folder / "run.h5").stop)

    def test_other_threads_go_on_while_it_runs(self) -> None:
        ticks: list[float] = []
        done = threading.Event()

        def tick() -> None:
            while not done.is_set():
                ticks.append(time.perf_counter())
                time.sleep(0.005)

        thread = threading.Thread(target=tick)
        thread.start()
        begin = time.perf_counter()
        pendulum(end=20, h=1e-4).run()
        end = time.perf_counter()
        done.set()
        thread.join()
        during = [t for t in ticks if begin < t < end]
        self.assertGreater(end - begin, 0.1)
        self.assertGreater(len(during), 3)  # with the lock held there would be none

    def test_the_interpreter_is_free_from_the_first_step_to_the_last(self) -> None:
        # Nobody is made to let go of the interpreter's lock (the interval is a day), so that another thread runs only where
        # it is let go: a run that held it would leave its beginning and its end to count, with nothing between.
        interval = sys.getswitchinterval()
        self.addCleanup(sys.setswitchinterval, interval)
        model = pendulum(end=2, h=1e-4)
        marks: list[str] = []
        ready = threading.Event()

        def run() -> None:
            ready.wait()
            marks.append("begun")
            model.run()
            marks.append("ended")

        thread = threading.Thread(target=run)
        thread.start()
        sys.setswitchinterval(86400)
        ready.set()
        turns = 0
        while "ended" not in marks:
            turns += "begun" in marks
            time.sleep(0)  # lets others have the lock
        thread.join()
        self.assertGreater(turns, 100)

    def test_two_runs_are_under_way_at_once(self) -> None:
        # Each waits in its first step for the other to be there: one after the other they would wait for ever.
        both = threading.Barrier(2, timeout=60)
        met: list[bool] = []

        def work() -> None:
            arrived = False

            def wait(now: trammel.Progress) -> None:
                nonlocal arrived
                if not arrived:
                    both.wait()
                    arrived = True

            pendulum(end=0.01).run(progress=wait, progress_interval=0)
            met.append(arrived)

        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(met, [True, True])

    def test_runs_in_two_threads_do_not_disturb_each_other(self) -> None:
        alone = pendulum(end=2).run()
        results: list[trammel.Results] = []
        threads = [
            threading.Thread(target=lambda i=i: results.append(pendulum(end=2).run(file=self.folder / f"{i}.h5")))
            for i in range(2)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for each in results:
            self.assertTrue((each["bob.position"] == alone["bob.position"]).all())

    def test_ctrl_c_stops_and_keeps_the_results(self) -> None:
        script = self.folder / "long.py"
        script.write_text(
            "import sys, trammel\n"
            "from support import pendulum\n"
            "print('running', flush=True)\n"
            "try:\n"
            "    pendulum(end=1e5).run(file=sys.argv[1])\n"
            "except trammel.Interrupted as stop:\n"
            "    print(len(stop.results), stop.results.completed, stop.results.stop, flush=True)\n"
            "    raise\n"
        )
        path = self.folder / "long.h5"
        process = subprocess.Popen(
            [sys.executable, str(script), str(path)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**__import__("os").environ, "PYTHONPATH": ":".join([str(Path(__file__).parent), *sys.path])},
        )
        assert process.stdout is not None
        self.assertEqual(process.stdout.readline(), "running\n")
        time.sleep(1.0)
        process.send_signal(signal.SIGINT)
        begin = time.perf_counter()
        out, error = process.communicate(timeout=60)
        self.assertLess(time.perf_counter() - begin, 10)
        self.assertNotEqual(process.returncode, 0)
        self.assertIn("False stopped by KeyboardInterrupt", out, error)
        results = trammel.open(path)
        self.assertEqual(out.split()[0], str(len(results)))
        self.assertFalse(results.completed)

    def test_numerical_failure_raises_the_report_with_the_results(self) -> None:
        model = pendulum()
        model.body("ball", kind="particle", mass=1)
        model.force("pull", kind="force", body="ball", force=["1/(0.25 - t)^0.5", 0, 0])
        with self.assertRaises(trammel.SimulationError) as caught:
            model.run()
        self.assertIn("t = 0.2", str(caught.exception))
        results = caught.exception.results
        assert results is not None
        self.assertGreater(len(results), 50)
        self.assertFalse(results.completed)


def call_fresh(script: str, *words: str) -> "subprocess.CompletedProcess[str]":
    """A new interpreter: what is imported here must not be imported there."""
    return subprocess.run(
        [sys.executable, "-c", script, *words],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": ":".join([str(Path(__file__).parent), *sys.path])},
    )


class Fresh(PackageTest):
    def test_threads_may_ask_for_the_first_arrays_at_once(self) -> None:
        script = """
import sys, threading
import trammel
from support import pendulum
assert "numpy" not in sys.modules
runs = [pendulum(end=0.02) for _ in range(8)]
ready = threading.Barrier(8)
lengths = []
def work(model):
    results = model.run()
    ready.wait()
    lengths.append(len(results["bob.position.z"]))
threads = [threading.Thread(target=work, args=(model,)) for model in runs]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(len(lengths), len(set(lengths)))
"""
        for _ in range(3):
            done = call_fresh(script)
            self.assertEqual(done.stdout.split(), ["8", "1"], done.stderr)

    def test_a_full_disk_is_an_io_error_and_the_interpreter_ends_as_usual(self) -> None:
        script = """
import resource, sys
import trammel
from support import pendulum
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))
try:
    pendulum(end=2).run(file=sys.argv[1])
    print("fine")
except trammel.IoError as error:
    print("refused" if "File too large" in str(error) else error)
"""
        for size in (4096, 60_000, 200_000, 400_000):
            done = call_fresh(script, str(self.folder / f"{size}.h5"), str(size))
            self.assertEqual((done.returncode, done.stdout), (0, "refused\n"), done.stderr)


if __name__ == "__main__":
    unittest.main()
