// The fixture's weights as Hugging Face lays them out give the results of transformers, and become the GGUF
// file they were made from.
#include <gtest/gtest.h>

#include "base/error.h"
#include "files/gguf.h"
#include "files/gguf_writer.h"
#include "files/quantize.h"
#include "files/safetensors_bytes.h"
#include "files/temporary_folder.h"
#include "models/hugging_face_folder.h"
#include "models/llama_fixture.h"
#include "models/llama_gguf.h"
#include "runtime/devices.h"
#include "runtime/sequences.h"
#include "runtime/text_model.h"
#include "text/gguf_export.h"
#include "text/model_tokenizer.h"
#include "text/test_files.h"

namespace linnet {
namespace {

using testing::FolderOptions;
using testing::LlamaFixtureFiles;

// What make_fixture.py gave transformers for llama_tied.
constexpr const char* kLlama3 =
    R"(,"rope_scaling":{"rope_type":"llama3","factor":8.0,"low_freq_factor":1.0,"high_freq_factor":4.0,"original_max_position_embeddings":64},"rope_theta":10000.0)";
constexpr const char* kLlama3Parameters =
    R"(,"rope_parameters":{"rope_type":"llama3","rope_theta":10000.0,"factor":8.0,"low_freq_factor":1.0,"high_freq_factor":4.0,"original_max_position_embeddings":64})";

struct Case {
  const char* name;
  const char* device;
  const char* fixture;
  FolderOptions options;
};

class LlamaFolder : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    if (!testing::can_open(GetParam().device)) GTEST_SKIP() << "no device '" << GetParam().device << "'";
    testing::write_hugging_face_folder(folder / "model", open_gguf(fixture.gguf), GetParam().options);
    device = testing::open(GetParam().device);
  }
  test::TemporaryFolder folder;
  LlamaFixtureFiles fixture{GetParam().fixture};
  std::unique_ptr<Device> device;
};

INSTANTIATE_TEST_SUITE_P(
    As, LlamaFolder,
    ::testing::Values(Case{"one_file_cpu", "cpu", "llama_tiny", {}},
                      Case{"one_file_reference", "reference", "llama_tiny", {}},
                      Case{"one_file_cuda", "cuda", "llama_tiny", {}},
                      Case{"three_shards_cpu", "cpu", "llama_tiny", {.shards = 3}},
                      Case{"misaligned_cpu", "cpu", "llama_tiny", {.misaligned = true}},
                      Case{"misaligned_reference", "reference", "llama_tiny", {.misaligned = true}},
                      Case{"misaligned_cuda", "cuda", "llama_tiny", {.misaligned = true}},
                      Case{"tied_cpu", "cpu", "llama_tied", {.config = kLlama3}},
                      Case{"tied_reference", "reference", "llama_tied", {.config = kLlama3Parameters}},
                      Case{"tied_cuda", "cuda", "llama_tied", {.config = kLlama3}}),
    [](const auto& each) { return each.param.name; });

TEST_P(LlamaFolder, GivesTheLogitsAndTokensOfTransformers) {
  TextModel model(open_model(folder / "model"), *device,
                  TextModelOptions{.context = 256,
                                   .slots = 1,
                                   .prompt_rows = 128,
                                   .logit_rows = 128,
                                   .compile = CompileOptions{.activations = Format::f32, .kv = Format::f32}});
  testing::expect_same_logits(testing::logits_of_prompt(model, fixture.prompt, 128), fixture.logits);
  EXPECT_EQ(testing::continuation_of(model, fixture.prompt, 64, 128).tokens, fixture.greedy);
}

// A value as a GGUF file has it.
std::vector<std::byte> encoded(const MetadataValue& value) {
  Metadata metadata;
  metadata.set("key", value);
  return encode_gguf_header(metadata, {});
}

TEST_P(LlamaFolder, BecomesTheGgufFileItWasMadeFrom) {
  const ModelFiles model = open_model(folder / "model");
  const GgufModel described = describe_as_gguf(model);
  EXPECT_TRUE(described.notes.empty());
  (void)quantize(model.tensors, described.contents, folder / "out.gguf",
                 {.target = Format::f32, .progress = {}});
  const TensorFile made = open_gguf(folder / "out.gguf");
  const TensorFile original = open_gguf(fixture.gguf);
  ASSERT_EQ(made.tensors().size(), original.tensors().size());
  for (const TensorInfo& expected : original.tensors()) {
    const TensorInfo& tensor = made.get(expected.name);
    EXPECT_EQ(tensor.shape, expected.shape);
    EXPECT_TRUE(std::ranges::equal(made.bytes(tensor), original.bytes(expected))) << expected.name;
  }
  for (const auto& [key, value] : original.metadata().entries()) {
    if (key == "general.name" || key == "tokenizer.ggml.scores") continue;
    const MetadataValue* got = made.metadata().find(key);
    ASSERT_NE(got, nullptr) << key;
    EXPECT_EQ(encoded(*got), encoded(value)) << key;
  }
}

TEST_P(LlamaFolder, TokenizesAsTheGgufFileItBecomes) {
  const ModelFiles model = open_model(folder / "model");
  (void)quantize(model.tensors, describe_as_gguf(model).contents, folder / "out.gguf",
                 {.target = Format::f16, .progress = {}});
  const auto from_folder = make_tokenizer(model);
  const auto from_gguf = open_tokenizer(folder / "out.gguf");
  const auto from_original = open_tokenizer(fixture.gguf);
  for (const char* text :
       {"", " ", "the", "and the other in  the winter", "A\xC3\xA4 \xFF", "sing, singing. the."}) {
    EXPECT_EQ(from_gguf->encode(text), from_original->encode(text)) << text;
    const bool is_clean = std::string_view(text).find('\xFF') == std::string_view::npos && *text != '\0';
    if (!is_clean) continue;
    EXPECT_EQ(from_folder->encode(text), from_original->encode(text)) << text;
  }
  EXPECT_EQ(from_folder->end_of_generation(), from_original->end_of_generation());
}

// Llama 2's own vocabulary as transformers converts it, and back.
TEST(LlamaVocabulary, KeepsItsTokensOnTheWayToGguf) {
  const auto path = test::testdata() / "tokenizers" / "llama-spm.gguf";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is absent";
  const TensorFile original = open_gguf(path);
  const test::TemporaryFolder folder;
  test::write_bytes(folder / "tokenizer.json", testing::tokenizer_json_of(original.metadata()));
  Metadata exported;
  exported.set("general.architecture", std::string("llama"));
  EXPECT_TRUE(export_tokenizer(folder / "", 32000, exported).empty());
  const auto from_original = make_tokenizer(original.metadata());
  const auto from_exported = make_tokenizer(exported);
  const auto from_folder = open_tokenizer(folder / "");
  std::string texts = test::contents_of(path.string() + ".inp");
  texts += "\nThe quick brown fox jumps over the lazy dog, 1234567890 times; don't you think so?\n";
  const EncodeOptions plain{.add_special = false};
  EXPECT_EQ(from_exported->encode(texts, plain), from_original->encode(texts, plain));
  EXPECT_EQ(from_folder->encode(texts, plain), from_original->encode(texts, plain));
}

TEST(LlamaFolderErrors, NameTheTensor) {
  const test::TemporaryFolder folder;
  const LlamaFixtureFiles fixture("llama_tiny");
  const auto device = testing::open("reference");
  const auto expect_refused = [&](const char* config, std::string_view fragment) {
    testing::write_hugging_face_folder(folder / "model", open_gguf(fixture.gguf), {.config = config});
    for (const bool convert : {false, true}) {
      try {
        const ModelFiles model = open_model(folder / "model");
        if (convert) {
          (void)describe_as_gguf(model);
        } else {
          (void)plan_memory(model, {}, *device);
        }
        FAIL() << "expected: " << fragment;
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::model);
        EXPECT_NE(std::string_view(error.what()).find(fragment), std::string_view::npos) << error.what();
      }
    }
  };
  // The last of two members of one name counts, as in Python.
  expect_refused(R"(,"attention_bias":true)",
                 "tensor 'model.layers.0.self_attn.q_proj.bias' [64] is missing");
  expect_refused(R"(,"num_hidden_layers":2)", "is not part of the model");
  expect_refused(R"(,"hidden_size":128)",
                 "tensor 'model.embed_tokens.weight': expected [308, 128], got [308, 64]");
  expect_refused(R"(,"num_hidden_layers":4)",
                 "tensor 'model.layers.3.input_layernorm.weight' [64] is missing");
}

}  // namespace
}  // namespace linnet
