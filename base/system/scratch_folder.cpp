#include "base/system/scratch_folder.h"

#include <cstdlib>
#include <string>

namespace dse {

ScratchFolder::ScratchFolder() {
  auto name = (std::filesystem::temp_directory_path() / "dse-XXXXXX").string();
  if (::mkdtemp(name.data())) path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code error;
  if (!path_.empty()) std::filesystem::remove_all(path_, error);
}

}  // namespace dse
