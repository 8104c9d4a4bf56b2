#include "explore/variants/variants.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/characters.h"
#include "base/crc32.h"
#include "base/fnv.h"
#include "base/system/whole_file.h"
#include "explore/variants/combinations.h"
#include "explore/variants/integers.h"
#include "explore/variants/trained.h"
#include "models/nn/circulant/compress.h"
#include "models/nn/dsenet.h"
#include "models/nn/graph/finish.h"
#include "models/nn/import.h"
#include "models/nn/made/fill.h"
#include "models/nn/passes/passes.h"
#include "models/nn/train/trainer.h"
#include "models/nn/yaml/training.h"

namespace dse::explore {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMaker = "variants 1";  // changes when equal inputs give other variants

std::string identity(std::string_view text) { return Fnv().text(text).hex(); }

/// As sweep files hold shares: six digits.
double rounded(double share) { return std::round(share * 1e6) / 1e6; }

const nn::LoadOptions in_float = nn::LoadOptions::floating();

class Maker {
 public:
  Maker(const VariantSpec& spec, const VariantOptions& options, Diagnostics& diags)
      : spec_(spec), options_(options), diags_(diags) {}

  std::vector<NetworkSpec> make() {
    if (!open()) return {};
    fs::create_directories(options_.folder);
    std::vector<NetworkSpec> out;
    const auto shapes = combinations(spec_.axes, is_of_layer);
    const auto rest = combinations(spec_.axes, [](const Axis& a) { return !is_of_layer(a); });
    for (const Fields& layers : shapes) {
      Real real;
      place_ = shapes.size() > 1 ? fmt::format("{} of {}: ", 1 + (&layers - shapes.data()), shapes.size()) : "";
      if (!make_real(layers, real)) return {};
      std::vector<std::string> ways;  // of this network's integers so far: what comes out the same is not another
      for (const Fields& r : rest)
        if (!add_integers(layers, r, real, ways, out)) return {};
    }
    return out;
  }

 private:
  /// A network in float with its weights.
  struct Real {
    nn::NetworkPtr network;
    std::string id;
    double proxy = 1;
    std::optional<double> equal_dense;
  };

  bool fail(const std::string& what, const std::string& hint = {}) {
    diags_.error(spec_.where, what, hint);
    return false;
  }
  bool interrupted() const { return options_.interrupted && *options_.interrupted; }

  /// Reads the base and the data.
  bool open() {
    for (const Axis& a : spec_.axes) {
      if (is_of_layer(a)) continue;
      const bool bits = a.path == "bits", domain = a.path == "domain";
      if (!bits && !domain) return fail("no axis '" + a.path + "' of a network", "LAYER.FIELD, bits or domain");
      for (const auto& v : a.values)
        if (bits ? v != "8" && v != "16" : v != "time" && v != "frequency")
          return fail(fmt::format("axis {}: '{}' is none of {}", a.path, v, bits ? "8, 16" : "time, frequency"));
    }
    const auto extension = fs::path(spec_.base).extension();
    in_words_ = extension == ".yaml" || extension == ".yml";
    if (in_words_) {
      const auto bytes = stored(spec_.base);
      text_.assign(bytes.begin(), bytes.end());
      base_ = nn::import_yaml(text_, spec_.base, diags_, in_float);
    } else {
      base_ = nn::load_network(spec_.base, diags_, in_float);
      if (base_) base_ = nn::finish_network(nn::plain_form(*base_), diags_, spec_.base, in_float);
    }
    if (!base_ || !training(text_, options_of_base_)) return false;
    if (spec_.data.empty()) return true;
    const auto& shape = base_->tensors[static_cast<std::size_t>(base_->inputs.at(0))].shape;
    data_ = nn::data::read_data_set(spec_.data, shape, diags_);
    if (!data_) return false;
    data_->limit(spec_.images);
    for (const auto* part : {&data_->train, &data_->test})
      data_id_ += fmt::format(" {:08x}{:08x}", crc32(part->pixels.data(), part->pixels.size()),
                              crc32(part->labels.data(), part->labels.size()));
    return true;
  }

  bool training(const std::string& text, nn::train::Options& to) {
    const auto options = in_words_ ? nn::training_options(text, spec_.base, diags_) : nn::train::Options{};
    if (!options) return false;
    to = *options;
    if (!in_words_) to.learning_rate = 0.001;
    if (spec_.epochs > 0) to.epochs = spec_.epochs;
    return true;
  }

  nn::NetworkPtr train(const nn::Network& n, const nn::train::Options& options, const std::string& what,
                       const std::string& checkpoint, double* reached) {
    return trained(n, *data_, options, {what, checkpoint, spec_}, options_, diags_, reached);
  }

  /// A dense network's weights on blocks. @param real its proxy is set
  nn::NetworkPtr projected(const nn::Network& dense, const std::map<std::string, int>& blocks, Real& real) {
    nn::circulant::CompressOptions options;
    options.blocks = blocks;
    std::vector<nn::circulant::CompressedLayer> layers;
    auto made = nn::circulant::compressed(dense, options, layers, spec_.base, diags_);
    if (diags_.has_errors()) return nullptr;
    real.proxy = 1 - nn::circulant::total_error(layers);
    return nn::finish_network(std::move(made), diags_, spec_.base, in_float);
  }

  bool make_real(const Fields& layers, Real& real) {
    return in_words_ ? of_words(layers, real) : of_weights(layers, real);
  }

  bool of_words(const Fields& layers, Real& real) {
    const auto text = nn::with_fields(text_, layers, spec_.base, diags_);
    const auto plain = text ? nn::import_yaml(*text, spec_.base, diags_, in_float) : nullptr;
    nn::train::Options options;
    if (!plain || !training(*text, options)) return false;
    const std::string what = "training " + place_ + label_of(base_->name, layers);
    real.id = identity(std::string(kMaker) + *text + options.text() + data_id_);
    if (!data_) {
      std::map<std::string, int> blocks;
      for (const auto& op : plain->operators)
        if (op.options.block > 1) blocks[op.name] = op.options.block;
      const auto dense = nn::import_yaml(nn::dense_of(*text), spec_.base, diags_, in_float);
      real.network = dense ? projected(*dense, blocks, real) : nullptr;
      return real.network != nullptr;
    }
    const auto place = (fs::path(options_.folder) / real.id).string();
    if (!taken_up(place, real)) {
      real.network = train(*plain, options, what, place + ".checkpoint", nullptr);
      if (!real.network) return false;
      real.equal_dense = accuracy_of_equal(*text, options, what);
      if (interrupted()) return false;
      keep(place, real);
    }
    return true;
  }

  /// For taken_up(), the network last: where it is, the rest is.
  static void keep(const std::string& place, const Real& real) {
    const nlohmann::json facts = {
        {"equal_dense", real.equal_dense ? nlohmann::json(*real.equal_dense) : nlohmann::json()}};
    write_whole(place + ".json", facts.dump());
    write_whole(place + ".float.dsenet", characters(nn::write_dsenet(*real.network)));
  }

  /// What an earlier run has trained.
  bool taken_up(const std::string& place, Real& real) {
    if (!fs::exists(place + ".float.dsenet") || !fs::exists(place + ".json")) return false;
    Diagnostics ignored;
    real.network = nn::load_network(place + ".float.dsenet", ignored, in_float);
    const auto facts = nlohmann::json::parse(stored(place + ".json"), nullptr, false);
    if (!real.network || !facts.is_object()) return false;
    const auto equal = facts.find("equal_dense");
    if (equal != facts.end() && equal->is_number()) real.equal_dense = rounded(equal->get<double>());
    return true;
  }

  std::optional<double> accuracy_of_equal(const std::string& text, const nn::train::Options& options,
                                          const std::string& what) {
    const auto equal = nn::equal_dense(text);
    Diagnostics ignored;
    const auto n = equal ? nn::import_yaml(*equal, spec_.base, ignored, in_float) : nullptr;
    double reached = 0;
    if (!n || !train(*n, options, what + ", dense of as many parameters", {}, &reached)) return std::nullopt;
    return rounded(reached);
  }

  bool of_weights(const Fields& layers, Real& real) {
    std::map<std::string, int> blocks;
    for (const auto& [path, value] : layers) {
      const auto dot = path.rfind('.');
      std::int64_t block = 0;
      if (path.substr(dot + 1) != "block" || !nn::parse_integer(value, block) || block < 1 || block > 32768)
        return fail(
            fmt::format("axis {}: of a network with weights LAYER.block alone can be varied, from 1 to 32768", path));
      blocks[path.substr(0, dot)] = static_cast<int>(block);
    }
    real.network = projected(*base_, blocks, real);
    if (!real.network) return false;
    const auto bytes = nn::write_dsenet(*real.network);
    real.id = identity(fmt::format("{}{:08x}{}{}", kMaker, crc32(bytes.data(), bytes.size()), data_id_, spec_.epochs));
    if (!data_ || spec_.epochs == 0) return true;
    const auto place = (fs::path(options_.folder) / real.id).string();
    if (taken_up(place, real)) return true;
    real.network = train(*real.network, options_of_base_, "fine-tuning " + place_ + label_of(base_->name, layers),
                         place + ".checkpoint", nullptr);
    if (!real.network) return false;
    keep(place, real);
    return true;
  }

  bool add_integers(const Fields& layers, const Fields& rest, const Real& real, std::vector<std::string>& ways,
                    std::vector<NetworkSpec>& out) {
    Integers wanted;
    for (const auto& [path, value] : rest) {
      if (path == "bits") wanted.bits = value == "16" ? 16 : 8;
      if (path == "domain") wanted.spectral = value == "frequency";
    }
    Fields all = layers;
    all.insert(all.end(), rest.begin(), rest.end());
    const std::string label = label_of(base_->name, all);
    if (options_.progress) options_.progress("measuring " + label, 0, 1);
    const auto& resize = options_of_base_.resize;
    const auto integers = in_integers(*real.network, wanted, data_ ? &*data_ : nullptr, resize, spec_.base, diags_);
    if (!integers) return false;
    nn::Network made = *integers;
    made.name.clear();
    const auto way = identity(characters(nn::write_dsenet(made)));
    if (std::count(ways.begin(), ways.end(), way) > 0) return true;
    ways.push_back(way);
    made.name = label;
    NetworkSpec v(
        (fs::path(options_.folder) / fmt::format("{}.{}.dsenet", base_->name, identity(label + way))).string(),
        {base_->name, all, {}, {}, real.equal_dense});
    write_whole(v.file, characters(nn::write_dsenet(made)));
    if (data_) {
      const auto accuracy = accuracy_of(made, *data_, resize, spec_.base, v.file, diags_, [&](auto done, auto total) {
        if (options_.progress) options_.progress("measuring " + label, done, total);
      });
      if (!accuracy) return false;
      v.facts.accuracy = rounded(*accuracy), v.facts.accuracy_of = fmt::format("{} images", data_->test.count());
    } else {
      v.facts.accuracy = rounded(real.proxy), v.facts.accuracy_of = "proxy: 1 - relative error of the projection";
    }
    if (interrupted()) return false;
    out.push_back(std::move(v));
    return true;
  }

  const VariantSpec& spec_;
  const VariantOptions& options_;
  Diagnostics& diags_;
  bool in_words_ = false;
  std::string text_, data_id_;
  std::string place_;  // "3 of 8: ", of what is made
  nn::NetworkPtr base_;
  nn::train::Options options_of_base_;
  std::optional<nn::data::DataSet> data_;
};

}  // namespace

std::vector<NetworkSpec> make_variants(const VariantSpec& spec, const VariantOptions& options, Diagnostics& diags) {
  return Maker(spec, options, diags).make();
}

}  // namespace dse::explore
