// The tasks of a tiled layer: copies of rows, channels and filters, calls, stores, issued as the nest says.
#pragma once
#include <utility>
#include <vector>

#include "plan/layer/layer_views.h"

namespace dse::plan {

class NestTasks : private LayerViews {
 public:
  NestTasks(program::Program& p, const LayerContext& c, const LayerGeometry& g, const LayerOffsets& o);
  /// Appends the tasks of the layer's section, but for the Wait that ends it.
  void emit();

 private:
  using Dependency = program::Dependency;
  using Dependencies = std::vector<Dependency>;
  using Range = program::Range;
  using View = program::View;

  /// Slots: what later tasks of the section can wait for.
  enum Slot : std::uint8_t {
    kStage,
    kParams,
    kWeights,
    kInput0,
    kInput1,
    kCompute,
    kStore,
    kBetween0,
    kBetween1,
    kHome
  };

  /// Which turn of its loop a load is for: a certain one, before the loop; or the one so many ahead, in it.
  struct Turn {
    int number = 0;
    bool ahead = false;
  };

  // The loops, nest_emit.cpp.
  void turns(int level);
  void parameters(int level);
  void begin(int level);
  void ahead(int level);
  void behind(int level);
  void finish(int level);
  bool waits_for_stores(const Stream& stream) const;

  // Operands.
  void load_inputs(Turn turn, const Dependencies& after);
  void bring_inputs(Turn turn, const Dependencies& after);
  struct InputPart {
    Range rows, channels;
  };
  InputPart part_of(Turn turn) const;
  void load_filters(Turn turn, const Dependencies& after);
  void load_records(Turn turn, Dependencies after);
  void load_planes(Turn turn, Dependencies after);
  void load_parameters();
  void compute();
  void store();

  // Where filters come through another memory. Unless the layer before has brought them there.
  bool stages() const { return copies_filters() && g_.stage_memory >= 0; }
  bool stages_now() const { return stages() && !g_.prefetched; }
  bool stages_sets() const { return stages() && g_.staging == Staging::sets && g_.sets > 1; }
  void stage_all();
  void stage_set(Turn turn, Dependencies after);

  bool copies_filters() const { return g_.form != WeightForm::none && !g_.weights_in_place; }
  bool copies_inputs() const;
  /// The first copies into rings that the loops outside may have filled wait for what read them.
  Dependencies free_at(int level) const { return level > 0 ? Dependencies{{kCompute, 0}} : Dependencies{}; }

  // Ranges.
  Range along(Loop loop, int size, int all, Turn turn) const {
    const int n = turn.number;
    if (turn.ahead) return Range::tiles(index(loop), size, all, n);
    return {n * size, (n + 1) * size, all, 0, -1};
  }
  /// Of the turn that is computed.
  Range now(Loop loop, int size, int all) const { return Range::tiles(index(loop), size, all); }
  int index(Loop loop) const { return g_.nest.index(loop); }
  Range rows_of(Turn turn) const;
  Range band() const;
  Range sets_now() const { return now(Loop::sets, g_.filters, g_.op.out_c); }

  void copy(const View& from, const View& to, Range y, Range x, Range c, Slot slot, int channel, Dependencies after);
  void filters_of(program::CallPayload& call) const;
  int record_head() const { return dse_record_bytes(&g_.op); }

  program::Program& p_;
  const hw::Device& device_;
  int kernel_ = 0;
};

}  // namespace dse::plan
