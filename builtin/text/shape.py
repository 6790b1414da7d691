"""The shape of the model. As GGUF Q8_0 (34 bytes for 32 weights) with its tokenizer it has to stay within 6,000,000 bytes."""

VOCABULARY = 2048
CONTEXT = 1024
WIDTH = 256
LAYERS = 7
HEADS = 4
KV_HEADS = 2
HEAD_WIDTH = 64  # what the GPU's matrix units take for attention
MLP_WIDTH = 640

MOST_BYTES = 6_000_000


def matrix_weights() -> int:
    """Weights in matrices; the table of tokens serves input and output."""
    attention = WIDTH * HEAD_WIDTH * (2 * HEADS + 2 * KV_HEADS)
    return VOCABULARY * WIDTH + LAYERS * (attention + 3 * WIDTH * MLP_WIDTH)


def norm_weights() -> int:
    """Weights of norms, which stay F32."""
    return WIDTH * (2 * LAYERS + 1)


def bytes_as_q8_0() -> int:
    """Of the tensors alone, without names and tokenizer."""
    return matrix_weights() // 32 * 34 + 4 * norm_weights()
