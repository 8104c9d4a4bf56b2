// Fields of a .dsenet file's header: values of every type that is stored, to JSON and back.
#pragma once
#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <vector>

#include "models/nn/network.h"

namespace dse::nn::dsenet {

using nlohmann::json;

constexpr std::size_t most_entries = 1 << 20;  // tensors, operators, entries of a list

// Every enumeration that is stored, with the number of its values.
inline const char* text(DataType v) { return name_of(v); }
inline const char* text(OperatorKind v) { return name_of(v); }
inline const char* text(Rounding v) { return name_of(v); }
inline const char* text(TensorKind v) {
  constexpr const char* names[] = {"input", "activation", "constant", "variable"};
  return names[static_cast<int>(v)];
}
inline const char* text(Activation v) {
  constexpr const char* names[] = {"none", "relu", "relu6", "relu_n1_to_1"};
  return names[static_cast<int>(v)];
}
inline const char* text(Correction v) {
  return v == Correction::round_then_correct ? "round-then-correct" : "correct-then-round";
}
template <class E>
constexpr int values_of_enum = 4;
template <>
constexpr int values_of_enum<DataType> = 7;
template <>
constexpr int values_of_enum<OperatorKind> = operator_kinds;
template <>
constexpr int values_of_enum<Correction> = 2;

/// What is wrong with a file.
struct Malformed {
  std::string what;
};

/// @throws Malformed when `object` is none or lacks the key.
inline const json& member(const json& object, const char* key) {
  if (!object.is_object()) throw Malformed{fmt::format("'{}' is wanted of what is no object", key)};
  const auto it = object.find(key);
  if (it == object.end()) throw Malformed{fmt::format("lacks '{}'", key)};
  return *it;
}

/// The field `key` in any of the types that are stored. @throws Malformed when `j` is no such value.
template <class T>
void read(const json& j, const char* key, T& to) {
  if constexpr (std::is_same_v<T, bool>) {
    if (!j.is_boolean()) throw Malformed{fmt::format("'{}' must be true or false", key)};
    to = j.get<bool>();
  } else if constexpr (std::is_enum_v<T>) {
    if (j.is_string())
      for (int v = 0; v < values_of_enum<T>; ++v)
        if (j.get_ref<const std::string&>() == text(static_cast<T>(v))) return void(to = static_cast<T>(v));
    throw Malformed{
        fmt::format("'{}' has the unknown value {}", key, j.dump(-1, ' ', false, json::error_handler_t::replace))};
  } else if constexpr (std::is_floating_point_v<T>) {
    if (j.is_string() && (j == "inf" || j == "-inf"))
      return void(to = j == "inf" ? std::numeric_limits<T>::infinity() : -std::numeric_limits<T>::infinity());
    const double v = j.is_number() ? j.get<double>() : std::nan("");
    if (!(std::abs(v) <= static_cast<double>(std::numeric_limits<T>::max())))
      throw Malformed{fmt::format("'{}' must be a number in range", key)};
    to = static_cast<T>(v);
  } else if constexpr (std::is_integral_v<T>) {
    const bool fits =
        j.is_number_unsigned()
            ? j.get<std::uint64_t>() <= static_cast<std::uint64_t>(std::numeric_limits<T>::max())
            : j.is_number_integer() &&
                  (std::is_signed_v<T> && j.get<std::int64_t>() >= std::int64_t{std::numeric_limits<T>::min()} &&
                   j.get<std::int64_t>() <= static_cast<std::int64_t>(std::numeric_limits<T>::max()));
    if (!fits) throw Malformed{fmt::format("'{}' must be an integer in range", key)};
    to = j.get<T>();
  } else if constexpr (std::is_same_v<T, std::string>) {
    if (!j.is_string()) throw Malformed{fmt::format("'{}' must be a text", key)};
    to = j.get<std::string>();
  } else {
    if (!j.is_array() || j.size() > most_entries) throw Malformed{fmt::format("'{}' must be a list", key)};
    to.clear();
    for (const auto& e : j) {
      typename T::value_type v{};
      read(e, key, v);
      to.push_back(v);
    }
  }
}

/// JSON has no infinities. A float is exact as a double, and comes back as it was.
inline json number(double v) {
  if (std::isinf(v)) return v > 0 ? "inf" : "-inf";
  return v;
}

template <class T>
json written(const T& v) {
  if constexpr (std::is_enum_v<T>)
    return text(v);
  else if constexpr (std::is_floating_point_v<T>)
    return number(static_cast<double>(v));
  else
    return v;
}
inline json written(const std::vector<float>& v) {
  json list = json::array();
  for (const float f : v) list.push_back(written(f));
  return list;
}

}  // namespace dse::nn::dsenet
