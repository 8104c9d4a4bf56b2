// Labelled images for training and for measuring accuracy: readers of the usual files, and a set of our own making.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"

namespace dse::nn::data {

struct Images {
  std::int64_t height = 0, width = 0, channels = 1;
  std::vector<std::uint8_t> pixels;  // [n][height][width][channels]
  std::vector<std::uint8_t> labels;  // n; may be none
  std::int64_t image_bytes() const { return height * width * channels; }
  std::int64_t count() const {
    return image_bytes() > 0 ? static_cast<std::int64_t>(pixels.size()) / image_bytes() : 0;
  }
  /// Only the first `n`.
  Images first(std::int64_t n) const;
};

struct DataSet {
  std::string name;  // "MNIST-like (IDX)", "CIFAR-10", "made"
  Images train, test;
  int classes = 0;
  /// Only the first `n` of each part; 0: all.
  void limit(std::int64_t n) {
    if (n > 0) train = train.first(n), test = test.first(n);
  }
};

/// An IDX file of bytes, plain or compressed by gzip: [n][h][w] or [n][h][w][c]. Every problem goes to `diags`.
std::optional<Images> read_idx_images(const std::string& file, Diagnostics& diags);
/// The labels of `images`, as many as there are images.
bool read_idx_labels(const std::string& file, Images& images, Diagnostics& diags);
/// Appends the records of a CIFAR-10 binary file: a label and 32 x 32 x 3 bytes each, which become channels last.
bool append_cifar10(const std::string& file, Images& images, Diagnostics& diags);

/// The data set of a folder: train-images-idx3-ubyte, train-labels-idx1-ubyte, t10k-... (MNIST and its like; also
/// with .gz), or data_batch_1.bin, ..., test_batch.bin (CIFAR-10). `made` or `made:SEED`: made_set() of this shape.
std::optional<DataSet> read_data_set(const std::string& folder, const std::vector<std::int64_t>& input_shape,
                                     Diagnostics& diags);

/// A set of ten classes that this project makes for tests and examples: every class is a few soft spots of colour at
/// places of its own; images are that, moved by up to a tenth of the image, under noise. Everything follows from the
/// seed.
DataSet made_set(std::int64_t height, std::int64_t width, std::int64_t channels, std::int64_t train, std::int64_t test,
                 std::uint64_t seed);

/// One output element of bilinear resizing along an axis, in the half-pixel convention without antialiasing (OpenCV's
/// INTER_LINEAR): (1 - share) of element `low`, `share` of element `high`.
struct Tap {
  std::int64_t low, high;
  double share;
};
std::vector<Tap> resize_taps(std::int64_t from, std::int64_t to);

/// Images as a network's input takes them: resized bilinearly to its extents, divided by 255.
class InputMaker {
 public:
  /// @param shape of the network's input: [1, h, w, c], or [1, n] of n = h w c elements, by `resize` (h, w) or square.
  /// What does not fit goes to `diags`, and ok() is false.
  InputMaker(const Images& images, const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& resize,
             const std::string& file, Diagnostics& diags);
  bool ok() const { return !rows_.empty(); }
  std::int64_t elements() const { return static_cast<std::int64_t>(rows_.size() * columns_.size()) * channels_; }
  /// Image `i`, moved down and to the right by so many of its own pixels; black moves in.
  void make(const Images& images, std::int64_t i, int down, int right, float* to) const;

 private:
  std::vector<Tap> rows_, columns_;
  std::int64_t channels_ = 1;
};

}  // namespace dse::nn::data
