// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Everything that a program which uses Trammel needs: models in code or from files, runs, results, pages and figures.
///
///   trammel::Study study;
///   study.model.add_body({.name = "rod", .mass = 2, …}).add_joint({…});
///   study.analysis.end = 5;
///   trammel::ResultsFile results("rod.h5");
///   const trammel::Summary summary = trammel::Simulation(study).run(results);

#include "trammel/base/error.h"
#include "trammel/base/threads.h"
#include "trammel/base/version.h"
#include "trammel/io/csv.h"
#include "trammel/io/figure.h"
#include "trammel/io/model_reader.h"
#include "trammel/io/report.h"
#include "trammel/io/results_file.h"
#include "trammel/io/results_reader.h"
#include "trammel/io/vtk.h"
#include "trammel/mechanics/make_beam.h"
#include "trammel/mechanics/model.h"
#include "trammel/simulation/annotated_sink.h"
#include "trammel/simulation/channels.h"
#include "trammel/simulation/live_simulation.h"
#include "trammel/simulation/machine_functions.h"
#include "trammel/simulation/option.h"
#include "trammel/simulation/record.h"
#include "trammel/simulation/settings_text.h"
#include "trammel/simulation/simulation.h"
#include "trammel/simulation/summary.h"
