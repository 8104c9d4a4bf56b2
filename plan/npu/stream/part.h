// One kernel of a command stream.
#pragma once

namespace dse::plan::npu {

/// What a kernel of the stream computes: rows and channels of an operation.
struct Part {
  int operation = 0;
  int y0 = 0, y1 = 0, c0 = 0, c1 = 0;
};

}  // namespace dse::plan::npu
