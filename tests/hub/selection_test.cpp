// Which files of a repository are pulled.
#include "files/hub/selection.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace linnet::hub {
namespace {

using Names = std::vector<std::string>;

Selection select(const Names& names, std::string_view quant = {}) {
  return select_files("org/repo", {names.begin(), names.end()}, quant);
}

std::string refusal(const Names& names, std::string_view quant = {}) {
  try {
    (void)select(names, quant);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::model);
    return error.what();
  }
  return "nothing was refused";
}

TEST(HubSelection, ReadsTheQuantizationFromTheName) {
  EXPECT_EQ(quant_of("Qwen2.5-0.5B-Instruct-Q4_K_M.gguf"), "Q4_K_M");
  EXPECT_EQ(quant_of("qwen2.5-0.5b-instruct-q8_0.gguf"), "Q8_0");
  EXPECT_EQ(quant_of("llama-2-7b.Q8_0.gguf"), "Q8_0");
  EXPECT_EQ(quant_of("model_iq4_xs.gguf"), "IQ4_XS");
  EXPECT_EQ(quant_of("gemma-fp16.gguf"), "F16");
  EXPECT_EQ(quant_of("gpt-oss-20b-MXFP4.gguf"), "MXFP4");
  EXPECT_EQ(quant_of("Q8_0/model-Q8_0-00001-of-00002.gguf"), "Q8_0");
  EXPECT_EQ(quant_of("BF16/part-00001-of-00002.gguf"), "BF16");
  EXPECT_EQ(quant_of("model.gguf"), "");
  EXPECT_EQ(quant_of("model-Q8_0.safetensors"), "");
}

TEST(HubSelection, TakesTheQuantizationAskedForInAnyCase) {
  const Names names = {"README.md",   "m-Q4_K_M.gguf", "m-Q4_K_S.gguf",
                       "m-Q8_0.gguf", "m-IQ4_XS.gguf", "mmproj-m-Q8_0.gguf"};
  EXPECT_EQ(select(names, "q8_0").files, Names{"m-Q8_0.gguf"});
  EXPECT_EQ(select(names, "Q4_K_M").gguf, "m-Q4_K_M.gguf");
  EXPECT_EQ(select(names, "m-Q4_K_S.gguf").gguf, "m-Q4_K_S.gguf");
  const auto message = refusal(names, "Q4_K");
  EXPECT_NE(message.find("IQ4_XS, Q4_K_M, Q4_K_S, Q8_0"), message.npos) << message;
  EXPECT_EQ(select({"m-UD-Q2_K_XL.gguf", "m-Q8_0.gguf"}, "UD-Q2_K_XL").gguf, "m-UD-Q2_K_XL.gguf");
}

TEST(HubSelection, TakesAllPartsOfASplitFileAndMissesNone) {
  const Names names = {"m-Q8_0-00002-of-00003.gguf", "m-Q8_0-00001-of-00003.gguf",
                       "m-Q8_0-00003-of-00003.gguf", "m-F16.gguf"};
  const auto selection = select(names, "Q8_0");
  EXPECT_EQ(selection.gguf, "m-Q8_0-00001-of-00003.gguf");
  EXPECT_EQ(selection.files.size(), 3u);
  EXPECT_NE(refusal({"m-Q8_0-00001-of-00002.gguf"}, "Q8_0").find("part 2 of 2"), std::string::npos);
  EXPECT_EQ(select({"m-00001-of-00002.gguf", "m-00002-of-00002.gguf", "m.gguf"}, "m.gguf").files,
            Names{"m.gguf"});
}

TEST(HubSelection, NamesTheFilesWhenSeveralMatch) {
  const auto message = refusal({"a-Q8_0.gguf", "b-Q8_0.gguf"}, "Q8_0");
  EXPECT_NE(message.find("a-Q8_0.gguf, b-Q8_0.gguf"), message.npos) << message;
}

TEST(HubSelection, PrefersWhatThisVersionReadsWhenOnlyGgufIsThere) {
  EXPECT_EQ(select({"m-Q4_K_M.gguf", "m-F32.gguf", "m-BF16.gguf", "m-F16.gguf", "m-Q8_0.gguf"}).gguf,
            "m-Q8_0.gguf");
  EXPECT_EQ(select({"m-Q4_K_M.gguf", "m-BF16.gguf", "m-F16.gguf"}).gguf, "m-F16.gguf");
  EXPECT_EQ(select({"m-Q4_K_M.gguf"}).gguf, "m-Q4_K_M.gguf");
  EXPECT_NE(refusal({"m-Q4_K_M.gguf", "m-Q5_K_M.gguf"}).find("Q4_K_M, Q5_K_M"), std::string::npos);
}

TEST(HubSelection, PrefersSafetensorsWithTheirCompanions) {
  const auto single =
      select({"README.md", "config.json", "model.safetensors", "model.safetensors.index.json", "m-Q8_0.gguf",
              "pytorch_model.bin", "tokenizer.json", "1_Pooling/config.json", "onnx/model.safetensors"});
  EXPECT_EQ(single.files,
            (Names{"config.json", "tokenizer.json", "1_Pooling/config.json", "model.safetensors"}));
  EXPECT_EQ(single.gguf, "");
  EXPECT_EQ(single.index, "");
  const auto sharded =
      select({"config.json", "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors",
              "model.safetensors.index.json", "consolidated.safetensors"});
  EXPECT_EQ(sharded.index, "model.safetensors.index.json");
  EXPECT_EQ(sharded.files, (Names{"config.json", "model.safetensors.index.json"}));
  EXPECT_EQ(select({"adapter.safetensors"}).files, Names{"adapter.safetensors"});
}

TEST(HubSelection, SaysWhenThereIsNothingToRead) {
  EXPECT_NE(refusal({"pytorch_model.bin"}).find("neither"), std::string::npos);
  EXPECT_NE(refusal({"model.safetensors"}, "Q8_0").find("no GGUF"), std::string::npos);
}

}  // namespace
}  // namespace linnet::hub
