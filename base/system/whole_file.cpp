#include "base/system/whole_file.h"

#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace dse {

void write_whole(const std::string& path, std::string_view content) {
  const std::string partial = path + ".partial";
  {
    std::ofstream out(partial, std::ios::binary);
    out << content;
    if (!out.flush()) throw std::runtime_error("cannot write " + partial);
  }
  std::filesystem::rename(partial, path);
}

}  // namespace dse
