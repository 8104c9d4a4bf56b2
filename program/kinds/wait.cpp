#include "program/encoding.h"
#include "program/kinds.h"

namespace dse::program {

namespace {

class WaitKind final : public TaskKind {
 public:
  std::string_view name() const override { return "wait"; }
  std::uint8_t code() const override { return 4; }
  void footprint(const TaskInstance&, std::vector<Access>&) const override {}
  TaskCost time(const TaskInstance&, const CostModel&) const override { return {}; }  // control's cost, not an engine's
  bool execute(const TaskInstance&, const ByteSpace&) const override { return true; }
  void encode(const TaskTemplate& t, Encoder& out) const override {
    out.u8(static_cast<const WaitPayload&>(*t.payload).all ? 1 : 0);
  }
  bool is_wait() const override { return true; }
};

}  // namespace

const TaskKind& wait_kind() {
  static const WaitKind kind;
  return kind;
}

}  // namespace dse::program
