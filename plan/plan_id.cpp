// The id of a plan: what was decided, and where things lie.
#include <fmt/format.h>

#include "base/fnv.h"
#include "plan/choices/fields.h"
#include "plan/npu/program/npu_plan.h"
#include "plan/plan.h"

namespace dse::plan {

const char* name_of(shared::Input i) {
  static const char* const words[] = {"released", "kept", "streamed"};
  return words[static_cast<int>(i)];
}
namespace {

template <class T>
void add(Fnv& id, const T& value) {
  id.word(static_cast<std::int64_t>(value));
}
void add(Fnv& id, const std::vector<int>& list) {
  for (const int value : list) id.word(value);
}
void add(Fnv& id, const std::map<std::string, int>& named) {
  for (const auto& [name, value] : named) id.text(name).word(value);
}

/// Fields that have their default do not count, so that a new field leaves the ids of plans without it alone.
template <class Choice>
void add_decided(Fnv& id, const Choice& choice) {
  static const Choice plain;
  std::vector<std::uint64_t> usual;
  const auto digest = [](const auto& value) {
    Fnv alone;
    add(alone, value);
    return alone.value();
  };
  for_each_field(plain, [&](const char*, const auto& value) { usual.push_back(digest(value)); });
  std::size_t field = 0;
  for_each_field(choice, [&](const char* name, const auto& value) {
    if (digest(value) != usual[field++]) id.text(name), add(id, value);
  });
}

}  // namespace

std::string Plan::id() const {
  Fnv id;
  id.text(network_hash).text(device_hash);
  auto whole = network_choice();
  whole.greedy_offsets = false;  // a plan document has the offsets, not who found them
  add_decided(id, whole);
  if (npu)
    for (const auto& [name, value] : npu::named(*npu)) id.text(name).text(value);
  for (const auto& c : choices) add_decided(id.word(-1), c);
  for (const auto& b : buffers) {
    id.text(b.name).word(b.memory).word(b.offset).word(b.size);
    if (b.shift > 0) id.text("shift").word(b.shift);
  }
  return fmt::format("{:08x}", static_cast<std::uint32_t>(id.value() ^ (id.value() >> 32)));
}

}  // namespace dse::plan
