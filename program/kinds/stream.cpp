#include "base/diagnostics.h"
#include "program/encoding.h"
#include "program/kinds.h"

namespace dse::program {

TaskCost CostModel::stream(int, std::span<const std::uint8_t>) const {
  throw InvariantError("this device has no engine that runs command streams");
}

namespace {

class StreamKind final : public TaskKind {
 public:
  std::string_view name() const override { return "stream"; }
  std::uint8_t code() const override { return 3; }
  void footprint(const TaskInstance& t, std::vector<Access>& out) const override {
    const auto& accesses = payload(*t.task).accesses;
    out.insert(out.end(), accesses.begin(), accesses.end());
  }
  TaskCost time(const TaskInstance& t, const CostModel& model) const override {
    const StreamPayload& p = payload(*t.task);
    TaskCost cost = model.stream(t.queue, p.commands);
    for (const std::int64_t m : p.macs) cost.macs += m;
    return cost;
  }
  /// The commands are the NPU's to execute: what they mean comes with them, or there is nothing that could.
  bool execute(const TaskInstance& t, const ByteSpace& bytes) const override {
    const StreamPayload& p = payload(*t.task);
    return p.meaning && p.meaning->execute(bytes);
  }
  void encode(const TaskTemplate& t, Encoder& out) const override {
    const StreamPayload& p = payload(t);
    out.varint(p.commands.size());
    for (const std::uint8_t b : p.commands) out.u8(b);
    out.varint(p.accesses.size());
    for (const Access& a : p.accesses) {
      out.varint(static_cast<std::uint64_t>(a.arena));
      out.varint(static_cast<std::uint64_t>(a.begin));
      out.varint(static_cast<std::uint64_t>(a.end - a.begin));
      out.u8(a.write ? 1 : 0);
    }
  }

 private:
  static const StreamPayload& payload(const TaskTemplate& t) { return static_cast<const StreamPayload&>(*t.payload); }
};

}  // namespace

const TaskKind& stream_kind() {
  static const StreamKind kind;
  return kind;
}

const StreamPayload* stream_of(const TaskTemplate& task) {
  return task.kind == &stream_kind() ? static_cast<const StreamPayload*>(task.payload.get()) : nullptr;
}

}  // namespace dse::program
