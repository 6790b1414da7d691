// config.json of LlamaForCausalLM and MistralForCausalLM, with the defaults of transformers' LlamaConfig and
// MistralConfig.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "base/error.h"
#include "base/quoted.h"
#include "models/llama_config.h"

namespace linnet {
namespace {

constexpr std::string_view kLlama = "LlamaForCausalLM";
constexpr std::string_view kMistral = "MistralForCausalLM";

uint32_t count(const JsonNode& node, uint32_t most) {
  return static_cast<uint32_t>(node.integer(1, most));
}

uint32_t count_or(const JsonNode& node, uint32_t most, uint32_t otherwise) {
  return node.is_null() ? otherwise : count(node, most);
}

double positive(const JsonNode& node) {
  const double value = node.number();
  if (!std::isfinite(value) || value <= 0) node.refuse(concat("expected a positive number, got ", value));
  return value;
}

double positive_or(const JsonNode& node, double otherwise) {
  return node.is_null() ? otherwise : positive(node);
}

// The class that transformers would load: the first of "architectures", else by "model_type".
std::string architecture_of(const JsonNode& config) {
  std::string name;
  if (const JsonNode list = config["architectures"]; !list.is_null()) {
    list.for_each_element([&](const JsonNode& each) {
      if (name.empty()) name = each.string();
    });
  }
  if (!name.empty()) return name;
  std::string type = config["model_type"].string();
  if (type == "llama") return std::string(kLlama);
  if (type == "mistral") return std::string(kMistral);
  return type;
}

bool is_known(std::string_view architecture) {
  return architecture == kLlama || architecture == kMistral;
}

void refuse_others(const JsonNode& config, std::string_view architecture) {
  if (!is_known(architecture)) {
    config["architectures"].refuse(
        concat("this version runs ", kLlama, " and ", kMistral, ", got ", quoted_name(architecture)));
  }
  if (const JsonNode act = config["hidden_act"];
      !act.is_null() && act.string() != "silu" && act.string() != "swish")
    act.refuse(concat("this version knows 'silu', got ", quoted_name(act.string())));
  if (const JsonNode part = config["partial_rotary_factor"]; !part.is_null() && part.number() != 1)
    part.refuse(concat("this version turns whole heads, got ", part.number()));
  if (const JsonNode quantized = config["quantization_config"]; !quantized.is_null()) {
    quantized.refuse(concat("this version reads weights as they were trained, these are quantized with ",
                            quoted_name(quantized["quant_method"].string_or("an unnamed method"))));
  }
}

void read_heads(const JsonNode& config, LlamaConfig& into, uint32_t kv_heads) {
  const JsonNode heads = config["num_attention_heads"];
  into.heads = count(heads, kMostHeads);
  const JsonNode shared = config["num_key_value_heads"];
  into.kv_heads = count_or(shared, kMostHeads, kv_heads == 0 ? into.heads : kv_heads);
  if (into.heads % into.kv_heads != 0)
    shared.refuse(concat("expected a divisor of ", into.heads, " heads, got ", into.kv_heads));
  const JsonNode width = config["head_dim"];
  if (width.is_null() && into.width % into.heads != 0)
    heads.refuse(concat("expected a divisor of the width ", into.width, ", got ", into.heads));
  into.head_width = count_or(width, kWidestHead, into.width / into.heads);
  if (into.head_width > kWidestHead || into.head_width % 2 != 0)
    width.refuse(concat("expected an even number up to ", kWidestHead, ", got ", into.head_width));
  into.rope_pairs = into.head_width / 2;
}

// Llama 3.1's rule: what each frequency is divided by. Short waves stay, long ones are stretched by the whole
// factor, those between by a part of it.
std::vector<float> llama3_factors(const JsonNode& scaling, uint32_t pairs, double base) {
  const double factor = positive(scaling["factor"]);
  const double low = positive(scaling["low_freq_factor"]);
  const double high = positive(scaling["high_freq_factor"]);
  const double context = positive(scaling["original_max_position_embeddings"]);
  if (high <= low) scaling["high_freq_factor"].refuse("expected more than low_freq_factor");
  std::vector<float> factors;
  for (uint32_t i = 0; i < pairs; ++i) {
    const double length = 2 * std::numbers::pi * std::pow(base, static_cast<double>(i) / pairs);
    double divisor = 1;
    if (length > context / low) {
      divisor = factor;
    } else if (length >= context / high) {
      const double smooth = (context / length - low) / (high - low);
      divisor = 1 / ((1 - smooth) / factor + smooth);
    }
    factors.push_back(static_cast<float>(divisor));
    if (!std::isfinite(factors.back()) || factors.back() <= 0)
      scaling.refuse(concat("gives a factor of ", divisor));
  }
  return factors;
}

void read_rope(const JsonNode& config, LlamaConfig& into) {
  // transformers 5 has all of it in rope_parameters, older files the base beside the scaling.
  const JsonNode parameters = config["rope_parameters"];
  const JsonNode scaling = parameters.is_null() ? config["rope_scaling"] : parameters;
  const JsonNode inner = scaling["rope_theta"];
  into.rope_base = positive_or(inner.is_null() ? config["rope_theta"] : inner, 10000);
  const JsonNode type = scaling["rope_type"].is_null() ? scaling["type"] : scaling["rope_type"];
  if (type.is_null() && scaling.contains("factor")) scaling.refuse("has a factor but no rope_type");
  const std::string name = type.string_or("default");
  if (name == "linear") {
    into.rope_scaling.linear = positive(scaling["factor"]);
  } else if (name == "llama3") {
    into.rope_factors = llama3_factors(scaling, into.rope_pairs, into.rope_base);
  } else if (name != "default") {
    type.refuse(concat("this version knows 'default', 'linear' and 'llama3', got ", quoted_name(name)));
  }
}

// Up to the length of a sliding window, attention through it is attention to everything.
void read_window(const JsonNode& config, LlamaConfig& into) {
  const JsonNode window = config["sliding_window"];
  if (window.is_null() && config.contains("sliding_window")) return;
  into.context_length = std::min(into.context_length, count_or(window, UINT32_MAX, 4096));
}

}  // namespace

bool is_llama_json(const JsonNode& config) {
  return is_known(architecture_of(config));
}

LlamaConfig read_llama_json(const JsonNode& config) {
  const std::string architecture = architecture_of(config);
  refuse_others(config, architecture);
  const bool mistral = architecture == kMistral;
  LlamaConfig into;
  into.convention = Convention::transformers;
  into.vocabulary = count(config["vocab_size"], kLargestVocabulary);
  into.width = count(config["hidden_size"], kWidestRow);
  into.layers = count(config["num_hidden_layers"], kMostLayers);
  into.mlp_width = count(config["intermediate_size"], kWidestRow);
  into.context_length = count_or(config["max_position_embeddings"], UINT32_MAX, mistral ? 4096 * 32 : 2048);
  into.epsilon = static_cast<float>(positive_or(config["rms_norm_eps"], 1e-6));
  read_heads(config, into, mistral ? 8 : 0);
  read_rope(config, into);
  if (mistral) read_window(config, into);
  into.tied = config["tie_word_embeddings"].boolean_or(false);
  into.attention_bias = !mistral && config["attention_bias"].boolean_or(false);
  into.mlp_bias = !mistral && config["mlp_bias"].boolean_or(false);
  return into;
}

}  // namespace linnet
