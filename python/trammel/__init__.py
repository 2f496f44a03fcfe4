# SPDX-License-Identifier: Apache-2.0
"""Trammel simulates constrained mechanical systems: bodies, joined, driven, under forces.

    import trammel

    model = trammel.Model("Pendulum", gravity=[0, 0, -9.81])
    model.body("bob", kind="particle", mass=1, position=[1, 0, 0])
    model.joint("rod", kind="distance", bodies=["ground", "bob"], point=[0, 0, 0], point_b=[1, 0, 0])
    model.analysis(end=10)
    results = model.run()
    results["bob.position"]         # array [time, 3]

The keys are those of a model file, and so are the messages when something is wrong. A model file is read with
`trammel.load("pendulum.toml")`, results of an earlier run with `trammel.open("pendulum.h5")`.
"""

try:
    from trammel._core import Alarm, CheckReport, Frame, Issue, Progress, Summary, __version__
except ImportError as error:  # a wheel in a system without the libraries that it links
    if ".so" not in str(error):
        raise
    raise ImportError(
        f"Trammel's module cannot be loaded: {error}. On Debian 12: apt install libklu1 libspqr2 libhdf5-103-1 libfmt9"
    ) from None
from trammel.errors import Error, InputError, Interrupted, IoError, SimulationError
from trammel.functions import MachineFunctions
from trammel.gradient import Gradient, gradient
from trammel.model import Model, Vectorized, load, resume, run, vectorized
from trammel.results import Channel, Results, View, open, verify, write_report
from trammel.simulation import LiveEvent, Simulation, Values
from trammel.statistics import Statistics
from trammel.sweep import Sweep, sweep

__all__ = [
    "Channel",
    "Alarm",
    "CheckReport",
    "Error",
    "Frame",
    "Gradient",
    "InputError",
    "Interrupted",
    "IoError",
    "Issue",
    "LiveEvent",
    "MachineFunctions",
    "Model",
    "Progress",
    "Results",
    "Simulation",
    "SimulationError",
    "Statistics",
    "Summary",
    "Sweep",
    "Values",
    "Vectorized",
    "View",
    "__version__",
    "gradient",
    "load",
    "open",
    "resume",
    "run",
    "sweep",
    "vectorized",
    "verify",
    "write_report",
]
