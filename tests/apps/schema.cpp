// SPDX-License-Identifier: Apache-2.0
#include "program.h"

namespace trammel::program {
namespace {

TEST(Schema, prints_what_may_stand_in_a_model_file) {
  const Folder folder;
  const Outcome json = call(folder, {"schema"});
  EXPECT_EQ(json.code, 0) << json.err;
  EXPECT_SAYS(json.out, "\"$schema\":\"http://json-schema.org/draft-07/schema#\"");
  EXPECT_SAYS(json.out, "\"exclusiveMinimum\":0");
  const Outcome shape = call(folder, {"schema", "--format", "markdown", "--table", "body.shape"});
  EXPECT_EQ(shape.code, 0) << shape.err;
  EXPECT_SAYS(shape.out, "| `inner_radius` | m | `0` | `cylinder`: ");
  const Outcome tyre = call(folder, {"schema", "--format", "markdown", "--table", "force", "--kind", "tyre"});
  EXPECT_SAYS(tyre.out, "| `carrier` |  | the wheel: it does not turn | the body that the wheel turns on");
  EXPECT_EQ(tyre.out.find("free_length"), std::string::npos);
  const Outcome stub = call(folder, {"schema", "--format", "python"});
  EXPECT_SAYS(stub.out, "kind: Optional[Literal[\"rigid\", \"planar\", \"particle\"]] = ...,");
}

TEST(Schema, refuses_tables_and_kinds_that_are_none) {
  const Folder folder;
  const Outcome table = call(folder, {"schema", "--format", "markdown", "--table", "bodi"});
  EXPECT_EQ(table.code, 2);
  EXPECT_SAYS(table.err, "there is no table 'bodi'; did you mean 'body'?");
  EXPECT_SAYS(table.err, "'beam.section'");
  EXPECT_EQ(call(folder, {"schema", "--format", "markdown", "--table", "force", "--kind", "tire"}).code, 2);
  EXPECT_EQ(call(folder, {"schema", "--format", "xml"}).code, 2);
}

}  // namespace
}  // namespace trammel::program
