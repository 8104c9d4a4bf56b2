// Operators whose tensors are larger than the nearest memory, between two convolutions: the search has a plan of its
// own, and its bytes are the interpreter's.
#include <gtest/gtest.h>

#include "models/hw/device_reader.h"
#include "tests/explore/layer/searched.h"
#include "tests/support/large/large_operators.h"

namespace dse::explore::pieces_search_test {
namespace {

void expect_op_searched(const std::string& device, const std::string& op, std::uint64_t seed) {
  SCOPED_TRACE(op + " on " + device);
  Diagnostics d;
  const auto whole = hw::read_device(device, {}, d);
  ASSERT_TRUE(whole) << d.text();
  constexpr std::int64_t kNear = 5 << 10;
  test::Random random(seed);
  Case c;
  c.network = test::large_operator(random, op, 3 * kNear, true);
  c.device = test::with_near_bytes(*whole, kNear);
  c.device_label = device;
  test_support::expect_searched(c);
}

TEST(Runnable, OperatorsBeyondTheNearestMemoryAreSearchedInPieces) {
  const char* const devices[] = {"gap8-class", "dsp-l1-l2-l3", "array-45nm"};
  std::uint64_t i = 0;
  for (const auto* op : {"mul by channel", "add channel", "pad 0 1", "pad channels", "concat of channels",
                         "concat of rows", "concat of columns", "concat of boxes", "resize bilinear by 2"}) {
    expect_op_searched(devices[i % 3], op, 3 * i + i % 3 + 1);
    ++i;
  }
}

}  // namespace
}  // namespace dse::explore::pieces_search_test
