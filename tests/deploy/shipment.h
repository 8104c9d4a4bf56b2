// Packages of single plans, for tests.
#pragma once
#include <unistd.h>

#include <filesystem>

#include "deploy/export/package.h"
#include "dse_runtime.h"

namespace dse::test {

/// `program` must outlive it.
inline deploy::Shipment shipment_of(const program::Program& program, std::vector<std::uint8_t> constants,
                                    deploy::ByteVectors inputs, deploy::ByteVectors outputs) {
  deploy::Shipment s;
  s.points.resize(1);
  s.points[0].id = program.plan_id;
  s.points[0].program = {std::shared_ptr<void>(), &program};
  s.points[0].constants = std::move(constants);
  s.inputs = std::move(inputs), s.outputs = std::move(outputs);
  s.tool = "a test";
  return s;
}

/// A folder of this test's own that does not exist.
inline std::filesystem::path fresh_folder(const std::string& name) {
  const auto folder = std::filesystem::path(DSE_BINARY_DIR) / "test-packages" / (name + std::to_string(::getpid()));
  std::filesystem::remove_all(folder);
  return folder;
}

/// Memory for the arenas of a program that is open, aligned as it asks.
class ArenaMemory {
 public:
  explicit ArenaMemory(const dse_runtime& rt, std::uint8_t fill = 0x5A) {
    for (std::int32_t i = 0; i < dse_arena_count(&rt); ++i) {
      const std::uint32_t size = dse_arena_size(&rt, i), alignment = dse_arena_alignment(&rt, i);
      memory_.emplace_back(size + alignment, fill);
      const auto at = reinterpret_cast<std::uintptr_t>(memory_.back().data());
      arenas_.push_back({memory_.back().data() + (alignment - at % alignment) % alignment, size});
    }
  }
  const dse_arena* data() const { return arenas_.data(); }
  std::int32_t count() const { return static_cast<std::int32_t>(arenas_.size()); }
  dse_arena& operator[](std::size_t i) { return arenas_[i]; }
  const dse_arena& operator[](std::size_t i) const { return arenas_[i]; }

 private:
  std::vector<std::vector<std::uint8_t>> memory_;
  std::vector<dse_arena> arenas_;
};

}  // namespace dse::test
