#include "base/yaml/yaml_node.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

#include "base/suggest.h"

namespace dse::yaml {

const Node* Node::find(std::string_view key) const {
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (keys[i].text == key) return &items[i];
  return nullptr;
}
Node* Node::find(std::string_view key) { return const_cast<Node*>(std::as_const(*this).find(key)); }

const char* name_of(Node::Kind k) {
  static const char* const words[] = {"nothing", "a value", "a list", "a mapping"};
  return words[static_cast<int>(k)];
}

namespace {

struct Refused {
  YAML::Mark mark;
  std::string what;
};

class Builder : public YAML::EventHandler {
 public:
  Builder(std::string_view source, std::shared_ptr<const std::string> file) : source_(source), file_(std::move(file)) {
    if (source_.substr(0, 3) == "\xEF\xBB\xBF") source_.remove_prefix(3);  // the library counts from behind the mark
  }

  Node root;

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& m, YAML::anchor_t a) override { leaf(make(Node::Kind::null, m), m, a); }
  void OnAlias(const YAML::Mark& m, YAML::anchor_t a) override {
    const auto it = anchors_.find(a);
    if (it == anchors_.end()) throw Refused{m, "an alias inside its own anchor"};
    if (static_cast<int>(open_.size()) + it->second.depth > max_depth) throw too_deep(m);
    spend(it->second.cost, m);
    Node copy = it->second.node;
    copy.line = m.line + 1, copy.column = m.column + 1;
    add(std::move(copy), m, it->second.depth);
  }
  void OnScalar(const YAML::Mark& m, const std::string& tag, YAML::anchor_t a, const std::string& text) override {
    check_tag(tag, m);
    check_quotes(m);
    Node n = make(Node::Kind::scalar, m);
    n.text = text;
    n.quoted = tag != "?";
    leaf(std::move(n), m, a);
  }
  void OnSequenceStart(const YAML::Mark& m, const std::string& tag, YAML::anchor_t a,
                       YAML::EmitterStyle::value) override {
    open(Node::Kind::list, m, tag, a);
  }
  void OnMapStart(const YAML::Mark& m, const std::string& tag, YAML::anchor_t a, YAML::EmitterStyle::value) override {
    open(Node::Kind::map, m, tag, a);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    Node node;
    YAML::Mark mark;
    YAML::anchor_t anchor;
    std::size_t spent_before;
    int depth = 0;  // levels below this node
  };
  struct Anchor {
    Node node;
    std::size_t cost;
    int depth;
  };

  static Refused too_deep(const YAML::Mark& m) {
    return {m, "nested deeper than " + std::to_string(max_depth) + " levels"};
  }

  Node make(Node::Kind k, const YAML::Mark& m) {
    Node n;
    n.kind = k;
    n.file = file_;
    n.line = m.line + 1;
    n.column = m.column + 1;
    return n;
  }

  void check_tag(const std::string& tag, const YAML::Mark& m) {
    if (!tag.empty() && tag != "?" && tag != "!") throw Refused{m, "the tag " + quote(tag) + " has no meaning here"};
  }

  /// yaml-cpp 0.7 takes a quote that is never closed for one that ends with the file, which hides all that follows.
  void check_quotes(const YAML::Mark& m) {
    if (m.pos < 0 || static_cast<std::size_t>(m.pos) >= source_.size()) return;
    auto i = static_cast<std::size_t>(m.pos);
    const char quote_mark = source_[i];
    if (quote_mark != '\'' && quote_mark != '"') return;
    while (++i < source_.size()) {
      if (quote_mark == '"' && source_[i] == '\\')
        ++i;
      else if (source_[i] == quote_mark && quote_mark == '\'' && i + 1 < source_.size() && source_[i + 1] == '\'')
        ++i;
      else if (source_[i] == quote_mark)
        return;
    }
    throw Refused{m, "not YAML: this quote is never closed"};
  }

  void spend(std::size_t cost, const YAML::Mark& m) {
    spent_ += cost;
    if (spent_ > 1000000) throw Refused{m, "more than a million nodes once aliases are expanded"};
  }

  void leaf(Node n, const YAML::Mark& m, YAML::anchor_t a) {
    const std::size_t cost = 1 + n.text.size() / 64;  // so that a long text cannot be multiplied for free
    spend(cost, m);
    if (a != 0) spend(cost, m), anchors_[a] = {n, cost, 0};
    add(std::move(n), m, 0);
  }

  void open(Node::Kind k, const YAML::Mark& m, const std::string& tag, YAML::anchor_t a) {
    check_tag(tag, m);
    if (static_cast<int>(open_.size()) >= max_depth) throw too_deep(m);
    open_.push_back({make(k, m), m, a, spent_});
    spend(1, m);
    anchors_.erase(a);
  }

  void close() {
    Open o = std::move(open_.back());
    open_.pop_back();
    if (o.anchor != 0) {
      const std::size_t cost = spent_ - o.spent_before;
      spend(cost, o.mark);
      anchors_[o.anchor] = {o.node, cost, o.depth};
    }
    add(std::move(o.node), o.mark, o.depth);
  }

  void add(Node n, const YAML::Mark& m, int depth) {
    if (open_.empty()) {
      root = std::move(n);
      return;
    }
    open_.back().depth = std::max(open_.back().depth, depth + 1);
    Node& parent = open_.back().node;
    if (parent.kind == Node::Kind::map && parent.keys.size() == parent.items.size()) {
      if (n.kind != Node::Kind::scalar) throw Refused{m, std::string(name_of(n.kind)) + " cannot be a key"};
      parent.keys.push_back(std::move(n));
    } else {
      if (n.kind == Node::Kind::null &&
          parent.kind == Node::Kind::map)  // the library gives the place of whatever comes next
        n.line = parent.keys.back().line, n.column = parent.keys.back().column;
      parent.items.push_back(std::move(n));
    }
  }

  std::string_view source_;
  std::shared_ptr<const std::string> file_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, Anchor> anchors_;
  std::size_t spent_ = 0;
};

}  // namespace

namespace {

/// Column, from 1, of the first tab in the indentation of a line (from 0); 0 = none.
int tab_in_indentation(std::string_view text, int line) {
  std::size_t at = 0;
  for (; line > 0; --line) {
    at = text.find('\n', at);
    if (at == std::string_view::npos) return 0;
    ++at;
  }
  for (auto i = at; i < text.size() && (text[i] == ' ' || text[i] == '\t'); ++i)
    if (text[i] == '\t') return static_cast<int>(i - at) + 1;
  return 0;
}

}  // namespace

std::optional<Node> parse(std::string_view text, const std::string& file, Diagnostics& diagnostics) {
  if (text.size() > max_file_bytes) {
    diagnostics.error({file, 0, 0}, "more than 64 MiB of YAML");
    return std::nullopt;
  }
  const auto at = [&](const YAML::Mark& m) {
    return m.is_null() ? Location{file, 0, 0} : Location{file, m.line + 1, m.column + 1};
  };
  try {
    std::istringstream in{std::string(text)};
    YAML::Parser parser(in);
    Builder builder(text, std::make_shared<const std::string>(file));
    if (!parser.HandleNextDocument(builder))
      return Node{Node::Kind::null, {}, false, {}, {}, std::make_shared<const std::string>(file), 1, 1};
    Builder second({}, nullptr);
    if (parser.HandleNextDocument(second)) {
      diagnostics.error({file, 0, 0}, "more than one YAML document", "put each into a file of its own");
      return std::nullopt;
    }
    return std::move(builder.root);
  } catch (const Refused& r) {
    diagnostics.error(at(r.mark), r.what);
  } catch (const YAML::Exception& e) {
    // The library says what it expected instead of what is there.
    if (const int column = e.mark.is_null() ? 0 : tab_in_indentation(text, e.mark.line))
      diagnostics.error({file, e.mark.line + 1, column}, "a tab character: YAML indents with spaces");
    else
      diagnostics.error(at(e.mark), "not YAML: " + e.msg);
  }
  return std::nullopt;
}

std::optional<std::string> load(const std::string& path, Diagnostics& diagnostics) {
  std::error_code error;
  const auto fail = [&](const char* why) {
    diagnostics.error({path, 0, 0}, why);
    return std::nullopt;
  };
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) return fail("no such file");
  if (!std::filesystem::is_regular_file(status)) return fail("not a regular file");
  const auto size = std::filesystem::file_size(path, error);
  if (error || size > max_file_bytes) return fail(error ? "cannot be read" : "larger than 64 MiB");
  std::ifstream in(path, std::ios::binary);
  if (!in) return fail("cannot be read");
  return std::string(std::istreambuf_iterator<char>(in), {});
}

}  // namespace dse::yaml
