#include "plan/npu/fetch_cost.h"

#include <algorithm>

#include "base/units.h"

namespace dse::plan::npu {

using namespace hw::ethos_u;

double fetch_cost(const Job& job, const Shape& in, const Block& ofm, const Block& fit, const Block& ifm) {
  const Shape& out = job.ofm.shape;
  const Unit unit = job.unit();
  double cost = 0;
  if (unit == Unit::elementwise) {
    cost = std::max(static_cast<double>(out.elements()) / static_cast<double>(ofm.elements()), 1.0);
  } else {
    const auto parts = [](int n, int of) { return static_cast<double>(n) / of; };
    const double whole = static_cast<double>(ceil_div(std::int64_t{out.h}, std::int64_t{fit.h}) *
                                             ceil_div(std::int64_t{out.w}, std::int64_t{fit.w}));
    double weights =
        (convolves(unit) ? static_cast<double>(job.kernel.rows() * job.kernel.columns()) : 0.0) * in.c * whole;
    if (unit != Unit::depthwise) weights *= fit.c * parts(out.c, fit.c);
    const double repeats = static_cast<double>(ceil_div(std::int64_t{job.kernel.columns()}, std::int64_t{kSubKernel}) *
                                               ceil_div(std::int64_t{job.kernel.rows()}, std::int64_t{kSubKernel}));
    double inputs = static_cast<double>(ifm.area()) * in.c * repeats * (parts(out.w, fit.w) * parts(out.h, fit.h));
    if (!by_channel(unit)) inputs *= static_cast<double>(ceil_div(std::int64_t{out.c}, std::int64_t{fit.c}));
    cost = (inputs + weights) / static_cast<double>(out.elements());
  }
  // Both buffers together hold the whole input.
  return in.elements() < ifm.elements() * 2 ? cost / 2 : cost;
}

}  // namespace dse::plan::npu
