// SPDX-License-Identifier: Apache-2.0
#include <regex>

#include "claims/run_model.h"
#include "trammel/simulation/diagnosis.h"
#include "trammel/simulation/rejected_steps.h"

namespace trammel::test_failures {
namespace {

std::string read_page() {
  std::ifstream file(places::source_dir() / "docs/replay.md");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Numbers that the program puts in are left out on the page: "solver.rtol (1e-05)".
std::string without_values(const std::string& text) {
  return std::regex_replace(text, std::regex(" \\([0-9.e+-]+\\)"), "");
}

TEST(Failures, the_page_says_of_every_cause_what_the_program_says) {
  const std::string page = read_page();
  for (int i = 1; i < n_causes; ++i) {
    const auto cause = static_cast<Cause>(i);
    if (cause == Cause::user_stop) continue;
    EXPECT_NE(page.find(describe(cause)), page.npos) << describe(cause);
    for (const bool fixed : {false, true}) {
      SolverOptions options;
      if (fixed) options.h = 1e-3;
      const std::string said = without_values(advice(cause, options));
      EXPECT_NE(page.find(said), page.npos) << said;
    }
  }
  for (const bool by_newton : {false, true})
    EXPECT_NE(page.find(advice_on_rejected(by_newton)), page.npos) << advice_on_rejected(by_newton);
}

// Two forces of the same size: one that goes slowly, one that jumps to and fro 100 times a second.
TEST(Failures, rejected_steps_name_the_force_that_changes) {
  const std::string model = R"toml(
[[body]]
name = "mass"
kind = "particle"
mass = 1
[[force]]
name = "slow"
kind = "force"
body = "mass"
force = ["10*sin(t)", 0, 0]
[[force]]
name = "chatter"
kind = "force"
body = "mass"
force = ["10*tanh(1e4*sin(314*t + 20*mass.x))", 0, 0]
[analysis]
end = 1
[solver]
integrator = "radau"
)toml";
  const Recorded recorded = run_text(model);
  const auto told = std::find_if(recorded.summary.notes.begin(), recorded.summary.notes.end(),
                                 [](const std::string& note) { return note.starts_with("rejected "); });
  ASSERT_NE(told, recorded.summary.notes.end()) << recorded.summary.to_text();
  EXPECT_NE(told->find("force 'chatter' changed most"), told->npos) << *told;
  EXPECT_EQ(told->find("'slow'"), told->npos) << *told;
  const Recorded quiet = run_text(model, {"force.chatter.force=[0, 0, 0]"});
  for (const std::string& note : quiet.summary.notes) EXPECT_FALSE(note.starts_with("rejected ")) << note;
}

}  // namespace
}  // namespace trammel::test_failures
