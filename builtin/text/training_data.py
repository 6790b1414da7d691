"""The prepared text on the GPU, and batches of it: conversations of about the same length lie in one matrix."""
import pathlib

import numpy as np
import torch

# Conversations up to each length share a matrix and are filled up to it. A step takes one matrix of each. These edges make
# the filling a quarter of all tokens; one matrix of the longest for all would make it twenty times the text.
EDGES = (28, 48, 112, 256, 512, 1024)
FILLER = 1  # any token: what comes after the end of a conversation has no weight, and nothing before it can see it
USER_WEIGHT = 0.05  # of what people say: a little of it teaches what questions look like

Batch = tuple[torch.Tensor, torch.Tensor]


class TrainingData:
    """All conversations, drawn without repetition until all were seen."""

    def __init__(self, path: pathlib.Path, conversations_per_step: int, seed: int, device: torch.device) -> None:
        stored = np.load(path)
        self.tokens = torch.from_numpy(stored["tokens"]).to(device)
        self.answers = torch.from_numpy(stored["answers"]).to(device)
        lengths = torch.from_numpy(stored["lengths"]).long().to(device)
        starts = torch.cumsum(lengths, 0) - lengths
        self.device = device
        self.random = torch.Generator(device=device)
        self.random.manual_seed(seed)
        self.groups = []
        shortest = 0
        for edge in EDGES:
            members = torch.nonzero((lengths > shortest) & (lengths <= edge)).flatten()
            shortest = edge
            if len(members):
                rows = max(1, round(conversations_per_step * len(members) / len(lengths)))
                self.groups.append(LengthGroup(starts[members], lengths[members], edge, rows))

    def next(self) -> list[Batch]:
        """One matrix of tokens [rows, edge] and one of weights for each group of lengths."""
        return [self.gather(*group.draw(self.random), group.edge) for group in self.groups]

    def gather(self, starts: torch.Tensor, lengths: torch.Tensor, edge: int) -> Batch:
        """The conversations of one matrix, filled up."""
        column = torch.arange(edge, device=self.device)
        inside = column[None, :] < lengths[:, None]
        places = starts[:, None] + torch.minimum(column[None, :], lengths[:, None] - 1)
        tokens = torch.where(inside, self.tokens[places].long(), FILLER)
        answers = self.answers[places].float()
        weights = torch.where(inside, answers + USER_WEIGHT * (1 - answers), torch.zeros_like(answers))
        return tokens, weights

    def describe(self) -> str:
        """Rows times columns of a step."""
        return " + ".join(f"{min(group.rows, len(group.starts))}x{group.edge}" for group in self.groups)


class LengthGroup:
    """Conversations of about the same length."""

    def __init__(self, starts: torch.Tensor, lengths: torch.Tensor, edge: int, rows: int) -> None:
        self.starts, self.lengths, self.edge, self.rows = starts, lengths, edge, rows
        self.order = torch.empty(0, dtype=torch.long, device=starts.device)

    def draw(self, random: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
        """The next rows of a random order; what is left over at its end waits for the next round."""
        if len(self.order) < self.rows:
            self.order = torch.randperm(len(self.starts), generator=random, device=self.starts.device)
        chosen, self.order = self.order[:self.rows], self.order[self.rows:]
        return self.starts[chosen], self.lengths[chosen]
