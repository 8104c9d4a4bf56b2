// Plain-memory serialisation between a worker and its parent (same process image: no format to keep).
#pragma once
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace dse::explore {

class ByteWriter {
 public:
  template <class T>
  ByteWriter& operator<<(const T& v) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes.append(reinterpret_cast<const char*>(&v), sizeof v);
    return *this;
  }
  ByteWriter& operator<<(const std::string& s) {
    *this << static_cast<std::uint64_t>(s.size());
    bytes += s;
    return *this;
  }
  template <class T>
  ByteWriter& operator<<(const std::vector<T>& v) {
    *this << static_cast<std::uint64_t>(v.size());
    for (const auto& x : v) *this << x;
    return *this;
  }
  template <class K, class V>
  ByteWriter& operator<<(const std::map<K, V>& m) {
    *this << static_cast<std::uint64_t>(m.size());
    for (const auto& [k, v] : m) *this << k << v;
    return *this;
  }
  std::string bytes;
};

class ByteReader {
 public:
  explicit ByteReader(const std::string& bytes) : p_(bytes.data()), end_(bytes.data() + bytes.size()) {}
  template <class T>
  ByteReader& operator>>(T& v) {
    static_assert(std::is_trivially_copyable_v<T>);
    need(sizeof v);
    std::memcpy(&v, p_, sizeof v);
    p_ += sizeof v;
    return *this;
  }
  ByteReader& operator>>(std::string& s) {
    std::uint64_t n = 0;
    *this >> n;
    need(n);
    s.assign(p_, n);
    p_ += n;
    return *this;
  }
  template <class T>
  ByteReader& operator>>(std::vector<T>& v) {
    std::uint64_t n = 0;
    *this >> n;
    need(n);  // no element takes less than a byte
    v.clear();
    v.reserve(n);  // a trace that grew would take up to twice its size
    for (std::uint64_t i = 0; i < n; ++i) {
      T x{};
      *this >> x;
      v.push_back(std::move(x));
    }
    return *this;
  }
  template <class K, class V>
  ByteReader& operator>>(std::map<K, V>& m) {
    std::uint64_t n = 0;
    *this >> n;
    m.clear();
    for (std::uint64_t i = 0; i < n; ++i) {
      K k{};
      V v{};
      *this >> k >> v;
      m.emplace(std::move(k), std::move(v));
    }
    return *this;
  }
  bool at_end() const { return p_ == end_; }

 private:
  void need(std::uint64_t n) const {
    if (n > static_cast<std::uint64_t>(end_ - p_)) throw std::runtime_error("archive is cut short");
  }
  const char* p_;
  const char* end_;
};

}  // namespace dse::explore
