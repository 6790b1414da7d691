// Makes the seeds of the fuzz targets with the project's own writer: make_fuzz_corpus FOLDER. Findings are
// added to the corpora by hand and not touched here.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "files/gguf_writer.h"
#include "text/small_vocabulary.h"

namespace linnet {
namespace {

void save(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

void save_all(const std::filesystem::path& folder, const std::vector<std::string>& texts) {
  for (size_t i = 0; i < texts.size(); ++i)
    save(folder / std::to_string(i), std::as_bytes(std::span(texts[i])));
}

[[nodiscard]] Metadata every_type() {
  Metadata metadata;
  metadata.set("u8", uint8_t{1});
  metadata.set("i8", int8_t{-1});
  metadata.set("u16", uint16_t{2});
  metadata.set("i16", int16_t{-2});
  metadata.set("u32", uint32_t{3});
  metadata.set("i32", int32_t{-3});
  metadata.set("f32", 0.5f);
  metadata.set("bool", true);
  metadata.set("string", std::string("text"));
  metadata.set("u64", uint64_t{4});
  metadata.set("i64", int64_t{-4});
  metadata.set("f64", 0.25);
  metadata.set("strings", MetadataArray(StringArray(std::vector<std::string>{"", "a"})));
  metadata.set("bools", MetadataArray(std::vector<bool>{true, false}));
  metadata.set("f32s", MetadataArray(std::vector<float>{1, 2}));
  return metadata;
}

// Without byte tokens: small enough for the fuzzer to change any part of it.
[[nodiscard]] Metadata tiny_tokenizer() {
  Metadata metadata;
  metadata.set("tokenizer.ggml.model", std::string("llama"));
  metadata.set("tokenizer.ggml.tokens", MetadataArray(StringArray(std::vector<std::string>{
                                            "<unk>", "<s>", "<0x61>", "▁", "a", "aa", "<tool>"})));
  metadata.set("tokenizer.ggml.scores", MetadataArray(std::vector<float>{0, 0, 0, -1, -2, -3, 0}));
  metadata.set("tokenizer.ggml.token_type", MetadataArray(std::vector<int32_t>{2, 3, 6, 1, 1, 1, 4}));
  metadata.set("tokenizer.ggml.eos_token_id", uint32_t{1});
  return metadata;
}

// Byte-level BPE, WordPiece and unigram in a few hundred bytes each.
[[nodiscard]] Metadata other_tokenizer(const char* model) {
  Metadata metadata;
  metadata.set("tokenizer.ggml.model", std::string(model));
  metadata.set("tokenizer.ggml.pre", std::string("default"));
  metadata.set("tokenizer.ggml.tokens", MetadataArray(StringArray(std::vector<std::string>{
                                            "<unk>", "<s>", "a", "▁", "▁a", "Ġ", "aa", "<tool>"})));
  metadata.set("tokenizer.ggml.scores", MetadataArray(std::vector<float>{0, 0, -1, -2, -3, -1, -2, 0}));
  metadata.set("tokenizer.ggml.token_type", MetadataArray(std::vector<int32_t>{2, 3, 1, 1, 1, 1, 1, 4}));
  metadata.set("tokenizer.ggml.merges", MetadataArray(StringArray(std::vector<std::string>{"a a"})));
  metadata.set("tokenizer.ggml.unknown_token_id", uint32_t{0});
  metadata.set("tokenizer.ggml.cls_token_id", uint32_t{1});
  metadata.set("tokenizer.ggml.seperator_token_id", uint32_t{1});
  metadata.set("tokenizer.ggml.precompiled_charsmap",
               MetadataArray(std::vector<uint8_t>{4, 0, 0, 0, 0, 4, 0, 0, 'a', 0}));
  return metadata;
}

[[nodiscard]] std::vector<std::byte> with_tensors() {
  Metadata metadata;
  metadata.set("general.alignment", uint32_t{64});
  const std::vector<GgufTensor> tensors = {
      {"norm", {4}, Format::f32}, {"matrix", {2, 32}, Format::q8_0}, {"half", {2, 2, 2}, Format::f16}};
  std::vector<std::byte> bytes = encode_gguf_header(metadata, tensors);
  bytes.resize(bytes.size() + 64 + 128 + 16);
  return bytes;
}

// One of two parts, as llama.cpp types the keys.
[[nodiscard]] std::vector<std::byte> part_of_two() {
  Metadata metadata;
  metadata.set("split.no", uint16_t{0});
  metadata.set("split.count", uint16_t{2});
  metadata.set("split.tensors.count", int32_t{2});
  std::vector<std::byte> bytes =
      encode_gguf_header(metadata, std::vector<GgufTensor>{{"norm", {4}, Format::f32}});
  bytes.resize(bytes.size() + 32);
  return bytes;
}

// Version 2 is laid out as version 3.
[[nodiscard]] std::vector<std::byte> version_2(std::vector<std::byte> bytes) {
  bytes[4] = std::byte{2};
  return bytes;
}

void make_gguf(const std::filesystem::path& folder) {
  save(folder / "version_2", version_2(with_tensors()));
  save(folder / "part", part_of_two());
  save(folder / "empty", encode_gguf_header({}, {}));
  save(folder / "every_type", encode_gguf_header(every_type(), {}));
  save(folder / "tiny_tokenizer", encode_gguf_header(tiny_tokenizer(), {}));
  save(folder / "byte_tokenizer", encode_gguf_header(test::english_vocabulary().metadata(), {}));
  for (const char* model : {"gpt2", "bert", "t5"})
    save(folder / (std::string(model) + "_tokenizer"), encode_gguf_header(other_tokenizer(model), {}));
  save(folder / "tensors", with_tensors());
}

[[nodiscard]] std::string safetensors(std::string_view header, size_t data) {
  std::string bytes(8, '\0');
  bytes[0] = static_cast<char>(header.size() & 0xFF);
  bytes[1] = static_cast<char>(header.size() >> 8);
  return bytes.append(header).append(data, '\0');
}

void make_safetensors(const std::filesystem::path& folder) {
  const std::string three = safetensors(
      R"({"__metadata__":{"format":"pt"},"b":{"dtype":"BF16","shape":[2,3],"data_offsets":[8,20]},"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"c":{"dtype":"I64","shape":[],"data_offsets":[20,28]}}  )",
      28);
  save_all(
      folder,
      {three, safetensors("{}", 0),
       safetensors(R"({"t":{"dtype":"F4","shape":[0,2],"data_offsets":[0,0]}})", 0),
       R"({"metadata":{"total_size":8},"weight_map":{"a":"m-00001-of-00002.safetensors","b":"m-00002-of-00002.safetensors"}})",
       R"({"weight_map":{"a":"../m.safetensors"}})"});
}

void make_configs(const std::filesystem::path& folder) {
  save_all(
      folder,
      {R"({"architectures":["LlamaForCausalLM"],"vocab_size":300,"hidden_size":64,"num_hidden_layers":3,"intermediate_size":96,"num_attention_heads":4,"num_key_value_heads":2,"max_position_embeddings":8192,"rms_norm_eps":1e-05,"rope_theta":500000.0,"rope_scaling":{"rope_type":"llama3","factor":8.0,"low_freq_factor":1.0,"high_freq_factor":4.0,"original_max_position_embeddings":64},"tie_word_embeddings":true,"attention_bias":true,"mlp_bias":false,"hidden_act":"silu"})",
       R"({"model_type":"mistral","vocab_size":9,"hidden_size":8,"num_hidden_layers":1,"intermediate_size":9,"num_attention_heads":8,"head_dim":2,"sliding_window":16,"rope_parameters":{"rope_type":"linear","factor":2,"rope_theta":1e4}})",
       R"({"eos_token_id":[128001,128009],"max_seq_length":256,"do_lower_case":true})",
       R"({"tokenizer_class":"LlamaTokenizerFast","add_bos_token":true,"add_eos_token":false,"bos_token":{"content":"<s>"},"eos_token":"</s>","unk_token":null})",
       R"({"architectures":["BertModel"],"model_type":"bert"})"});
}

void make_texts(const std::filesystem::path& folder) {
  const std::vector<std::string> texts = {"\x01hello world", "\x1F<s>the<tool>  a<|end|>",
                                          "\x03ä🦙€\n\xFF\xC3",
                                          "\x05"
                                          "aaaaaaaaa     he",
                                          std::string("\x0Bz\0▁", 6)};
  save_all(folder, texts);
}

// The fixtures of Hugging Face's tokenizers with their vocabularies cut down: every kind of part, in a few
// hundred bytes that the fuzzer can change.
void make_json(const std::filesystem::path& folder) {
  const std::vector<std::pair<std::string, std::string>> files = {
      {"byte_level",
       R"({"added_tokens":[{"id":4,"content":"<s>","special":true,"normalized":false},{"id":5,"content":"A","lstrip":true,"rstrip":true,"single_word":true}],"normalizer":{"type":"Sequence","normalizers":[{"type":"NFC"},{"type":"Lowercase"}]},"pre_tokenizer":{"type":"ByteLevel","add_prefix_space":true},"post_processor":{"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"<s>"}},{"Sequence":{"id":"A"}}],"special_tokens":{"<s>":{"ids":[4]}}},"decoder":{"type":"ByteLevel"},"truncation":{"max_length":9,"direction":"Left"},"model":{"type":"BPE","vocab":{"a":0,"e":1,"ae":2,"Ġ":3},"merges":["a e"],"ignore_merges":true}})"},
      {"falcon",
       R"({"pre_tokenizer":{"type":"Sequence","pretokenizers":[{"type":"Punctuation","behavior":"Contiguous"},{"type":"ByteLevel"},{"type":"Digits"},{"type":"Split","pattern":{"Regex":"[0-9][0-9][0-9]"},"behavior":"Isolated"}]},"model":{"vocab":{"a":0,"e":1,"ae":2},"merges":[["a","e"]],"unk_token":"a","fuse_unk":true}})"},
      {"pattern",
       R"({"pre_tokenizer":{"type":"Split","pattern":{"Regex":"(?i:'s|a{1,2}?)|[^\\s\\p{L}\\x41-\\u0043]++|\\s+(?!\\S)|$"},"behavior":"MergedWithNext","invert":true},"model":{"type":"BPE","vocab":{"a":0,"<0x0A>":1},"merges":[],"byte_fallback":true}})"},
      {"word_piece",
       R"({"added_tokens":[{"id":0,"content":"[UNK]","special":true}],"normalizer":{"type":"BertNormalizer","strip_accents":null},"pre_tokenizer":{"type":"BertPreTokenizer"},"post_processor":{"type":"BertProcessing","sep":["s",1],"cls":["c",2]},"decoder":{"type":"WordPiece","prefix":"##"},"model":{"type":"WordPiece","unk_token":"[UNK]","max_input_chars_per_word":9,"vocab":{"[UNK]":0,"a":1,"##a":2,"the":3}}})"},
      {"unigram",
       R"({"normalizer":{"type":"Sequence","normalizers":[{"type":"Precompiled","precompiled_charsmap":"CAAAAAAEAAABAAAAYQA="},{"type":"NFKD"},{"type":"StripAccents"},{"type":"Strip"},{"type":"Replace","pattern":{"Regex":" {2,}"},"content":" "},{"type":"Prepend","prepend":"x"}]},"pre_tokenizer":{"type":"Metaspace","replacement":"_","prepend_scheme":"first","split":true},"decoder":{"type":"Sequence","decoders":[{"type":"Replace","pattern":{"String":"_"},"content":" "},{"type":"Fuse"},{"type":"Strip","content":" ","start":1,"stop":0}]},"model":{"type":"Unigram","unk_id":0,"byte_fallback":true,"vocab":[["<unk>",0],["_a",-1.5],["a",-2],["e",-3]]}})"},
      {"clip",
       R"({"added_tokens":[{"id":0,"content":"<s>","special":true}],"normalizer":{"type":"Lowercase"},"pre_tokenizer":{"type":"Sequence","pretokenizers":[{"type":"Split","pattern":{"Regex":"[\\p{L}]+|[^\\s\\p{L}]+"},"behavior":"Removed","invert":true},{"type":"ByteLevel","add_prefix_space":false}]},"decoder":{"type":"BPEDecoder","suffix":"</w>"},"model":{"type":"BPE","unk_token":"<s>","continuing_subword_prefix":"#","end_of_word_suffix":"</w>","byte_fallback":true,"vocab":{"<s>":0,"a":1,"#a":2,"#a</w>":3,"aa</w>":4,"#aa</w>":5,"<0x61>":6},"merges":["a #a</w>","#a #a</w>"]}})"},
      {"word_level",
       R"({"normalizer":{"type":"ByteLevel"},"pre_tokenizer":{"type":"Split","pattern":{"String":"Ġ"},"behavior":"MergedWithNext"},"model":{"type":"WordLevel","unk_token":"<unk>","vocab":{"<unk>":0,"Ġa":1,"The":2,"x":3}}})"},
      {"whitespace",
       R"({"normalizer":{"type":"NFKC"},"pre_tokenizer":{"type":"Sequence","pretokenizers":[{"type":"Whitespace"},{"type":"WhitespaceSplit"},{"type":"CharDelimiterSplit","delimiter":"-"}]},"post_processor":{"type":"Sequence","processors":[{"type":"ByteLevel"},{"type":"RobertaProcessing","sep":["s",0],"cls":["c",0]}]},"decoder":{"type":"Metaspace"},"model":{"type":"BPE","vocab":{"a":0},"merges":[],"unk_token":"a"}})"},
  };
  for (const auto& [name, text] : files) save(folder / name, std::as_bytes(std::span(text)));
}

// The first byte chooses the kind.
void make_words(const std::filesystem::path& folder) {
  std::string long_word(130, 'a');
  long_word.replace(0, 1, "\x05");
  long_word.append("babab");
  save_all(folder, {"\005abaabcaaaa aab", "\006ab\u00E4\u00E9aabba", "\007abcabab", "\010abab\u00E4c",
                    "\011abacab\u00E4\u00E9ab", long_word});
}

[[nodiscard]] std::string pattern_and_text(std::string_view pattern, std::string_view text) {
  std::string result(pattern);
  result.push_back('\0');
  return result.append(text);
}

void make_patterns(const std::filesystem::path& folder) {
  save_all(folder,
           {pattern_and_text("", "Don't  stop!\r\n 123 \u4E2D"), pattern_and_text("a*?b|(?:a|ab)+c", "aabac"),
            pattern_and_text(R"([^\s\p{L}]?+\p{Lu}*)", "a Ab!"),
            pattern_and_text(R"((?i:'s)|\s+(?!\S)|^x$)", "'S  x"),
            pattern_and_text("[a-c[x]]{1,2}(?=b)|.", "abxb")});
}

}  // namespace
}  // namespace linnet

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: make_fuzz_corpus FOLDER\n");
    return 2;
  }
  const std::filesystem::path folder = arguments[1];
  for (const char* name :
       {"gguf", "safetensors", "model_config", "tokenizer", "tokenizer_json", "word_models", "pattern"})
    std::filesystem::create_directories(folder / name);
  linnet::make_gguf(folder / "gguf");
  linnet::make_safetensors(folder / "safetensors");
  linnet::make_configs(folder / "model_config");
  linnet::make_texts(folder / "tokenizer");
  linnet::make_json(folder / "tokenizer_json");
  linnet::make_words(folder / "word_models");
  linnet::make_patterns(folder / "pattern");
  return 0;
}
