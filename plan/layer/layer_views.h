// Where the operands of a layer lie: views of tensors at home, of rings in the nearest memory and of packed filters.
// Views never move; ranges do.
#pragma once
#include <string>

#include "plan/layer/layer.h"

namespace dse::plan {

class LayerViews {
 public:
  LayerViews(const LayerGeometry& geometry, const LayerOffsets& offsets) : g_(geometry), o_(offsets) {}

  /// Offset of one of the layer's own buffers. @throws InvariantError when there is none of that name.
  std::int64_t local(const std::string& name) const;
  program::View home_of_input(int i) const;
  program::View home_of_output() const;
  /// The input where the kernel reads it: at home, or a ring of rows and channels in the nearest memory.
  program::View input_view(int i) const;
  /// The output where the kernel writes it; a ring is laid out in the order of the tensor's home, so that stores are
  /// long runs.
  program::View output_view() const;
  /// Tiles of both on their way through another memory, laid out as at home.
  program::View input_between(int i) const;
  program::View output_between() const;
  /// Whole filter records (filter_major) at `offset`, `ring` of them (all output channels: no ring), as a copy sees
  /// them.
  program::View records(int arena, std::int64_t offset, std::int64_t ring) const;
  /// All weights without a gap (apart).
  program::View filters_apart(int arena, std::int64_t offset) const;
  /// Input planes of filters (plane_major): h = output channel, w = tap, c = input channel; 0 = no ring.
  program::View planes(int arena, std::int64_t offset, int out_channels, int ring_h, int ring_c) const;
  /// The ring of filter planes in the nearest memory.
  program::View near_planes() const;
  /// Partial sums (int32) of a tile, coordinates of the output.
  program::View partial_sums() const;
  /// Plain bytes along c.
  static program::View flat(int arena, std::int64_t offset);

  int filter_inputs() const { return g_.channelwise ? 1 : g_.op.in_c; }
  int taps() const { return g_.op.kernel_h * g_.op.kernel_w; }
  std::int64_t ring_records() const { return std::int64_t{g_.filters} * g_.nest.filters.depth; }

 protected:
  const LayerGeometry& g_;
  const LayerOffsets& o_;

 private:
  /// A ring of so many rows and channels (0: all that a tile has) of an input, or of the output.
  program::View input_ring(int i, int arena, std::int64_t offset, TensorLayout layout, int rows, int channels) const;
  program::View output_ring(int arena, std::int64_t offset, int rows, int channels) const;
};

}  // namespace dse::plan
