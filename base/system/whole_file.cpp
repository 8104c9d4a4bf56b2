#include "base/system/whole_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace dse {

void write_whole(const std::string& path, std::string_view content) {
  const std::string partial = path + ".partial";
  {
    std::ofstream out(partial, std::ios::binary);
    out << content;
    if (!out.flush()) {
      const std::string why = std::strerror(errno);
      std::error_code ignored;
      std::filesystem::remove(partial, ignored);
      throw std::runtime_error(path + ": cannot be written: " + why);
    }
  }
  std::filesystem::rename(partial, path);
}

}  // namespace dse
