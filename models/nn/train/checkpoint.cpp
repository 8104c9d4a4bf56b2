// Checkpoints: "DSETRAIN", version, identity of network, data and options, steps, history, parameters and moments,
// CRC-32.
#include <cstring>

#include "base/crc32.h"
#include "base/fnv.h"
#include "models/nn/train/trainer.h"

namespace dse::nn::train {
namespace {

constexpr char head[] = "DSETRAIN";
constexpr std::uint32_t version = 1;

template <class T>
void put(std::vector<std::uint8_t>& to, const T* values, std::size_t n) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(values);
  to.insert(to.end(), bytes, bytes + n * sizeof(T));
}

/// Reads one after the other; beyond the end nothing, and `whole` becomes false.
struct Source {
  const std::vector<std::uint8_t>& bytes;
  std::size_t at = 0;
  bool whole = true;
  template <class T>
  void take(T* to, std::size_t n) {
    whole = whole && n * sizeof(T) <= bytes.size() - at;
    if (!whole) return;
    if (n) std::memcpy(to, &bytes[at], n * sizeof(T));
    at += n * sizeof(T);
  }
};

}  // namespace

std::uint64_t Trainer::identity() const {
  Fnv fnv;
  fnv.text(network_.structure_hash()).text(options_.text());
  for (const auto* part : {&data_.train, &data_.test}) {
    fnv.word(part->count());
    fnv.word(crc32(part->pixels.data(), part->pixels.size()));
    fnv.word(crc32(part->labels.data(), part->labels.size()));
  }
  return fnv.value();
}

std::vector<std::uint8_t> Trainer::checkpoint() const {
  std::vector<std::uint8_t> out;
  const std::uint64_t id = identity_, epochs = history_.size();
  put(out, head, 8), put(out, &version, 1), put(out, &id, 1), put(out, &step_, 1), put(out, &epochs, 1);
  for (const Epoch& e : history_) put(out, &e.loss, 1), put(out, &e.train_accuracy, 1), put(out, &e.test_accuracy, 1);
  const auto parameters = model_.parameters();
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    put(out, parameters[k]->value.data(), parameters[k]->value.size());
    put(out, moments_[k].first.data(), moments_[k].first.size());
    put(out, moments_[k].second.data(), moments_[k].second.size());
  }
  const std::uint32_t sum = crc32(out.data(), out.size());
  put(out, &sum, 1);
  return out;
}

std::string Trainer::resume(const std::vector<std::uint8_t>& bytes) {
  if (bytes.size() < 12 || std::memcmp(bytes.data(), head, 8) != 0) return "is no checkpoint of a training";
  std::uint32_t sum = 0, format = 0;
  std::memcpy(&sum, &bytes[bytes.size() - 4], 4);
  if (sum != crc32(bytes.data(), bytes.size() - 4)) return "is damaged: its checksum does not fit";
  Source from{bytes, 8};
  std::uint64_t id = 0, epochs = 0;
  std::int64_t step = 0;
  from.take(&format, 1), from.take(&id, 1), from.take(&step, 1), from.take(&epochs, 1);
  if (!from.whole || format != version) return "is of another version";
  if (id != identity_) return "is of another network, other data or other options";
  if (epochs > static_cast<std::uint64_t>(options_.epochs)) return "has more epochs than are wanted";
  std::vector<Epoch> history(static_cast<std::size_t>(epochs));
  for (Epoch& e : history) from.take(&e.loss, 1), from.take(&e.train_accuracy, 1), from.take(&e.test_accuracy, 1);
  const auto parameters = model_.parameters();
  std::size_t values = 0;
  for (const auto* p : parameters) values += 3 * p->value.size();
  if (!from.whole || bytes.size() - from.at != 4 * values + 4) return "is damaged: it is cut short";
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    from.take(parameters[k]->value.data(), parameters[k]->value.size());
    from.take(moments_[k].first.data(), moments_[k].first.size());
    from.take(moments_[k].second.data(), moments_[k].second.size());
  }
  step_ = step, history_ = std::move(history);
  return {};
}

}  // namespace dse::nn::train
