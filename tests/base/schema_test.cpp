#include "base/yaml/schema.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/base/example.h"

namespace dse::yaml::schema_test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

json schema() { return json::parse(json_schema(example::fields(), "example.json")); }

TEST(JsonSchema, HasWhatTheDeclarationsSay) {
  const auto j = schema();
  EXPECT_EQ(j["$schema"], "https://json-schema.org/draft/2020-12/schema");
  EXPECT_EQ(j["type"], "object");
  EXPECT_EQ(j["additionalProperties"], false);
  EXPECT_EQ(j["required"], json::array({"main", "parts"}));
  const auto& p = j["properties"];
  EXPECT_EQ(p["format"]["const"], 1);
  EXPECT_EQ(p["title"]["default"], "untitled");
  EXPECT_EQ(p["title"]["description"], "what it is");
  EXPECT_EQ(p["on"]["default"], true);
  EXPECT_EQ(p["colour"]["enum"], json::array({"red", "green"}));
  EXPECT_EQ(p["colour"]["default"], "green");
  EXPECT_EQ(p["limit"]["anyOf"][0]["minimum"], 1);
  EXPECT_EQ(p["limit"]["anyOf"][0]["maximum"], 1000000);
  EXPECT_FALSE(p["limit"].contains("default"));
  EXPECT_EQ(p["energy"]["default"], "1.5 pJ/B");
  const auto& part = p["parts"]["additionalProperties"];
  EXPECT_EQ(part["required"], json::array({"size"}));
  EXPECT_EQ(part["properties"]["count"]["default"], 3);
  EXPECT_EQ(part["properties"]["size"]["pattern"], pattern_of(unit::bytes));
  EXPECT_EQ(p["table"]["propertyNames"]["enum"], json::array({"conv", "add"}));
  EXPECT_EQ(p["links"]["items"]["minItems"], 2);
}

TEST(JsonSchema, ATaggedObjectHasOneAlternativePerKind) {
  const auto shapes = schema()["properties"]["shapes"]["additionalProperties"];
  ASSERT_EQ(shapes["oneOf"].size(), 2u);
  EXPECT_EQ(shapes["oneOf"][0]["properties"]["kind"]["const"], "square");
  EXPECT_EQ(shapes["oneOf"][0]["required"], json::array({"kind", "side"}));
  EXPECT_EQ(shapes["oneOf"][1]["properties"]["radius"]["default"], 7);
  EXPECT_EQ(shapes["oneOf"][1]["additionalProperties"], false);
}

TEST(Reference, ListsEveryFieldWithUnitAndDefault) {
  const auto text = reference(example::fields());
  EXPECT_THAT(text, HasSubstr("### Document"));
  EXPECT_THAT(text, HasSubstr("| `size` | how large | size, 1 B to 1 MiB | required |"));
  EXPECT_THAT(text, HasSubstr("### `parts.<name>`"));
  EXPECT_THAT(text, HasSubstr("### `shapes.<name>` with `kind: circle`"));
  EXPECT_THAT(text, HasSubstr("| `rate` | how fast | bandwidth, 0 B/cycle to 8 B/cycle | `0.5 B/cycle` |"));
}

}  // namespace
}  // namespace dse::yaml::schema_test
