"""How a conversation lies in tokens. The template that ships with the model and the training say the same."""
from collections.abc import Callable, Sequence

from .facts import Exchange

BOS, END, USER, ASSISTANT = "<|bos|>", "<|end|>", "<|user|>", "<|assistant|>"
SPECIALS = (BOS, END, USER, ASSISTANT)  # their ids are 0 to 3: they come first in the vocabulary

# Other roles are left out: the model was never shown any.
TEMPLATE = (
    "{{ bos_token }}"
    "{% for message in messages %}"
    "{% if message['role'] in ['user', 'assistant'] %}"
    "{{ '<|' + message['role'] + '|>' + (message['content'] | trim) + '<|end|>' }}"
    "{% endif %}"
    "{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|assistant|>' }}{% endif %}"
)


def rendered(exchanges: Sequence[Exchange]) -> str:
    """What the template makes of a whole conversation."""
    return BOS + "".join(f"{USER}{question}{END}{ASSISTANT}{answer}{END}" for question, answer in exchanges)


def prompt(question: str) -> str:
    """What the template makes of one question that waits for its answer."""
    return f"{BOS}{USER}{question}{END}{ASSISTANT}"


def to_tokens(exchanges: Sequence[Exchange], encode: Callable[[str], list[int]]) -> tuple[list[int], list[int]]:
    """Tokens of `rendered`, and for each whether it is for the assistant to say: an answer and the end after it."""
    bos, end, user, assistant = range(len(SPECIALS))
    tokens, answers = [bos], [0]
    for question, answer in exchanges:
        asked, said = encode(question), encode(answer)
        tokens += [user, *asked, end, assistant, *said, end]
        answers += [0] * (len(asked) + 3) + [1] * (len(said) + 1)
    return tokens, answers
