#include "models/nn/onnx/wire.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace dse::nn {
namespace {

enum class Message { model, graph, node, attribute, tensor, value_info, type, tensor_type, shape, dimension, opset };

/// The fields that are messages of their own (schema/onnx.proto).
struct Nested {
  Message in;
  std::uint32_t field;
  Message what;
};
constexpr Nested nested_fields[] = {
    {Message::model, 7, Message::graph},       {Message::model, 8, Message::opset},
    {Message::graph, 1, Message::node},        {Message::graph, 5, Message::tensor},
    {Message::graph, 11, Message::value_info}, {Message::graph, 12, Message::value_info},
    {Message::graph, 13, Message::value_info}, {Message::node, 5, Message::attribute},
    {Message::attribute, 5, Message::tensor},  {Message::value_info, 2, Message::type},
    {Message::type, 1, Message::tensor_type},  {Message::tensor_type, 2, Message::shape},
    {Message::shape, 1, Message::dimension},
};

constexpr std::int64_t max_parts = std::int64_t{2} << 20;
constexpr std::int64_t max_integers = std::int64_t{16} << 20;
constexpr int max_depth = 16;

class Walk {
 public:
  explicit Walk(const std::vector<std::uint8_t>& bytes) : bytes_(bytes) {}

  std::string check() {
    message(Message::model, 0, bytes_.size(), 0);
    return why_;
  }

 private:
  bool fail(std::string why) {
    why_ = std::move(why);
    return false;
  }

  bool varint(std::size_t& at, std::size_t end, std::uint64_t& value) {
    value = 0;
    const std::size_t start = at;
    for (int shift = 0; shift < 70; shift += 7) {
      if (at >= end) return fail(fmt::format("the file ends inside the number at byte {}", start));
      const std::uint8_t byte = bytes_[at++];
      value |= shift == 63 ? std::uint64_t{byte & 1u} << 63 : std::uint64_t{byte & 127u} << shift;
      if (byte < 128) return true;
    }
    return fail(fmt::format("the number at byte {} is longer than 10 bytes", start));
  }

  /// Numbers in a packed field of integers: bytes without continuation bit.
  bool count_integers(Message in, std::uint32_t field, std::size_t at, std::size_t end) {
    const bool packed =
        (in == Message::tensor && (field == 1 || field == 5 || field == 7)) || (in == Message::attribute && field == 8);
    if (!packed) return true;
    for (std::size_t i = at; i < end; ++i) integers_ += bytes_[i] < 128;
    return integers_ <= max_integers || fail("the file holds more than 16 M integers that are not raw data");
  }

  bool length_delimited(Message in, std::uint32_t field, std::size_t& at, std::size_t end, int depth) {
    const std::size_t start = at;
    std::uint64_t length = 0;
    if (!varint(at, end, length)) return false;
    if (length > end - at)
      return fail(fmt::format("field {} at byte {} claims {} bytes, but {} are left", field, start, length, end - at));
    if (++parts_ > max_parts) return fail("the file holds more than 2 M messages and texts");
    const std::size_t inner_end = at + static_cast<std::size_t>(length);
    const auto* n = std::find_if(std::begin(nested_fields), std::end(nested_fields),
                                 [&](const Nested& f) { return f.in == in && f.field == field; });
    if (n != std::end(nested_fields)) {
      if (depth >= max_depth) return fail(fmt::format("messages at byte {} are nested too deeply", start));
      if (!message(n->what, at, inner_end, depth + 1)) return false;
    } else if (!count_integers(in, field, at, inner_end)) {
      return false;
    }
    at = inner_end;
    return true;
  }

  bool message(Message m, std::size_t at, std::size_t end, int depth) {
    while (at < end) {
      const std::size_t start = at;
      std::uint64_t tag = 0;
      if (!varint(at, end, tag)) return false;
      const auto field = static_cast<std::uint32_t>(tag >> 3);
      if (field == 0 || tag >> 3 > 0x1fffffff) return fail(fmt::format("byte {} is no field of a message", start));
      std::size_t fixed = 0;
      switch (tag & 7) {
        case 0: {
          std::uint64_t value = 0;
          if (!varint(at, end, value)) return false;
          if (++integers_ > max_integers) return fail("the file holds more than 16 M integers that are not raw data");
          continue;
        }
        case 1:
          fixed = 8;
          break;
        case 2:
          if (!length_delimited(m, field, at, end, depth)) return false;
          continue;
        case 5:
          fixed = 4;
          break;
        default:
          return fail(fmt::format("byte {} is no field of a message", start));
      }
      if (fixed > end - at) return fail(fmt::format("the file ends inside field {} at byte {}", field, start));
      at += fixed;
    }
    return true;
  }

  const std::vector<std::uint8_t>& bytes_;
  std::string why_;
  std::int64_t parts_ = 0, integers_ = 0;
};

}  // namespace

std::string check_onnx_wire(const std::vector<std::uint8_t>& bytes) { return Walk(bytes).check(); }

}  // namespace dse::nn
