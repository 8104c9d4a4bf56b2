#include <charconv>
#include <map>
#include <sstream>

#include "plan/branch/graph.h"

namespace dse::plan::branch {
namespace {

constexpr int most_nodes = 10000;  // what surrounds the search takes time and room by the square of it

struct Word {
  std::string text;
  int column = 0;
};

std::vector<Word> words_of(const std::string& line) {
  std::vector<Word> out;
  for (std::size_t i = 0; i < line.size();) {
    const auto start = line.find_first_not_of(" \t\r", i);
    if (start == std::string::npos || line[start] == '#') break;
    auto end = line.find_first_of(" \t\r", start);
    if (end == std::string::npos) end = line.size();
    out.push_back({line.substr(start, end - start), static_cast<int>(start) + 1});
    i = end;
  }
  return out;
}

struct Tensor {
  std::int64_t bytes = 0;
  int node = -1;  // -1: not made yet
};

class Reader {
 public:
  Reader(std::string file, Diagnostics& diagnostics) : file_(std::move(file)), diagnostics_(diagnostics) {}

  std::optional<Graph> read(const std::string& text) {
    std::istringstream in(text);
    for (std::string line; !full_ && std::getline(in, line);) {
      ++line_;
      if (line.rfind("# graph ", 0) == 0)
        if (const auto name = words_of(line.substr(8)); !name.empty()) graph_.name = name[0].text;
      if (const auto words = words_of(line); !words.empty()) statement(words);
    }
    if (graph_.nodes.empty() && !failed_)
      error(0, "no operators", "a .dag file has lines T, IN, OUT and OP, as docs/branches.md shows");
    if (failed_) return std::nullopt;
    return finish(std::move(graph_));
  }

 private:
  void error(int column, std::string what, std::string hint = {}) {
    diagnostics_.error({file_, column == 0 ? 0 : line_, column}, std::move(what), std::move(hint));
    failed_ = true;
  }

  void statement(const std::vector<Word>& words) {
    const auto& kind = words[0].text;
    if (kind == "T")
      tensor(words);
    else if (kind == "IN" || kind == "OUT")
      mark(words, kind == "IN");
    else if (kind == "OP")
      operation(words);
    else
      error(words[0].column, "'" + kind + "' is no kind of line", "T, IN, OUT or OP");
  }

  void tensor(const std::vector<Word>& words) {
    if (words.size() < 3) return error(words[0].column, "T needs a tensor and its bytes", "T <tensor> <bytes> [shape]");
    const auto& number = words[2].text;
    std::int64_t bytes = -1;
    const auto [end, problem] = std::from_chars(number.data(), number.data() + number.size(), bytes);
    if (problem != std::errc() || end != number.data() + number.size() || bytes < 0 || bytes > largest_value)
      return error(words[2].column, "'" + number + "' is no number of bytes from 0 to 1 TiB");
    if (!tensors_.emplace(words[1].text, Tensor{bytes, -1}).second)
      error(words[1].column, "tensor '" + words[1].text + "' is there twice");
  }

  Tensor* find(const Word& name) {
    const auto it = tensors_.find(name.text);
    if (it != tensors_.end()) return &it->second;
    error(name.column, "no tensor '" + name.text + "'", "its T line must come before");
    return nullptr;
  }

  int make(const Word& name, Tensor& tensor, std::vector<int> inputs, bool given) {
    if (tensor.node >= 0) {
      error(name.column, "tensor '" + name.text + "' is made twice");
      return -1;
    }
    if (static_cast<int>(graph_.nodes.size()) == most_nodes) {
      full_ = true;
      error(name.column, "more than " + std::to_string(most_nodes) + " inputs and operators");
      return -1;
    }
    tensor.node = static_cast<int>(graph_.nodes.size());
    graph_.nodes.push_back({name.text, tensor.bytes, std::move(inputs), given, kept_.count(name.text) != 0});
    return tensor.node;
  }

  void mark(const std::vector<Word>& words, bool in) {
    if (words.size() != 2) return error(words[0].column, words[0].text + " needs one tensor");
    auto* tensor = find(words[1]);
    if (tensor == nullptr) return;
    if (in) {
      if (!graph_.nodes.empty() && !graph_.nodes.back().given)
        return error(words[0].column, "IN after an OP", "the inputs come first");
      make(words[1], *tensor, {}, true);
      return;
    }
    kept_[words[1].text] = true;
    if (tensor->node >= 0) graph_.nodes[static_cast<std::size_t>(tensor->node)].kept = true;
  }

  void operation(const std::vector<Word>& words) {
    if (words.size() < 4)
      return error(words[0].column, "OP needs an index, a type and its output", "OP <index> <type> <out> <in>...");
    auto* out = find(words[3]);
    std::vector<int> inputs;
    for (std::size_t i = 4; i < words.size(); ++i) {
      const auto* input = find(words[i]);
      if (input == nullptr) continue;
      if (input->node < 0)
        error(words[i].column, "'" + words[i].text + "' is read before it is made",
              "operators stand in an order in which they can run; inputs have an IN line");
      else
        inputs.push_back(input->node);
    }
    if (out != nullptr) make(words[3], *out, std::move(inputs), false);
  }

  std::string file_;
  Diagnostics& diagnostics_;
  Graph graph_;
  std::map<std::string, Tensor> tensors_;
  std::map<std::string, bool> kept_;
  int line_ = 0;
  bool failed_ = false, full_ = false;
};

}  // namespace

std::optional<Graph> read_dag(const std::string& text, const std::string& file, Diagnostics& diagnostics) {
  return Reader(file, diagnostics).read(text);
}

}  // namespace dse::plan::branch
