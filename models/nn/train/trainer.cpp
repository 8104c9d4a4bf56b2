#include "models/nn/train/trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "models/nn/made/splitmix.h"

namespace dse::nn::train {
namespace {

constexpr std::int64_t most_made = 1 << 26;  // elements of inputs that are kept
constexpr double most_loss = 1e4;  // of a batch: a network that knows nothing has the logarithm of its classes

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) { return SplitMix64(a ^ b * 0x9e3779b97f4a7c15u).draw(); }

/// The order of an epoch's images (Fisher and Yates).
std::vector<std::int64_t> shuffled(std::int64_t n, std::uint64_t seed) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  SplitMix64 random(seed);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.draw() % i]);
  return order;
}

}  // namespace

std::string Options::text() const {
  return fmt::format("{} {} {} {:a} {:a} {:a} {} {} {:a} {} {} {}", epochs, batch, static_cast<int>(optimiser),
                     learning_rate, momentum, weight_decay, static_cast<int>(schedule), step_every, step_factor, shift,
                     seed, fmt::join(resize, "x"));
}

Trainer::Trainer(const Network& n, const data::DataSet& data, const Options& options, const std::string& file,
                 Diagnostics& diags, Way way)
    : network_(n), data_(data), options_(options), model_(n, file, diags, way) {
  if (!model_.ok()) return;
  const auto& shape = n.tensors[static_cast<std::size_t>(n.inputs[0])].shape;
  maker_.emplace(data.train, shape, options.resize, file, diags);
  if (!maker_->ok()) return;
  for (const auto* part : {&data.train, &data.test})
    for (const auto label : part->labels)
      if (label >= model_.outputs()) {
        diags.error({file, 0, 0},
                    fmt::format("the data have a label {}, and the network has {} outputs", label, model_.outputs()));
        return;
      }
  if (data.train.labels.empty()) {
    diags.error({file, 0, 0}, "the data have no labelled images to train on");
    return;
  }
  fits_ = true;
  identity_ = identity();
  for (auto* p : model_.parameters())
    moments_.push_back({std::vector<float>(p->value.size()), std::vector<float>(p->value.size())});
  const std::int64_t elements = maker_->elements();
  if (options.shift > 0 || data.train.count() * elements > most_made) return;
  made_.resize(static_cast<std::size_t>(data.train.count() * elements));
  for (std::int64_t i = 0; i < data.train.count(); ++i) maker_->make(data.train, i, 0, 0, &made_[i * elements]);
}

void Trainer::fill(const data::Images& images, const std::vector<float>& made, std::int64_t i, float* to,
                   int epoch) const {
  const std::int64_t elements = maker_->elements();
  if (!made.empty()) return void(std::copy_n(made.begin() + i * elements, elements, to));
  int down = 0, right = 0;
  if (epoch >= 0 && options_.shift > 0) {
    SplitMix64 random(
        mixed(mixed(options_.seed, static_cast<std::uint64_t>(epoch) + 17), static_cast<std::uint64_t>(i)));
    const auto places = static_cast<std::uint64_t>(2 * options_.shift + 1);
    down = static_cast<int>(random.draw() % places) - options_.shift;
    right = static_cast<int>(random.draw() % places) - options_.shift;
  }
  maker_->make(images, i, down, right, to);
}

double Trainer::rate_at(std::int64_t step) const {
  const std::int64_t per_epoch = (data_.train.count() + options_.batch - 1) / options_.batch;
  const std::int64_t epoch = step / per_epoch;
  switch (options_.schedule) {
    case Schedule::cosine: {
      const double share = static_cast<double>(step) / static_cast<double>(per_epoch * options_.epochs);
      return options_.learning_rate * 0.5 * (1 + std::cos(std::numbers::pi * share));
    }
    case Schedule::step:
      return options_.learning_rate * std::pow(options_.step_factor, static_cast<double>(epoch / options_.step_every));
    case Schedule::constant:
      break;
  }
  return options_.learning_rate;
}

void Trainer::update(double rate) {
  constexpr float second_decay = 0.999f, least = 1e-8f;
  const auto m = static_cast<float>(options_.momentum), lr = static_cast<float>(rate);
  const auto t = static_cast<double>(step_ + 1);
  const auto first_share = static_cast<float>(1 - std::pow(options_.momentum, t));
  const auto second_share = static_cast<float>(1 - std::pow(0.999, t));
  const auto parameters = model_.parameters();
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    auto& p = *parameters[k];
    auto& [first, second] = moments_[k];
    const auto decay = static_cast<float>(p.decays ? options_.weight_decay : 0.0);
    for (std::size_t i = 0; i < p.value.size(); ++i) {
      float& w = p.value[i];
      const float g = p.gradient[i] + decay * w;
      if (options_.optimiser == Optimiser::sgd) {
        first[i] = m * first[i] + g;
        w -= lr * first[i];
      } else {
        first[i] = m * first[i] + (1 - m) * g;
        second[i] = second_decay * second[i] + (1 - second_decay) * g * g;
        w -= lr * (first[i] / first_share) / (std::sqrt(second[i] / second_share) + least);
      }
    }
  }
}

/// @returns false when the loss is beyond all use.
bool Trainer::train_epoch(int epoch, const std::atomic<bool>& stop, const std::function<void(const Progress&)>& told,
                          Epoch& made, bool& interrupted) {
  const std::int64_t count = data_.train.count(), elements = maker_->elements();
  const std::int64_t batches = (count + options_.batch - 1) / options_.batch;
  const auto order = shuffled(count, mixed(options_.seed, static_cast<std::uint64_t>(epoch) + 1));
  std::vector<float> x;
  std::vector<std::uint8_t> labels;
  double sum = 0;
  std::int64_t hits = 0;
  for (std::int64_t b = 0; b < batches; ++b) {
    if (stop) {
      interrupted = true;
      return true;
    }
    const std::int64_t first = b * options_.batch, rows = std::min<std::int64_t>(options_.batch, count - first);
    x.resize(static_cast<std::size_t>(rows * elements)), labels.resize(static_cast<std::size_t>(rows));
    for (std::int64_t r = 0; r < rows; ++r) {
      const std::int64_t i = order[static_cast<std::size_t>(first + r)];
      fill(data_.train, made_, i, &x[static_cast<std::size_t>(r * elements)], epoch);
      labels[static_cast<std::size_t>(r)] = data_.train.labels[static_cast<std::size_t>(i)];
    }
    const Pass pass{true, mixed(options_.seed + 3, static_cast<std::uint64_t>(step_))};
    const auto loss = static_cast<double>(model_.loss(x, labels, pass, &hits));
    if (!(loss < most_loss)) return false;
    sum += loss * static_cast<double>(rows);
    model_.gradients(x, labels);
    update(rate_at(step_));
    ++step_;
    if (told) told({epoch, options_.epochs, b + 1, batches, sum / static_cast<double>(first + rows)});
  }
  made.loss = sum / static_cast<double>(count);
  made.train_accuracy = static_cast<double>(hits) / static_cast<double>(count);
  return true;
}

double Trainer::accuracy(const data::Images& images) {
  const std::int64_t count = images.count(), elements = maker_->elements();
  if (count == 0) return 0;
  std::vector<float> x;
  std::int64_t hits = 0;
  for (std::int64_t first = 0; first < count; first += options_.batch) {
    const std::int64_t rows = std::min<std::int64_t>(options_.batch, count - first);
    x.resize(static_cast<std::size_t>(rows * elements));
    for (std::int64_t r = 0; r < rows; ++r) fill(images, {}, first + r, &x[static_cast<std::size_t>(r * elements)], -1);
    model_.loss(x, std::span(images.labels).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(rows)),
                {}, &hits);
  }
  return static_cast<double>(hits) / static_cast<double>(count);
}

End Trainer::run(const std::atomic<bool>& stop, const std::function<void(const Progress&)>& told,
                 const std::function<void(const Epoch&)>& finished) {
  while (static_cast<int>(history_.size()) < options_.epochs) {
    const auto before = checkpoint();
    Epoch made;
    bool interrupted = false;
    const bool finite = train_epoch(static_cast<int>(history_.size()), stop, told, made, interrupted);
    const auto parameters = model_.parameters();
    const bool sound = finite && std::all_of(parameters.begin(), parameters.end(), [](const auto* p) {
                         return std::all_of(p->value.begin(), p->value.end(), [](float v) { return std::isfinite(v); });
                       });
    if (!sound || interrupted) {
      resume(before);
      return sound ? End::interrupted : End::diverged;
    }
    made.test_accuracy = accuracy(data_.test);
    history_.push_back(made);
    if (finished) finished(made);
  }
  return End::done;
}

}  // namespace dse::nn::train
