// `choices:` of a sweep file as a declaration: for the parser and the schema.
#pragma once
#include <string>
#include <vector>

#include "base/yaml/yaml.h"

namespace dse::explore {

/// One entry of `choices:` as written: "scheme", or "conv3.scheme" of one layer.
struct ChoiceText {
  yaml::Name name;
  std::vector<yaml::Name> values;
};

/// A scalar, kept as written: what the device file's own reader makes of it is checked there.
yaml::Type<std::string> as_written();

/// Names and values are checked against the registry; names of layers and of parts of a device are taken as they are.
yaml::Type<std::vector<ChoiceText>> choice_fields();

}  // namespace dse::explore
