// The tasks of a tiled layer: copies of rows, channels and filters, calls, stores. In which order they are issued is
// said by the loop nests (plan/layer/schemes).
#pragma once
#include <algorithm>
#include <utility>
#include <vector>

#include "plan/layer/layer_views.h"

namespace dse::plan {

/// Slots: what later tasks of the section can wait for.
enum Slot : std::uint8_t { kStage, kParams, kWeights, kInput0, kInput1, kCompute, kStore };

class LayerTasks : protected LayerViews {
 public:
  LayerTasks(program::Program& p, const LayerContext& c, const LayerGeometry& g, const LayerOffsets& o)
      : LayerViews(g, o), p_(p), device_(*c.device) {
    p_.operators.push_back(g.op);
    kernel_ = static_cast<int>(p_.operators.size()) - 1;
    assign_loops();
  }

 protected:
  using Dependency = program::Dependency;
  using Range = program::Range;
  using View = program::View;

  /// Age of "the one before the prefetch that was just issued".
  std::uint8_t held() const { return double_() ? 1 : 0; }

  void assign_loops();
  void open(int loop, int count) {
    if (loop >= 0) p_.loop(count);
  }
  void close(int loop) {
    if (loop >= 0) p_.end();
  }

  void copy(const View& from, const View& to, Range y, Range x, Range c, Slot slot, int channel,
            std::vector<Dependency> after);

  /// Rows of the input that output tiles up to and including tile i need: need(i) = first_need_ + (i + 1) * fresh,
  /// clamped.
  int fresh() const { return g_.tile * g_.op.stride_h; }
  int first_need() const { return (g_.op.kernel_h - 1) * g_.op.dilation_h + 1 - g_.op.stride_h - g_.op.pad_top; }
  int last_row() const {
    const int need = (g_.op.out_h - 1) * g_.op.stride_h + (g_.op.kernel_h - 1) * g_.op.dilation_h + 1 - g_.op.pad_top;
    return std::clamp(need, 0, g_.op.in_h);
  }
  Range first_rows() const { return {0, std::max(0, first_need() + fresh()), last_row(), 0, -1}; }
  Range next_rows() const {  // those of tile i + 1 that tile i did not need
    return {first_need() + fresh(), first_need() + 2 * fresh(), last_row(), fresh(),
            static_cast<std::int8_t>(row_loop_)};
  }
  Range band_rows() const {  // all rows of the window of tile i
    const int window = (g_.tile - 1) * g_.op.stride_h + (g_.op.kernel_h - 1) * g_.op.dilation_h + 1;
    return {-g_.op.pad_top, -g_.op.pad_top + window, g_.op.in_h, fresh(), static_cast<std::int8_t>(row_loop_)};
  }
  /// Input channels of set f (+ ahead) for channelwise operators; all of them otherwise.
  Range input_channels(int ahead) const {
    if (!g_.channelwise || g_.sets == 1) return Range::whole(g_.op.in_c);
    return Range::tiles(set_loop_, g_.inputs[0].tile_c ? g_.inputs[0].tile_c : channels_per_set(), g_.op.in_c, ahead);
  }
  int channels_per_set() const {
    return g_.filters / (g_.op.kind == DSE_DEPTHWISE_CONV_2D ? std::max(1, g_.op.multiplier) : 1);
  }
  Range first_channels() const {
    if (!g_.channelwise || g_.sets == 1) return Range::whole(g_.op.in_c);
    return {0, channels_per_set(), g_.op.in_c, 0, -1};
  }
  void load_inputs(const Range& rows, const Range& channels, const std::vector<Dependency>& after) {
    for (int i = 0; i < g_.input_count; ++i)
      if (!g_.inputs[i].in_place)
        copy(home_of_input(i), input_view(i), rows, Range::whole(g_.op.in_w), channels, i ? kInput1 : kInput0, 0,
             after);
  }
  bool tiled_inputs() const {
    for (int i = 0; i < g_.input_count; ++i)
      if (!g_.inputs[i].in_place) return true;
    return false;
  }
  bool copies_weights() const { return g_.form != WeightForm::none && !g_.weights_in_place; }

  /// Filter records: V brings them to the staging memory, W from there (or from where they are) to the nearest memory.
  void stage(const Range& rows, std::vector<Dependency> after) {
    const std::int64_t ring = g_.staging == Staging::sets ? ring_records() : g_.op.out_c;
    copy(records(g_.weights_from, o_.weights, g_.op.out_c), records(g_.stage_memory, local("stage"), ring), rows,
         Range::whole(1), Range::whole(static_cast<int>(g_.record)), kStage, 0, std::move(after));
  }
  void load_weights(const Range& rows, std::vector<Dependency> after);
  Range set_records(int ahead) const { return Range::tiles(set_loop_, g_.filters, g_.op.out_c, ahead); }
  Range first_set() const { return {0, g_.filters, g_.op.out_c, 0, -1}; }
  Range second_set() const { return {g_.filters, 2 * g_.filters, g_.op.out_c, 0, -1}; }
  /// Unless the layer before has done so.
  bool stages_now() const { return g_.stage_memory >= 0 && !g_.prefetched; }
  bool staged_by_set() const { return g_.stage_memory >= 0 && g_.staging == Staging::sets && g_.sets > 1; }

  void first_weights() {
    if (!copies_weights()) return;
    if (stages_now()) stage(staged_by_set() ? first_set() : Range::whole(g_.op.out_c), {});
    if (!g_.prefetched || g_.stage_memory >= 0) load_weights(first_set(), {});
    if (staged_by_set() && double_()) stage(second_set(), {});
  }
  void next_weights() {  // set f + 1 while set f computes, or after it
    if (!copies_weights() || g_.sets == 1) return;
    if (staged_by_set() && !double_()) stage(set_records(1), {{kWeights, 0}});
    load_weights(set_records(1), {{kCompute, 0}});
    if (staged_by_set() && double_()) stage(set_records(2), {{kWeights, 1}});
  }

  void compute(std::vector<Dependency> after);
  void weights_of(program::CallPayload& call) const;
  void store(const Range& channels) {
    if (g_.output_in_place) return;
    copy(output_view(), home_of_output(), Range::tiles(row_loop_, g_.tile, g_.op.out_h), Range::whole(g_.op.out_w),
         channels, kStore, 1, {{kCompute, 0}});
  }
  /// Compute writes a slot of the output ring that the store before the last (or, single-buffered, the last) must have
  /// emptied.
  bool restarts_on_same_slot() const { return g_.sets > 1 && g_.tiles > 1 && g_.tiles % 2 == 1 && double_(); }
  Dependency output_free(bool by_load) const {
    return {kStore, static_cast<std::uint8_t>(double_() && (by_load || !restarts_on_same_slot()) ? 1 : 0)};
  }
  void stage_all() {
    copy(flat(g_.weights_from, o_.weights), flat(g_.stage_memory, local("stage")), Range::whole(1), Range::whole(1),
         Range::whole(static_cast<int>(g_.weight_bytes)), kStage, 0, {});
  }
  void load_params();

  int record_head() const { return dse_record_bytes(&g_.op); }

  program::Program& p_;
  const hw::Device& device_;
  int kernel_ = 0, set_loop_ = -1, row_loop_ = -1, step_loop_ = -1;
};

}  // namespace dse::plan
