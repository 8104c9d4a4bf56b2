// Where the tasks of a segment by phases find rows and filters.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "plan/layer/whole/whole_layer.h"
#include "plan/segment/phased.h"

namespace dse::plan {

class PhasedViews {
 public:
  using View = program::View;
  using BufferOf = std::function<const PlacedBuffer&(const std::string&)>;

  PhasedViews(const nn::Network& n, const Plan& plan, const PhasedPlan& phased, int segment,
              const std::vector<LayerGeometry>& geometry, const BufferOf& buffer);

 protected:
  int driver() const { return plan_.segments[static_cast<std::size_t>(segment_)].operators.back(); }
  const NearRows* near(int tensor) const;
  /// Columns of a layer of the segment in the current strip; nothing where it does not run in strips.
  std::optional<shared::Columns> columns_of(int op) const;
  const PlacedBuffer& home_of(int tensor) const { return buffer_("t" + std::to_string(tensor)); }
  /// Rows of a whole tensor, or of a ring of `ring` of them.
  View rows_view(int tensor, int arena, std::int64_t offset, std::int64_t ring) const;
  View home_view(int tensor) const;
  View near_view(const NearRows& r) const;
  const PlacedBuffer& weights_of(int op) const;
  View place(int op, const ConstantBlob& blob, const nn::KernelCall::Operand& operand, int role) const;

  const nn::Network& n_;
  const Plan& plan_;
  const PhasedPlan& phased_;
  int segment_;
  const std::vector<LayerGeometry>& geometry_;
  const BufferOf& buffer_;
  std::vector<int> root_;
  int strip_ = 0;  // the current one
};

}  // namespace dse::plan
