# Debian 12 packages, by what needs them. Sourced by the other scripts.

# Building and running the program.
PROGRAM_PACKAGES=(
  g++ cmake ninja-build pkg-config
  libsystemc-dev            # discrete-event kernel, TLM-2.0
  libyaml-cpp-dev           # device, network, sweep and plan files
  libfmt-dev libspdlog-dev  # text and logs
  libcli11-dev              # command line
  nlohmann-json3-dev        # reports, packages, schemas
  libsqlite3-dev            # the study of a sweep
  libeigen3-dev             # networks in float, Fourier transforms
  zlib1g-dev                # data sets that are compressed
  flatbuffers-compiler libflatbuffers-dev  # TensorFlow Lite files
  protobuf-compiler libprotobuf-dev  # ONNX files
  libpugixml-dev            # graphs of dataflow in XML
  libsodium-dev             # encrypted packages, SHA-256
  node-d3                   # the report's charts
)

# Building the tests, and running all but the slow ones.
TEST_PACKAGES=(libgtest-dev libgmock-dev clang cppcheck make
  gcc-multilib gcc-arm-none-eabi libnewlib-arm-none-eabi qemu-system-arm  # packages, compiled and run as firmware
  python3-numpy libopenblas0-pthread)  # the double-precision evaluation of float networks

# What only continuous integration needs: benchmarks, formatting, static analysis, fuzzing, and the slow tests, which drive the report in
# a browser; the compiler's cache, for machines that are kept.
CI_PACKAGES=(ccache libbenchmark-dev clang clang-format clang-tidy libclang-rt-14-dev git python3 chromium chromium-driver python3-selenium)

# need_packages NAME...: installs with apt what is missing. Without root, prints the command that would and returns 1.
need_packages() {
  local package missing=()
  if ! command -v dpkg-query >/dev/null; then
    echo "this is no Debian: taking it that these, or what they are called here, are installed: $*" >&2
    return 0
  fi
  for package in "$@"; do
    if [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" != installed ]; then missing+=("$package"); fi
  done
  if [ ${#missing[@]} -eq 0 ]; then return 0; fi
  if [ "$(id -u)" -ne 0 ]; then
    echo "missing packages; install them and start again:" >&2
    echo "  sudo apt-get install --no-install-recommends ${missing[*]}" >&2
    return 1
  fi
  echo "installing ${missing[*]}"
  apt-get update -q
  DEBIAN_FRONTEND=noninteractive apt-get install -yq --no-install-recommends "${missing[@]}" </dev/null
}
