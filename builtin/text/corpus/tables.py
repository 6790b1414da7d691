"""The tables, read once. Every fact and every wording of the training text lies in ../tables, none in the code."""
import functools
import pathlib

FOLDER = pathlib.Path(__file__).resolve().parent.parent
TABLES = FOLDER / "tables"
HELDOUT = FOLDER / "heldout"

Row = dict[str, str]


@functools.cache
def read_table(name: str, folder: pathlib.Path = TABLES) -> tuple[Row, ...]:
    """Rows of a TSV file whose first line names the columns; columns missing at the end of a row are empty."""
    lines = (folder / f"{name}.tsv").read_text(encoding="utf-8").splitlines()
    columns = lines[0].split("\t")
    rows = []
    for number, line in enumerate(lines[1:], 2):
        cells = line.split("\t")
        if len(cells) > len(columns) or not cells[0]:
            raise ValueError(f"{name}.tsv:{number}: expected {len(columns)} columns, got {line!r}")
        rows.append(dict(zip(columns, cells + [""] * (len(columns) - len(cells)))))
    return tuple(rows)


@functools.cache
def column(table: str, name: str) -> tuple[str, ...]:
    """One column of a table."""
    return tuple(row[name] for row in read_table(table))


@functools.cache
def read_lines(name: str) -> tuple[str, ...]:
    """The lines of a text file."""
    return tuple((TABLES / name).read_text(encoding="utf-8").splitlines())


@functools.cache
def wordings(topic: str) -> tuple[str, ...]:
    """The trained ways to ask about a topic."""
    found = tuple(row["wording"] for row in read_table("wordings") if row["topic"] == topic)
    if not found:
        raise KeyError(topic)
    return found


@functools.cache
def heldout_wordings(group: str) -> tuple[str, ...]:
    """The ways to ask that are kept for the examination."""
    return tuple(row["wording"] for row in read_table("wordings", HELDOUT) if row["group"] == group)
