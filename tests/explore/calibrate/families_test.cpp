// Families of networks against what was published of their members.
#include "explore/calibrate/families.h"

#include <gtest/gtest.h>

#include "models/nn/import.h"

namespace dse::explore::families_test {
namespace {

TEST(Families, MobileNetsHaveThePublishedWork) {
  // Multiply-accumulates in millions and parameters in millions, as the papers and TensorFlow's model list have them
  // (parameters with biases in place of batch normalisation).
  struct Row {
    const char* name;
    double macs, parameters;
  };
  for (const Row& row : {Row{"mobilenet-v1-1.0-224", 569, 4.24}, Row{"mobilenet-v1-1.0-128", 186, 4.24},
                         Row{"mobilenet-v1-0.75-192", 239, 2.59}, Row{"mobilenet-v1-0.5-160", 77, 1.34},
                         Row{"mobilenet-v1-0.25-128", 13.6, 0.47}, Row{"mobilenet-v2-1.0-224", 300, 3.47}}) {
    const auto n = network_of_family(row.name);
    ASSERT_TRUE(n) << row.name;
    EXPECT_NEAR(static_cast<double>(n->macs()) / 1e6, row.macs, 0.02 * row.macs) << row.name;
    EXPECT_NEAR(static_cast<double>(n->parameters()) / 1e6, row.parameters, 0.02 * row.parameters) << row.name;
  }
}

TEST(Families, AreWhatIsShippedOfThem) {
  const auto same = [](const std::string& name, const std::string& shipped) {
    Diagnostics d;
    const auto a = network_of_family(name),
               b = nn::load_network(DSE_SOURCE_DIR "/configs/networks/" + shipped + ".yaml", d);
    ASSERT_TRUE(a && b) << name << d.text();
    EXPECT_EQ(a->macs(), b->macs()) << name;
    EXPECT_EQ(a->parameters(), b->parameters()) << name;
  };
  same("mobilenet-v1-0.25-96x2", "mobilenet-v1-0.25-96");
  same("mobilenet-v2-1.0-224x1000", "mobilenet-v2-1.0-224");
}

TEST(Families, ClassesAndWhatIsNoFamily) {
  const auto ten = network_of_family("mobilenet-v1-0.25-96x10");
  ASSERT_TRUE(ten);
  EXPECT_EQ(ten->tensors[static_cast<std::size_t>(ten->outputs[0])].shape.back(), 10);
  for (const char* none : {"", "resnet8", "mobilenet-v3-1.0-224", "mobilenet-v1-9-224", "mobilenet-v1-1.0-8",
                           "mobilenet-v1-1.0-224y", "mobilenet-v1-1.0-224x", "mobilenet-v1-nan-224"})
    EXPECT_FALSE(network_of_family(none)) << none;
}

}  // namespace
}  // namespace dse::explore::families_test
