#include <array>

#include "base/diagnostics.h"
#include "models/nn/kernels/dse_npu_stream.h"
#include "program/encoding.h"
#include "program/kinds.h"

namespace dse::program {

TaskCost CostModel::stream(int, std::span<const std::uint8_t>) const {
  throw InvariantError("this device has no engine that runs command streams");
}

namespace {

int operator_at(void* context, std::uint32_t number, dse_op* op) {
  const auto& p = *static_cast<const StreamPayload*>(context);
  const auto at = static_cast<std::int64_t>(number) - p.first_operator;
  if (at < 0 || at >= std::ssize(p.operators)) return 0;
  *op = *p.operators[static_cast<std::size_t>(at)];
  return 1;
}

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
  /// As the emulation does it that packages ship, so in the order of the stream.
  bool execute(const TaskInstance& t, const ByteSpace& bytes) const override {
    const StreamPayload& p = payload(*t.task);
    std::array<std::uint8_t*, DSE_MAX_ARENAS> bases{};
    std::array<std::uint32_t, DSE_MAX_ARENAS> sizes{};
    for (std::size_t a = 0; a < static_cast<std::size_t>(p.arenas); ++a)
      bases[a] = bytes.base(static_cast<int>(a)), sizes[a] = UINT32_MAX;  // the plan's checker knows them
    const auto meaning_bytes = static_cast<std::uint32_t>(p.meaning.size());
    std::vector<std::uint64_t> working((dse_npu_memory_bytes(p.meaning.data(), meaning_bytes) + 7) / 8);
    const dse_npu_machine machine{p.meaning.data(),
                                  meaning_bytes,
                                  bases.data(),
                                  sizes.data(),
                                  p.arenas,
                                  reinterpret_cast<std::uint8_t*>(working.data()),
                                  static_cast<std::uint32_t>(working.size() * 8),
                                  operator_at,
                                  const_cast<void*>(static_cast<const void*>(&p))};
    return dse_npu_execute(&machine, p.commands.data(), static_cast<std::uint32_t>(p.commands.size())) == DSE_NPU_OK;
  }
  void encode(const TaskTemplate& t, Encoder& out) const override {
    const StreamPayload& p = payload(t);
    for (const auto* part : {&p.commands, &p.meaning}) {
      out.varint(part->size());
      out.bytes().insert(out.bytes().end(), part->begin(), part->end());
    }
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
