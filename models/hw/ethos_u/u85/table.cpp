#include "models/hw/ethos_u/u85/table.h"

namespace dse::hw::ethos_u::u85 {
namespace {

constexpr std::array kMicro128{Block{1, 2, 8}, Block{1, 1, 16}};
constexpr std::array kMicro256{Block{1, 2, 16}, Block{1, 4, 8}, Block{2, 2, 8}};
constexpr std::array kMicro512{Block{2, 2, 16}, Block{1, 4, 16}};
constexpr std::array kMicro1024{Block{2, 2, 32}, Block{1, 4, 32}, Block{2, 4, 16}};
constexpr std::array kMicro2048{Block{2, 2, 64}, Block{1, 4, 64}, Block{4, 4, 16}};
constexpr int kKiB = 1024;

}  // namespace

// clang-format off
const Table kTables[5] = {
    {1, kMicro128, 8 * kKiB, 8 * kKiB, 2 * kKiB, 768, 2, 1, {0.5, 0.5, 0.5, 1, 1, 1}, {0.5, 1}, {64, 64, 128, 128, 104, 16}},
    {1, kMicro256, 16 * kKiB, 16 * kKiB, 2 * kKiB, 1536, 2, 1, {0.25, 0.25, 0.25, 0.5, 0.5, 0.5}, {0.25, 0.5}, {104, 104, 128, 128, 128, 16}},
    {2, kMicro512, 16 * kKiB, 32 * kKiB, 4 * kKiB, 3072, 2, 1, {0.125, 0.125, 0.25, 0.5, 0.25, 0.25}, {0.125, 0.25}, {128, 128, 256, 256, 128, 16}},
    {4, kMicro1024, 16 * kKiB, 64 * kKiB, 4 * kKiB, 6144, 2, 2, {0.0625, 0.125, 0.25, 0.5, 0.125, 0.25}, {0.0625, 0.125}, {256, 256, 416, 208, 256, 16}},
    {4, kMicro2048, 32 * kKiB, 128 * kKiB, 8 * kKiB, 12288, 4, 2, {0.03125, 0.0625, 0.125, 0.25, 0.0625, 0.125}, {0.03125, 0.0625}, {256, 256, 512, 256, 256, 16}},
};
// clang-format on

}  // namespace dse::hw::ethos_u::u85
