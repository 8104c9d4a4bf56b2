#include "models/nn/dsenet.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/crc32.h"
#include "models/nn/dsenet_fields.h"
#include "models/nn/rewrite/rewrites.h"
#include "models/nn/shapes/given.h"

namespace dse::nn {
namespace {

using namespace dsenet;

constexpr char magic[] = "DSENET\r\n";
constexpr std::size_t head_bytes = 24;
constexpr std::uint32_t this_format = 1;

template <class T>
void put(std::vector<std::uint8_t>& to, T value) {
  for (std::size_t b = 0; b < sizeof(T); ++b) to.push_back(static_cast<std::uint8_t>(value >> (8 * b)));
}
template <class T>
T take(const std::uint8_t* from) {
  T v = 0;
  for (std::size_t b = 0; b < sizeof(T); ++b) v = static_cast<T>(v | static_cast<T>(from[b]) << (8 * b));
  return v;
}

json options_json(const OperatorOptions& options) {
  json out = json::object();
  std::vector<json> defaults;
  const OperatorOptions plain;
  for_each_option(plain, [&](const char*, const auto& field) { defaults.push_back(written(field)); });
  std::size_t i = 0;
  for_each_option(options, [&](const char* name, const auto& field) {
    if (json value = written(field); value != defaults[i++]) out[name] = std::move(value);
  });
  return out;
}

json fill_json(const Fill& f) {
  if (f.kind == Fill::Kind::value) return {{"value", written(f.value)}};
  return {{"he_normal", {{"seed", f.seed}, {"fan_in", f.fan_in}}}};
}

json tensor_json(const Tensor& t, std::vector<std::uint8_t>& data) {
  json j = {{"name", t.name}, {"shape", t.shape}, {"type", text(t.type)}, {"kind", text(t.kind)}};
  const Quantization& q = t.quantization;
  if (!q.scale.empty()) j["scale"] = written(q.scale);
  if (!q.zero_point.empty()) j["zero_point"] = q.zero_point;
  if (q.axis != 0) j["axis"] = q.axis;
  if (!q.correction.empty()) j["correction"] = q.correction;
  if (t.fill) j["fill"] = fill_json(*t.fill);
  if (!t.data.empty()) {
    j["data"] = {data.size(), t.data.size()};
    data.insert(data.end(), t.data.begin(), t.data.end());
  }
  return j;
}

class Reader {
 public:
  Reader(const json& header, const std::uint8_t* data, std::uint64_t data_bytes)
      : header_(header), data_(data), data_bytes_(data_bytes) {}

  Network read_network() {
    Network n;
    std::int64_t format = 0;
    read(member(header_, "format"), "format", format);
    read(member(header_, "name"), "name", n.name);
    read(member(header_, "inputs"), "inputs", n.inputs);
    read(member(header_, "outputs"), "outputs", n.outputs);
    for_list("tensors", [&](const json& j) { n.tensors.push_back(tensor(j)); });
    for_list("operators", [&](const json& j) { n.operators.push_back(operation(j)); });
    return n;
  }

 private:
  template <class F>
  void for_list(const char* key, F&& f) {
    const json& list = member(header_, key);
    if (!list.is_array() || list.size() > most_entries) throw Malformed{fmt::format("'{}' must be a list", key)};
    std::size_t i = 0;
    for (const auto& j : list) {
      try {
        f(j);
      } catch (const Malformed& m) {
        throw Malformed{fmt::format("{}[{}]: {}", key, i, m.what)};
      }
      ++i;
    }
  }

  Tensor tensor(const json& j) const {
    Tensor t;
    read(member(j, "name"), "name", t.name);
    read(member(j, "shape"), "shape", t.shape);
    read(member(j, "type"), "type", t.type);
    read(member(j, "kind"), "kind", t.kind);
    Quantization& q = t.quantization;
    if (j.contains("scale")) read(j["scale"], "scale", q.scale);
    if (j.contains("zero_point")) read(j["zero_point"], "zero_point", q.zero_point);
    if (j.contains("axis")) read(j["axis"], "axis", q.axis);
    if (j.contains("correction")) read(j["correction"], "correction", q.correction);
    if (j.contains("fill")) t.fill = fill(j["fill"]);
    if (j.contains("data")) {
      std::vector<std::uint64_t> range;
      read(j["data"], "data", range);
      if (range.size() != 2 || range[0] > data_bytes_ || range[1] > data_bytes_ - range[0])
        throw Malformed{"'data' lies outside of the file's data"};
      t.data.assign(data_ + range[0], data_ + range[0] + range[1]);
    }
    return t;
  }

  static Fill fill(const json& j) {
    Fill f;
    if (j.is_object() && j.contains("value")) {
      read(j["value"], "value", f.value);
      return f;
    }
    const json& rule = member(j, "he_normal");
    f.kind = Fill::Kind::he_normal;
    read(member(rule, "seed"), "seed", f.seed);
    read(member(rule, "fan_in"), "fan_in", f.fan_in);
    if (f.fan_in < 1) throw Malformed{"'fan_in' is below 1"};
    return f;
  }

  static Operator operation(const json& j) {
    Operator op;
    read(member(j, "kind"), "kind", op.kind);
    if (j.contains("type")) read(j["type"], "type", op.type);
    read(member(j, "name"), "name", op.name);
    read(member(j, "inputs"), "inputs", op.inputs);
    read(member(j, "outputs"), "outputs", op.outputs);
    if (!j.contains("options")) return op;
    const json& options = j["options"];
    if (!options.is_object()) throw Malformed{"'options' must be an object"};
    std::size_t known = 0;
    for_each_option(op.options, [&](const char* name, auto& field) {
      if (!options.contains(name)) return;
      ++known;
      read(options[name], name, field);
    });
    if (known != options.size()) throw Malformed{"has an unknown option"};
    return op;
  }

  const json& header_;
  const std::uint8_t* data_;
  std::uint64_t data_bytes_;
};

/// The header, once the frame around it is found to be right.
json checked_header(const std::vector<std::uint8_t>& bytes) {
  if (bytes.size() < head_bytes + 4 || std::memcmp(bytes.data(), magic, 8) != 0)
    throw Malformed{"is not a .dsenet file"};
  const auto format = take<std::uint32_t>(&bytes[8]);
  if (format != this_format) throw Malformed{fmt::format("has format {}, this version reads {}", format, this_format)};
  const std::uint64_t header = take<std::uint32_t>(&bytes[12]), data = take<std::uint64_t>(&bytes[16]);
  const std::uint64_t room = bytes.size() - head_bytes - 4;
  if (header > room || data != room - header)
    throw Malformed{
        fmt::format("has {} bytes, but its head speaks of {} of header and {} of data", bytes.size(), header, data)};
  const std::size_t end = bytes.size() - 4;
  if (crc32(bytes.data(), end) != take<std::uint32_t>(&bytes[end])) throw Malformed{"is damaged: the CRC-32 differs"};
  const auto* first = reinterpret_cast<const char*>(&bytes[head_bytes]);
  json j = json::parse(first, first + header, nullptr, false);
  if (j.is_discarded()) throw Malformed{"has a header that is no JSON"};
  return j;
}

}  // namespace

std::vector<std::uint8_t> write_dsenet(const Network& n) {
  std::vector<std::uint8_t> data;
  json header = {{"format", this_format}, {"name", n.name}, {"inputs", n.inputs}, {"outputs", n.outputs}};
  json tensors = json::array(), operators = json::array();
  for (const auto& t : n.tensors) tensors.push_back(tensor_json(t, data));
  for (const auto& op : n.operators) {
    json j = {{"kind", text(op.kind)}, {"name", op.name}, {"inputs", op.inputs}, {"outputs", op.outputs}};
    if (!op.type.empty()) j["type"] = op.type;
    if (json options = options_json(op.options); !options.empty()) j["options"] = std::move(options);
    operators.push_back(std::move(j));
  }
  header["tensors"] = std::move(tensors);
  header["operators"] = std::move(operators);
  const std::string text = header.dump(-1, ' ', false, json::error_handler_t::replace);
  std::vector<std::uint8_t> out(magic, magic + 8);
  put(out, this_format);
  put(out, static_cast<std::uint32_t>(text.size()));
  put(out, static_cast<std::uint64_t>(data.size()));
  out.insert(out.end(), text.begin(), text.end());
  out.insert(out.end(), data.begin(), data.end());
  put(out, crc32(out.data(), out.size()));
  return out;
}

NetworkPtr import_dsenet(const std::vector<std::uint8_t>& bytes, const std::string& file, Diagnostics& diags,
                         const LoadOptions& options) {
  try {
    const json header = checked_header(bytes);
    const auto header_bytes = take<std::uint32_t>(&bytes[12]);
    Network n =
        Reader(header, bytes.data() + head_bytes + header_bytes, take<std::uint64_t>(&bytes[16])).read_network();
    if (!check_shapes(n, options, file, diags)) return nullptr;
    return import_network(std::move(n), diags, file, options);
  } catch (const Malformed& m) {
    diags.error({file, 0, 0}, m.what);
    return nullptr;
  }
}

}  // namespace dse::nn
