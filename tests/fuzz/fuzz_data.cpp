// What training reads: IDX files, CIFAR-10 files, checkpoints, and what network files say of training. What is refused
// is told; what is taken is whole.
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "base/crc32.h"
#include "models/nn/import.h"
#include "models/nn/train/trainer.h"
#include "models/nn/yaml/training.h"

namespace {

using Bytes = std::vector<std::uint8_t>;
namespace data = dse::nn::data;

void expect(bool right) {
  if (!right) std::abort();
}

std::string written(const Bytes& bytes) {
  static const std::string file = "/dev/shm/dse-fuzz-data." + std::to_string(::getpid());
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return file;
}

void read_idx(const Bytes& bytes, bool labels) {
  const auto file = written(bytes);
  dse::Diagnostics d;
  if (!labels) {
    const auto images = data::read_idx_images(file, d);
    expect(images.has_value() != d.has_errors());
    if (!images) return;
    expect(images->count() >= 1 &&
           static_cast<std::int64_t>(images->pixels.size()) == images->count() * images->image_bytes());
    return;
  }
  data::Images three;
  three.height = three.width = 1, three.pixels = {1, 2, 3};
  expect(data::read_idx_labels(file, three, d) != d.has_errors());
  expect(three.labels.empty() || three.labels.size() == 3);
}

void read_cifar(const Bytes& bytes) {
  dse::Diagnostics d;
  data::Images images;
  if (data::append_cifar10(written(bytes), images, d))
    expect(images.count() == static_cast<std::int64_t>(images.labels.size()) && images.count() >= 1);
  else
    expect(d.has_errors());
}

/// A checkpoint whose bytes are changed where the input says, with its sum made right again.
void resume(const Bytes& bytes) {
  static const dse::nn::NetworkPtr network = [] {
    dse::Diagnostics d;
    dse::nn::LoadOptions load;
    load.allow_float = load.prefer_float = true;
    return dse::nn::import_yaml(
        "format: 1\nname: n\ninput: {shape: [1, 4]}\nlayers:\n  - fully_connected: {units: 10, block: 3}\n", "", d,
        load);
  }();
  static const auto set = data::made_set(2, 2, 1, 4, 2, 1);
  dse::Diagnostics d;
  dse::nn::train::Trainer trainer(*network, set, {}, "", d);
  expect(trainer.ok());
  Bytes file = trainer.checkpoint();
  if (!bytes.empty() && bytes[0] % 4 == 0) file.resize(file.size() * bytes[0] / 256);
  for (std::size_t i = 1; i + 2 < bytes.size() && !file.empty(); i += 3)
    file[(bytes[i] * 256u + bytes[i + 1]) % file.size()] = bytes[i + 2];
  if (file.size() >= 4) {
    const std::uint32_t sum = dse::crc32(file.data(), file.size() - 4);
    for (std::size_t b = 0; b < 4; ++b) file[file.size() - 4 + b] = static_cast<std::uint8_t>(sum >> (8 * b));
  }
  if (trainer.resume(file).empty()) expect(trainer.history().size() <= 20);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* input, std::size_t size) {
  if (size == 0) return 0;
  const Bytes bytes(input + 1, input + size);
  switch (input[0] % 5) {
    case 0:
      read_idx(bytes, false);
      break;
    case 1:
      read_idx(bytes, true);
      break;
    case 2:
      read_cifar(bytes);
      break;
    case 3:
      resume(bytes);
      break;
    default: {
      dse::Diagnostics d;
      const std::string text(bytes.begin(), bytes.end());
      const auto options = dse::nn::training_options(text, "n.yaml", d);
      expect(options.has_value() != d.has_errors());
      if (options) expect(options->epochs >= 1 && options->batch >= 1 && options->learning_rate > 0);
      (void)dse::nn::equal_dense(text);
      (void)dse::nn::with_fields(text, {{"fc0.block", "2"}}, "n.yaml", d);
    }
  }
  return 0;
}
