// IDX files (yann.lecun.com/exdb/mnist) and the binary files of CIFAR-10 (cs.toronto.edu/~kriz/cifar.html).
#include <fmt/format.h>
#include <zlib.h>

#include <charconv>
#include <filesystem>

#include "models/nn/data/images.h"

namespace dse::nn::data {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t most_bytes = std::size_t{1} << 31;
constexpr std::int64_t most_extent = 1 << 24;

/// zlib reads what is not compressed as it is.
std::optional<Bytes> read_all(const std::string& file, Diagnostics& diags) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) {
    diags.error({file, 0, 0}, "no such file");
    return std::nullopt;
  }
  const gzFile in = gzopen(file.c_str(), "rb");
  if (!in) {
    diags.error({file, 0, 0}, "cannot be read");
    return std::nullopt;
  }
  Bytes out;
  Bytes piece(1 << 20);
  int got = 0;
  while ((got = gzread(in, piece.data(), static_cast<unsigned>(piece.size()))) > 0 && out.size() < most_bytes)
    out.insert(out.end(), piece.begin(), piece.begin() + got);
  int code = Z_OK;
  gzerror(in, &code);
  const bool whole = got == 0 && (code == Z_OK || code == Z_STREAM_END);
  gzclose(in);
  if (out.size() >= most_bytes) {
    diags.error({file, 0, 0}, "is larger than 2 GiB");
    return std::nullopt;
  }
  if (whole) return out;
  diags.error({file, 0, 0}, "is cut short or damaged: it cannot be decompressed to its end");
  return std::nullopt;
}

std::uint32_t big_endian(const Bytes& b, std::size_t at) {
  return std::uint32_t{b[at]} << 24 | std::uint32_t{b[at + 1]} << 16 | std::uint32_t{b[at + 2]} << 8 | b[at + 3];
}

/// The extents of an IDX file of bytes; empty, and says so, when it is none or has another number of bytes.
std::vector<std::int64_t> idx_extents(const Bytes& b, std::size_t least, std::size_t most, const std::string& file,
                                      Diagnostics& diags) {
  const auto wrong = [&](const std::string& what) {
    diags.error({file, 0, 0}, what);
    return std::vector<std::int64_t>{};
  };
  if (b.size() < 4 || b[0] != 0 || b[1] != 0) return wrong("is no IDX file: it does not begin with two zero bytes");
  if (b[2] != 8) return wrong(fmt::format("has elements of IDX type {:#04x}, not bytes (0x08)", b[2]));
  const std::size_t rank = b[3];
  if (rank < least || rank > most)
    return wrong(fmt::format("has {} dimensions, not {}", rank,
                             least == most ? fmt::format("{}", least) : fmt::format("{} or {}", least, most)));
  if (b.size() < 4 + 4 * rank) return wrong("is cut short within its head");
  std::vector<std::int64_t> extents;
  std::int64_t bytes = 1;
  for (std::size_t d = 0; d < rank; ++d) {
    extents.push_back(big_endian(b, 4 + 4 * d));
    if (extents[d] < 1 || extents[d] > most_extent || bytes > static_cast<std::int64_t>(most_bytes) / extents[d])
      return wrong(fmt::format("has an extent of {}", extents[d]));
    bytes *= extents[d];
  }
  const auto there = static_cast<std::int64_t>(b.size() - 4 - 4 * rank);
  if (there < bytes) return wrong(fmt::format("is cut short: {} elements are announced, {} are there", bytes, there));
  if (there > bytes) return wrong(fmt::format("has {} bytes behind its last element", there - bytes));
  return extents;
}

/// The file of a folder under one of its usual names; empty: there is none.
std::string find(const std::string& folder, const std::string& stem, const std::string& kind) {
  std::error_code error;
  for (const char* joint : {"-", "."})
    for (const char* end : {"", ".gz"}) {
      const auto path = fs::path(folder) / (stem + joint + kind + end);
      if (fs::exists(path, error)) return path.string();
    }
  return {};
}

bool read_part(const std::string& folder, const std::string& stem, Images& to, Diagnostics& diags) {
  const auto images = find(folder, stem + "-images", "idx3-ubyte");
  const auto labels = find(folder, stem + "-labels", "idx1-ubyte");
  if (images.empty() || labels.empty()) {
    diags.error({folder, 0, 0},
                fmt::format("has no {}-{}-ubyte", stem, images.empty() ? "images-idx3" : "labels-idx1"));
    return false;
  }
  auto read = read_idx_images(images, diags);
  if (!read || !read_idx_labels(labels, *read, diags)) return false;
  to = std::move(*read);
  return true;
}

std::optional<DataSet> made_of(const std::string& text, const std::vector<std::int64_t>& shape, Diagnostics& diags) {
  std::uint64_t seed = 1;
  if (text != "made") {
    const char* end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data() + 5, end, seed);
    if (error != std::errc() || at != end) {
      diags.error({}, fmt::format("--data {}: '{}' is no seed", text, text.substr(5)), "made:1, for example");
      return std::nullopt;
    }
  }
  if (shape.size() == 4) return made_set(shape[1], shape[2], shape[3], 2000, 500, seed);
  std::int64_t elements = 1, side = 1;
  for (const auto d : shape) elements *= d;
  while (side * side < elements) ++side;
  if (side * side == elements) return made_set(side, side, 1, 2000, 500, seed);
  return made_set(1, elements, 1, 2000, 500, seed);
}

}  // namespace

std::optional<Images> read_idx_images(const std::string& file, Diagnostics& diags) {
  const auto bytes = read_all(file, diags);
  if (!bytes) return std::nullopt;
  const auto extents = idx_extents(*bytes, 3, 4, file, diags);
  if (extents.empty()) return std::nullopt;
  Images out;
  out.height = extents[1], out.width = extents[2], out.channels = extents.size() == 4 ? extents[3] : 1;
  out.pixels.assign(bytes->begin() + static_cast<std::ptrdiff_t>(4 + 4 * extents.size()), bytes->end());
  return out;
}

bool read_idx_labels(const std::string& file, Images& images, Diagnostics& diags) {
  const auto bytes = read_all(file, diags);
  if (!bytes) return false;
  const auto extents = idx_extents(*bytes, 1, 1, file, diags);
  if (extents.empty()) return false;
  if (extents[0] != images.count()) {
    diags.error({file, 0, 0}, fmt::format("has {} labels for {} images", extents[0], images.count()));
    return false;
  }
  images.labels.assign(bytes->begin() + 8, bytes->end());
  return true;
}

bool append_cifar10(const std::string& file, Images& images, Diagnostics& diags) {
  constexpr std::size_t side = 32, plane = side * side, record = 1 + 3 * plane;
  const auto bytes = read_all(file, diags);
  if (!bytes) return false;
  if (bytes->empty() || bytes->size() % record != 0) {
    diags.error({file, 0, 0},
                fmt::format("has {} bytes, which are no records of {}: it is cut short or no CIFAR-10 file",
                            bytes->size(), record));
    return false;
  }
  images.height = images.width = side, images.channels = 3;
  for (std::size_t at = 0; at < bytes->size(); at += record) {
    if ((*bytes)[at] > 9) {
      diags.error({file, 0, 0}, fmt::format("record {} has label {}, above 9", at / record, (*bytes)[at]));
      return false;
    }
    images.labels.push_back((*bytes)[at]);
    for (std::size_t pixel = 0; pixel < plane; ++pixel)
      for (std::size_t c = 0; c < 3; ++c) images.pixels.push_back((*bytes)[at + 1 + c * plane + pixel]);
  }
  return true;
}

std::optional<DataSet> read_data_set(const std::string& folder, const std::vector<std::int64_t>& input_shape,
                                     Diagnostics& diags) {
  if (folder == "made" || folder.starts_with("made:")) return made_of(folder, input_shape, diags);
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    diags.error({folder, 0, 0}, "no such folder of data", "made: a small data set of this program's own");
    return std::nullopt;
  }
  DataSet set;
  if (fs::exists(fs::path(folder) / "test_batch.bin", error)) {
    set.name = "CIFAR-10";
    for (int batch = 1; batch <= 5; ++batch) {
      const auto file = (fs::path(folder) / fmt::format("data_batch_{}.bin", batch)).string();
      if (batch > 1 && !fs::exists(file, error)) break;
      if (!append_cifar10(file, set.train, diags)) return std::nullopt;
    }
    if (!append_cifar10((fs::path(folder) / "test_batch.bin").string(), set.test, diags)) return std::nullopt;
  } else {
    set.name = "IDX";
    if (!read_part(folder, "train", set.train, diags) || !read_part(folder, "t10k", set.test, diags))
      return std::nullopt;
    if (set.train.image_bytes() != set.test.image_bytes() || set.train.height != set.test.height) {
      diags.error({folder, 0, 0}, "its images for training and for testing differ in size");
      return std::nullopt;
    }
  }
  for (const auto* part : {&set.train, &set.test})
    for (const auto label : part->labels) set.classes = std::max(set.classes, label + 1);
  return set;
}

}  // namespace dse::nn::data
