// An image that takes other RAM than a package promises, or more stack, is told.
#include "deploy/emulate/promise.h"

#include <gmock/gmock.h>

namespace dse::promise_test {
namespace {

using deploy::broken_promise;
using ::testing::HasSubstr;

TEST(Promise, ObjectsAreVariablesButThoseOfTheSelfTest) {
  EXPECT_EQ(deploy::objects_of("dse_arena_0 b 20000000 40\nruntime B 20000040 d3c\nemulate_laps b 1 4\n"
                               "table d 20001000 8\ndse_run T 100 20\nconstants R 200 400\nemulate_stack A 20\n"),
            0x40 + 0xd3c + 8);
}

TEST(Promise, IsBrokenByAByte) {
  EXPECT_EQ(broken_promise({}, 1000, 3000), "") << "none was made";
  EXPECT_EQ(broken_promise({1000, 3000}, 1000, 3000), "");
  for (const int other : {999, 1001})
    EXPECT_THAT(broken_promise({1000, 3000}, other, 3000), HasSubstr("linking gives " + std::to_string(other)));
  EXPECT_THAT(broken_promise({1000, 3000}, 1000, 3257), HasSubstr("the stack took 3257 bytes"));
}

}  // namespace
}  // namespace dse::promise_test
