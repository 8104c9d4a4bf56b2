// Tables of cycles by shape, as text: what they say, and every way in which they are wrong.
#include "models/hw/libraries/shape_rows.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "models/hw/device_reader.h"
#include "models/hw/library.h"

namespace dse::hw::shape_rows_test {
namespace {

using testing::HasSubstr;

const std::string head = "operator,out_h,out_w,out_c,in_c,kernel_h,kernel_w,stride_h,stride_w,type,cycles\n";

std::vector<ShapeCycles> rows_of(const std::string& text) {
  Diagnostics d;
  const auto rows = read_shape_rows(text, "npu.csv", d);
  EXPECT_EQ(d.text(), "");
  return rows.value_or(std::vector<ShapeCycles>{});
}

std::string errors_of(const std::string& text) {
  Diagnostics d;
  EXPECT_FALSE(read_shape_rows(text, "npu.csv", d));
  EXPECT_TRUE(d.has_errors());
  return d.text();
}

TEST(ShapeRows, AreReadByColumn) {
  const auto rows = rows_of(
      "cycles,operator,out_c,in_c,out_h,out_w,kernel_h,kernel_w,stride_h,stride_w,dilation_w,type,source\n"
      "1200,CONV_2D,16,8,4,5,3,2,1,2,4,int16,\"RTL, run 7\"\n"
      "90,FULLY_CONNECTED,10,64,,,,,,,,,\n"
      "70,DEPTHWISE_CONV_2D,16,16,4,5,3,3,1,1,,int8,\n");
  ASSERT_EQ(rows.size(), 3u);
  const ShapeCycles conv{"CONV_2D", true, 3, 2, 1, 2, 1, 4, 4, 5, 16, 8, 1200};
  EXPECT_EQ(rows[0], conv);
  const ShapeCycles depthwise{"DEPTHWISE_CONV_2D", false, 3, 3, 1, 1, 1, 1, 4, 5, 16, 1, 70};
  EXPECT_EQ(rows[1], depthwise);
  const ShapeCycles dense{"FULLY_CONNECTED", false, 1, 1, 1, 1, 1, 1, 1, 1, 10, 64, 90};
  EXPECT_EQ(rows[2], dense);
}

TEST(ShapeRows, TheirOrderDoesNotMatterNorDoRowsThatSayTheSame) {
  const std::string a = "CONV_2D,4,4,16,8,3,3,1,1,,100\n", b = "CONV_2D,8,4,16,8,3,3,1,1,int8,150\n",
                    c = "ADD,8,4,16,,,,,,,20\n";
  EXPECT_EQ(rows_of(head + a + b + c), rows_of(head + c + b + a));
  EXPECT_EQ(rows_of(head + a + b + c + a), rows_of(head + a + b + c));
  EXPECT_EQ(rows_of(head + a + b + c).size(), 3u);
}

TEST(ShapeRows, WhatIsWrongHasItsLine) {
  const auto row = [](const std::string& text) { return errors_of(head + text + "\n"); };
  EXPECT_THAT(row("CONV2D,4,4,16,8,3,3,1,1,,100"),
              HasSubstr("npu.csv:2: error: has an operator 'CONV2D'; did you mean CONV_2D?"));
  EXPECT_THAT(row("CONV_2D,4,4,16,,3,3,1,1,,100"), HasSubstr("npu.csv:2: error: CONV_2D needs in_c"));
  EXPECT_THAT(row("CONV_2D,4,4,16,8,,3,1,1,,100"), HasSubstr("npu.csv:2: error: CONV_2D needs kernel_h"));
  EXPECT_THAT(row("CONV_2D,,4,16,8,3,3,1,1,,100"), HasSubstr("npu.csv:2: error: CONV_2D needs out_h"));
  EXPECT_THAT(row("CONV_2D,4,4,16,8,3,3,1,1,,"), HasSubstr("npu.csv:2: error: CONV_2D needs cycles"));
  for (const char* cycles :
       {"-5", "nan", "inf", "0", "1.5", "1e3", "0x10", "10000000001", "99999999999999999999", " 7"})
    EXPECT_THAT(
        row("CONV_2D,4,4,16,8,3,3,1,1,," + std::string(cycles)),
        HasSubstr("npu.csv:2: error: cycles: '" + std::string(cycles) + "' is no whole number from 1 to 10000000000"));
  EXPECT_THAT(row("CONV_2D,4,65537,16,8,3,3,1,1,,100"),
              HasSubstr("npu.csv:2: error: out_w: '65537' is no whole number from 1 to 65536"));
  EXPECT_THAT(row("CONV_2D,4,4,16,8,3,3,1,1,int4,100"),
              HasSubstr("npu.csv:2: error: type: 'int4' is not int8 or int16"));
  EXPECT_THAT(row("ADD,4,4,16,8,,,,,,100"), HasSubstr("npu.csv:2: error: in_c: '8' is not 16, its out_c"));
  EXPECT_THAT(row("ADD,4,4,16,,3,,,,,100"),
              HasSubstr("npu.csv:2: error: kernel_h: '3' is not 1, as of an operator without a window"));
  EXPECT_THAT(row("ADD,4,4"), HasSubstr("npu.csv:2: error: has 3 cells, but there are 11 columns"));
}

TEST(ShapeRows, WhatIsWrongWithTheColumnsIsSaidOfTheFirstLine) {
  EXPECT_THAT(errors_of("operator,out_c\nADD,4\n"), HasSubstr("npu.csv:1: error: has no column cycles"));
  EXPECT_THAT(errors_of("operator,out_c,cycles,strideh\nADD,4,5,\n"),
              HasSubstr("npu.csv:1: error: has a column 'strideh'; did you mean stride_h?"));
  EXPECT_THAT(errors_of(head), HasSubstr("npu.csv:1: error: has no row"));
  EXPECT_THAT(errors_of(""), HasSubstr("npu.csv:1: error: has no line that names its columns"));
}

TEST(ShapeRows, NoRowTakesLessThanOneThatItCovers) {
  const auto text = errors_of(head + "CONV_2D,4,4,16,8,3,3,1,1,,100\nCONV_2D,4,5,16,8,3,3,1,1,,99\n");
  EXPECT_THAT(text,
              HasSubstr("npu.csv:3: error: CONV_2D of 4x5x16 from 8 channels, kernel 3x3, stride 1x1, int8 takes 99 "
                        "cycles, but line 2 gives CONV_2D of 4x4x16 from 8 channels, kernel 3x3, stride 1x1, int8, "
                        "which is no larger, 100"));
  EXPECT_THAT(errors_of(head + "CONV_2D,4,4,16,8,3,3,1,1,,90\nCONV_2D,4,4,16,8,3,3,1,1,,100\n"),
              HasSubstr("npu.csv:3: error: CONV_2D of 4x4x16 from 8 channels, kernel 3x3, stride 1x1, int8 takes 100 "
                        "cycles, but line 2 gives it 90"));
  // Pixels of 1x1 are in any rows; windows, strides and types are not compared.
  EXPECT_THAT(errors_of(head + "CONV_2D,4,4,16,8,1,1,1,1,,90\nCONV_2D,2,8,16,8,1,1,1,1,,100\n"),
              HasSubstr("gives it 90"));
  EXPECT_EQ(
      rows_of(head + "CONV_2D,4,4,16,8,3,3,1,1,,90\nCONV_2D,4,4,16,8,3,3,2,2,,100\nCONV_2D,4,4,16,8,3,3,1,1,int16,"
                     "80\nCONV_2D,3,5,16,8,3,3,1,1,,70\n")
          .size(),
      4u);
}

TEST(ShapeRows, TheFirstTwentyErrorsAreSaid) {
  std::string text = head;
  for (int i = 0; i < 50; ++i) text += "CONV_2D,4,4,16,8,3,3,1,1,,-1\n";
  Diagnostics d;
  EXPECT_FALSE(read_shape_rows(text, "npu.csv", d));
  EXPECT_EQ(d.list().size(), 20u);
}

TEST(ShapeRows, ThereMayBeTenThousand) {
  std::string text = head;
  for (int i = 1; i <= 10000; ++i)
    text += "CONV_2D," + std::to_string(i) + ",4,16,8,3,3,1,1,," + std::to_string(i) + "\n";
  EXPECT_EQ(rows_of(text).size(), 10000u);
  EXPECT_THAT(errors_of(text + "ADD,4,4,16,,,,,,,100\n"),
              HasSubstr("npu.csv:10002: error: is beyond the 10000 rows that a table may have"));
}

const char* const device_text = R"(name: paper
clock: 100 MHz
kernels: {library: rtl}
memories:
  l1: {size: 64 KiB, width: 8 B/cycle, on_chip: true}
engines:
  npu: {kind: table, memory: l1, table: npu.csv, cycles_per_element: {default: 1}}
constants: l1
io: l1
)";

class OfADevice : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("dse_shapes_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
    write("paper.yaml", device_text);
    write("npu.csv", head + "CONV_2D,4,4,16,8,3,3,1,1,,100\n");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  DevicePtr read(const yaml::Overrides& overrides = {}) {
    Diagnostics d;
    auto out = read_device((folder_ / "paper.yaml").string(), overrides, d);
    said_ = d.text();
    return out;
  }
  std::string in_folder(const std::string& name) { return (folder_ / name).string(); }

  std::filesystem::path folder_;
  std::string said_;
};

TEST_F(OfADevice, LieBesideItsFile) {
  const auto device = read();
  ASSERT_TRUE(device) << said_;
  EXPECT_EQ(said_, "");
  ASSERT_EQ(device->compute_engine(), 0);
  EXPECT_EQ(device->engines[0].kind, EngineKind::table);
  ASSERT_EQ(device->engines[0].cycles_by_shape.size(), 1u);
  EXPECT_EQ(device->engines[0].cycles_by_shape[0].cycles, 100);
  EXPECT_EQ(files_of_device(in_folder("paper.yaml"), {}), std::vector<std::string>{in_folder("npu.csv")});
}

TEST_F(OfADevice, AreWhatItIs) {
  const auto hash = read()->hash();
  write("npu.csv", head + "CONV_2D,4,4,16,8,3,3,1,1,,101\n");
  EXPECT_NE(read()->hash(), hash);
  write("npu.csv", "source," + head + "run 9,CONV_2D,4,4,16,8,3,3,1,1,int8,100\n");
  EXPECT_EQ(read()->hash(), hash) << "where a number comes from is not what it is";
}

TEST_F(OfADevice, AreAnAxisToo) {
  write("fast.csv", head + "CONV_2D,4,4,16,8,3,3,1,1,,10\n");
  const yaml::Overrides fast = {{"engines.npu.table", "fast.csv", {"--set", 0, 0}}};
  ASSERT_TRUE(read(fast)) << said_;
  EXPECT_EQ(read(fast)->engines[0].cycles_by_shape[0].cycles, 10);
  EXPECT_EQ(files_of_device(in_folder("paper.yaml"), fast), std::vector<std::string>{in_folder("fast.csv")});
}

TEST_F(OfADevice, AreMissed) {
  std::filesystem::remove(folder_ / "npu.csv");
  EXPECT_FALSE(read());
  EXPECT_THAT(said_, HasSubstr("paper.yaml:7:41: error: engines.npu.table: there is no file '"));
  EXPECT_THAT(said_, HasSubstr("npu.csv'"));
}

TEST_F(OfADevice, AreNotElsewhere) {
  for (const char* path : {"../npu.csv", "/etc/passwd", "tables/npu.csv", ".."}) {
    EXPECT_FALSE(read({{"engines.npu.table", path, {"--set", 0, 0}}})) << path;
    EXPECT_THAT(said_, HasSubstr("is no plain name of a file"));
  }
}

TEST_F(OfADevice, AreNamedInTheirErrors) {
  write("npu.csv", head + "CONV_2D,4,4,16,8,3,3,1,1,,-1\n");
  EXPECT_FALSE(read());
  EXPECT_THAT(said_, HasSubstr(in_folder("npu.csv") + ":2: error: cycles: '-1'"));
}

TEST_F(OfADevice, NeedAName) {
  std::string text = device_text;
  text.replace(text.find("table: npu.csv, "), 16, "");
  write("paper.yaml", text);
  EXPECT_FALSE(read());
  EXPECT_THAT(said_, HasSubstr("needs the field table"));
}

}  // namespace
}  // namespace dse::hw::shape_rows_test
