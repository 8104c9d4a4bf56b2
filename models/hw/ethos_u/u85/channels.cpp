#include "models/hw/ethos_u/u85/channels.h"

#include <algorithm>

namespace dse::hw::ethos_u::u85 {
namespace {

constexpr double kUsed = 0.8;  // of bursts that may be under way, those that are; and of what they move then

double rate(const Npu& npu, Area a, double bursts, int latency) {
  const double most = npu.bytes_per_cycle(a);
  return latency == 0 ? most : std::min(most, npu.port(a).burst * bursts / latency * kUsed);
}

}  // namespace

double read_rate(const Npu& npu, Area a, Channel channel) {
  const MemoryPort& port = npu.port(a);
  const int entries = npu.acc().table85->read_buffer[static_cast<std::size_t>(channel)];
  const double held = static_cast<double>(entries) / std::max(1, port.burst / kReadEntry);
  return rate(npu, a, std::min(held, port.reads * npu.ports(a) * kUsed), port.read_latency);
}

double write_rate(const Npu& npu, Area a) {
  const MemoryPort& port = npu.port(a);
  return rate(npu, a, port.writes * npu.ports(a) * kUsed, port.write_latency);
}

}  // namespace dse::hw::ethos_u::u85
