#!/usr/bin/env python3
"""The tiny model of the tests in the forms that models come in: folders of safetensors, parts of GGUF.

    hugging_face.py FOLDER      writes it there in two shards
"""
import array
import json
import pathlib
import struct
import sys

from program import tiny

NAMES = {"token_embd": "model.embed_tokens", "output_norm": "model.norm", "output": "lm_head",
         "attn_norm": "input_layernorm", "ffn_norm": "post_attention_layernorm",
         "attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj", "attn_v": "self_attn.v_proj",
         "attn_output": "self_attn.o_proj", "ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj",
         "ffn_down": "mlp.down_proj"}


def name_of(gguf_name):
    *layer, role, kind = gguf_name.split(".")
    prefix = f"model.layers.{layer[1]}." if layer else ""
    return prefix + NAMES[role] + "." + kind


def halves(values, columns, heads):
    """Rows of each head with the pairs of RoPE half a head apart, where GGUF has them beside each other."""
    width = len(values) // columns // heads
    moved = array.array("f")
    for head in range(heads):
        for row in [*range(0, width, 2), *range(1, width, 2)]:
            at = (head * width + row) * columns
            moved += values[at:at + columns]
    return moved


def write_safetensors(path, tensors, metadata=None):
    """tensors: {name: (dtype, shape, bytes)}"""
    header, data = ({"__metadata__": metadata} if metadata else {}), b""
    for name, (dtype, shape, raw) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def tokenizer_json(tokens):
    """SentencePiece's scores as ranked merges, as transformers converts them."""
    normal = {text: number for number, (text, _, kind) in enumerate(tokens) if kind == tiny.NORMAL}
    merges = []
    for text in sorted(normal, key=lambda each: -tokens[normal[each]][1]):
        merges += [[text[:cut], text[cut:]] for cut in range(1, len(text)) if text[:cut] in normal and text[cut:] in normal]
    return {
        "version": "1.0",
        "added_tokens": [{"id": i, "content": text, "special": True, "normalized": False}
                         for i, (text, _, kind) in enumerate(tokens) if kind in (tiny.UNKNOWN, tiny.CONTROL)],
        "normalizer": {"type": "Sequence", "normalizers": [
            {"type": "Prepend", "prepend": "▁"}, {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}]},
        "pre_tokenizer": None,
        "post_processor": {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "<s>"}}, {"Sequence": {"id": "A"}}],
                           "special_tokens": {"<s>": {"id": "<s>", "ids": [1], "tokens": ["<s>"]}}},
        "decoder": {"type": "Sequence", "decoders": [
            {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}, {"type": "ByteFallback"}, {"type": "Fuse"},
            {"type": "Strip", "content": " ", "start": 1, "stop": 0}]},
        "model": {"type": "BPE", "unk_token": "<unk>", "fuse_unk": True, "byte_fallback": True,
                  "vocab": {text: i for i, (text, _, _) in enumerate(tokens)}, "merges": merges}}


CONFIG = {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": tiny.WIDTH,
          "intermediate_size": tiny.FFN, "num_hidden_layers": tiny.LAYERS, "num_attention_heads": tiny.HEADS,
          "num_key_value_heads": tiny.KV_HEADS, "max_position_embeddings": tiny.CONTEXT, "rms_norm_eps": 1e-5,
          "rope_theta": 10000.0, "tie_word_embeddings": False}
TEMPLATE = "{% for message in messages %}\n{{ message.content }}\n{% endfor %}\n" + "{# more #}\n" * 9


def write_folder(folder, shards=1, **config):
    """Config members may be changed by name."""
    folder.mkdir(exist_ok=True)
    tokens, words = tiny.vocabulary()
    tensors = {}
    for name, (shape, values) in tiny.make_tensors(tokens, words).items():
        heads = {"attn_q": tiny.HEADS, "attn_k": tiny.KV_HEADS}.get(name.split(".")[-2])
        values = halves(values, shape[0], heads) if heads else values
        tensors[name_of(name)] = ("F32", list(shape[::-1]), values.tobytes())
    if shards == 1:
        write_safetensors(folder / "model.safetensors", tensors, {"format": "pt"})
    else:
        weight_map = {name: f"model-{i % shards + 1:05}-of-{shards:05}.safetensors" for i, name in enumerate(tensors)}
        for shard in set(weight_map.values()):
            write_safetensors(folder / shard, {name: tensors[name] for name in tensors if weight_map[name] == shard})
        (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": weight_map}))
    (folder / "config.json").write_text(json.dumps({**CONFIG, "vocab_size": len(tokens), **config}))
    (folder / "generation_config.json").write_text(json.dumps({"eos_token_id": [2]}))
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer_json(tokens), ensure_ascii=False))
    (folder / "tokenizer_config.json").write_text(json.dumps(
        {"tokenizer_class": "LlamaTokenizer", "bos_token": "<s>", "eos_token": "</s>", "chat_template": TEMPLATE}))
    return folder


def write_parts(folder, count):
    """The tiny model as GGUF in several parts."""
    folder.mkdir()
    tokens, words = tiny.vocabulary()
    tensors = tiny.make_tensors(tokens, words)
    names = list(tensors)
    for number in range(count):
        keys = [tiny.string("split.no") + struct.pack("<IH", 2, number),
                tiny.string("split.count") + struct.pack("<IH", 2, count),
                tiny.string("split.tensors.count") + struct.pack("<Ii", 5, len(names))]
        metadata = (tiny.make_metadata(tokens) if number == 0 else []) + keys
        tiny.write_gguf(folder / f"tiny-{number + 1:05}-of-{count:05}.gguf", metadata,
                        {name: tensors[name] for name in names[number::count]})
    return folder


if __name__ == "__main__":
    write_folder(pathlib.Path(sys.argv[1]), shards=2)
