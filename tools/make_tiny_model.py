#!/usr/bin/env python3
"""Writes a tiny Llama in GGUF v3, F32, with a SentencePiece vocabulary: enough to run the whole engine in a second.

    make_tiny_model.py [--chat] OUT.gguf

It has learned nothing, but it is not noise either: its output matrix holds, for each word of one sentence, the embedding
of the word before, so that after "The linnet" it goes on with the rest of that sentence and stops. Its layers are random
and small enough to leave it at that. With --chat it has a chat template, and answers whatever it is asked with the whole
sentence and the end of its turn. The file is the same on every machine; only the standard library is needed.
"""
import array
import random
import struct
import sys

SENTENCE = "The linnet is a small finch that sings from every hedge ."

LAYERS, WIDTH, FFN, HEADS, KV_HEADS, CONTEXT = 3, 128, 352, 8, 2, 512
HEAD_WIDTH = WIDTH // HEADS
RESIDUAL = 0.6  # size of what a layer adds, against the embedding: felt, and too little to change the sentence

# Of the GGUF specification: value types, token types, alignment.
UINT32, INT32, FLOAT32, BOOL, STRING, ARRAY = 4, 5, 6, 7, 8, 9
NORMAL, UNKNOWN, CONTROL, BYTE = 1, 2, 3, 6
ALIGNMENT = 32
TENSOR_F32 = 0

# With --chat: one control token opens the turn of each role, another ends it.
ROLES = ("<|system|>", "<|user|>", "<|assistant|>")
END_OF_TURN = "<|end|>"
TEMPLATE = ("{{ bos_token }}{% for message in messages %}<|{{ message.role }}|>{{ message.content }}<|end|>{% endfor %}"
            "{% if add_generation_prompt %}<|assistant|>{% endif %}")


def vocabulary(chat=False):
    """Tokens with scores and types: three controls, all bytes, then letters and every beginning of every word, so that
    byte-pair merging reaches each word from its letters; with `chat` those of the template at the end."""
    tokens = [("<unk>", 0.0, UNKNOWN), ("<s>", 0.0, CONTROL), ("</s>", 0.0, CONTROL)]
    tokens += [(f"<0x{byte:02X}>", 0.0, BYTE) for byte in range(256)]
    words = ["." if word == "." else "▁" + word for word in SENTENCE.split()]
    pieces = [word[:length] for word in words for length in range(2, len(word) + 1)]
    pieces += ["▁", "."] + [chr(letter) for letter in range(ord("a"), ord("z") + 1)] + ["T"]
    seen = dict.fromkeys(pieces)
    tokens += [(piece, -float(rank), NORMAL) for rank, piece in enumerate(seen)]
    if chat:
        tokens += [(text, 0.0, CONTROL) for text in (*ROLES, END_OF_TURN)]
    return tokens, words


def gaussian(rng, count, scale):
    return array.array("f", (rng.gauss(0.0, scale) for _ in range(count)))


def make_tensors(tokens, words):
    """name → (shape with the fastest dimension first, values)"""
    rng = random.Random(7)
    index = {text: number for number, (text, _, _) in enumerate(tokens)}
    embedding = gaussian(rng, len(tokens) * WIDTH, 1.0)
    head = gaussian(rng, len(tokens) * WIDTH, 0.05)
    chain = [index[word] for word in words] + [index["</s>"]]
    if END_OF_TURN in index:
        chain = [index["<|assistant|>"], *chain[:-1], index[END_OF_TURN]]
    for before, after in zip(chain, chain[1:]):
        for i in range(WIDTH):
            head[after * WIDTH + i] += embedding[before * WIDTH + i]

    tensors = {"token_embd.weight": ((WIDTH, len(tokens)), embedding)}

    def matrix(name, columns, rows, scale):
        tensors[name] = ((columns, rows), gaussian(rng, columns * rows, scale * columns ** -0.5))

    def norm(name):
        tensors[name] = ((WIDTH,), array.array("f", (1.0 + 0.1 * rng.uniform(-1, 1) for _ in range(WIDTH))))

    for layer in range(LAYERS):
        prefix = f"blk.{layer}."
        norm(prefix + "attn_norm.weight")
        matrix(prefix + "attn_q.weight", WIDTH, WIDTH, 1.0)
        matrix(prefix + "attn_k.weight", WIDTH, KV_HEADS * HEAD_WIDTH, 1.0)
        matrix(prefix + "attn_v.weight", WIDTH, KV_HEADS * HEAD_WIDTH, 1.0)
        matrix(prefix + "attn_output.weight", WIDTH, WIDTH, RESIDUAL)
        norm(prefix + "ffn_norm.weight")
        matrix(prefix + "ffn_gate.weight", WIDTH, FFN, 1.0)
        matrix(prefix + "ffn_up.weight", WIDTH, FFN, 1.0)
        matrix(prefix + "ffn_down.weight", FFN, WIDTH, RESIDUAL)
    norm("output_norm.weight")
    tensors["output.weight"] = ((WIDTH, len(tokens)), head)
    return tensors


def string(text):
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def pair(key, kind, value):
    packed = string(value) if kind == STRING else struct.pack({UINT32: "<I", FLOAT32: "<f", BOOL: "<?"}[kind], value)
    return string(key) + struct.pack("<I", kind) + packed


def pair_of_array(key, kind, values):
    if kind == STRING:
        packed = b"".join(map(string, values))
    else:
        packed = struct.pack("<%d%s" % (len(values), {INT32: "i", FLOAT32: "f"}[kind]), *values)
    return string(key) + struct.pack("<IIQ", ARRAY, kind, len(values)) + packed


def make_metadata(tokens):
    texts = [text for text, _, _ in tokens]
    chat = [pair("tokenizer.chat_template", STRING, TEMPLATE),
            pair("tokenizer.ggml.eot_token_id", UINT32, texts.index(END_OF_TURN))] if END_OF_TURN in texts else []
    return [
        pair("general.architecture", STRING, "llama"),
        pair("general.name", STRING, "tiny linnet"),
        pair("general.alignment", UINT32, ALIGNMENT),
        pair("general.file_type", UINT32, 0),
        pair("llama.block_count", UINT32, LAYERS),
        pair("llama.context_length", UINT32, CONTEXT),
        pair("llama.embedding_length", UINT32, WIDTH),
        pair("llama.feed_forward_length", UINT32, FFN),
        pair("llama.attention.head_count", UINT32, HEADS),
        pair("llama.attention.head_count_kv", UINT32, KV_HEADS),
        pair("llama.attention.layer_norm_rms_epsilon", FLOAT32, 1e-5),
        pair("llama.rope.dimension_count", UINT32, HEAD_WIDTH),
        pair("llama.rope.freq_base", FLOAT32, 10000.0),
        pair("llama.vocab_size", UINT32, len(tokens)),
        pair("tokenizer.ggml.model", STRING, "llama"),
        pair_of_array("tokenizer.ggml.tokens", STRING, texts),
        pair_of_array("tokenizer.ggml.scores", FLOAT32, [score for _, score, _ in tokens]),
        pair_of_array("tokenizer.ggml.token_type", INT32, [kind for _, _, kind in tokens]),
        pair("tokenizer.ggml.bos_token_id", UINT32, 1),
        pair("tokenizer.ggml.eos_token_id", UINT32, 2),
        pair("tokenizer.ggml.unknown_token_id", UINT32, 0),
        pair("tokenizer.ggml.add_bos_token", BOOL, True),
        pair("tokenizer.ggml.add_eos_token", BOOL, False),
    ] + chat


def padding(size):
    return b"\0" * (-size % ALIGNMENT)


def write_gguf(path, metadata, tensors):
    infos, offset = b"", 0
    for name, (shape, values) in tensors.items():
        infos += string(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, TENSOR_F32, offset)
        offset += len(values) * 4 + len(padding(len(values) * 4))
    header = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(metadata)) + b"".join(metadata) + infos
    with open(path, "wb") as file:
        file.write(header + padding(len(header)))
        for _, values in tensors.values():
            if sys.byteorder == "big":
                values.byteswap()
            file.write(values.tobytes() + padding(len(values) * 4))


def write_model(path, chat=False):
    tokens, words = vocabulary(chat)
    write_gguf(path, make_metadata(tokens), make_tensors(tokens, words))


def main():
    arguments = sys.argv[1:]
    chat = "--chat" in arguments
    if chat:
        arguments.remove("--chat")
    if len(arguments) != 1:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    write_model(arguments[0], chat)
    return 0


if __name__ == "__main__":
    sys.exit(main())
