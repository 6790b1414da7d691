#!/usr/bin/env python3
"""What makes the built-in model: the tables are whole, the text is the same every time, the examination can fail."""
import hashlib
import json
import os
import pathlib
import random
import re
import stat
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TEXT = ROOT / "builtin" / "text"
sys.path.insert(0, str(TEXT))
import check_heldout  # noqa: E402
import examination  # noqa: E402
import shape  # noqa: E402
from corpus import chat, facts, heldout, numbers, stories, unknown  # noqa: E402
from corpus.conversation import conversations  # noqa: E402
from corpus.tables import column, read_table, wordings  # noqa: E402

# They were committed before the first training and are never edited.
HELDOUT = {
    "questions.tsv": "731a45d9f5c74b0dca4b311670ef87525773d955e4309e5917bfdae5562e29e9",
    "wordings.tsv": "b41592baf8c90e003310930896e273821f854a7bfdcb7c0d478e17dc85ed6626",
}


class Tables(unittest.TestCase):
    def test_at_least_190_countries_each_with_a_capital_of_its_own(self):
        countries, capitals = column("capitals", "country"), column("capitals", "capital")
        self.assertGreaterEqual(len(countries), 190)
        self.assertEqual(len(set(countries)), len(countries))
        self.assertEqual(len(set(capitals)), len(capitals))
        self.assertTrue(all(capitals))

    def test_every_word_has_one_opposite_and_every_thing_one_colour(self):
        for table, key in (("opposites", "word"), ("colours", "thing"), ("firsts", "first")):
            keys = column(table, key)
            self.assertEqual(len(set(keys)), len(keys), table)

    def test_capitals_are_trained_in_many_wordings(self):
        self.assertGreaterEqual(len(set(wordings("capitals"))), 25)

    def test_a_question_never_has_two_answers(self):
        answers = {}
        topics = (facts.capital, facts.country, facts.colour, facts.opposite, facts.calendar, facts.first, facts.about,
                  facts.greeting, numbers.arithmetic, unknown.unknown)
        rng = random.Random(5)
        for topic in topics:
            for _ in range(4000):
                question, answer = topic(rng)
                self.assertEqual(answers.setdefault(question.lower(), answer), answer, question)


class Text(unittest.TestCase):
    def test_the_same_seed_gives_the_same_text_in_every_process(self):
        command = [sys.executable, TEXT / "generate.py", "--chunk-size", "300"]
        runs = {subprocess.run(command, env={**os.environ, "PYTHONHASHSEED": seed}, check=True, capture_output=True).stdout
                for seed in ("1", "2")}
        self.assertEqual(len(runs), 1)

    def test_chunks_and_seeds_differ(self):
        self.assertNotEqual(conversations(7, 0, 50), conversations(7, 1, 50))
        self.assertNotEqual(conversations(7, 0, 50), conversations(8, 0, 50))

    def test_no_slot_is_left_open(self):
        for exchanges in conversations(7, 0, 3000):
            for turn in exchanges:
                self.assertIsNone(re.search(r"[{}]|  |\bNone\b", " ".join(turn)), turn)

    def test_stories_are_about_100_words_and_hardly_ever_the_same(self):
        rng = random.Random(1)
        told = [stories.story(rng)[1] for _ in range(500)]
        self.assertEqual(len(set(told)), len(told))
        self.assertTrue(all(examination.is_story("")(text, True) for text in told))

    def test_single_digit_sums_are_all_trained(self):
        rng = random.Random(2)
        asked = {numbers.pair_to_add(rng) for _ in range(5000)}
        self.assertTrue({(a, b) for a in range(10) for b in range(10)} <= asked)

    def test_tokens_of_a_conversation_are_those_of_its_template(self):
        def encode(text):
            return [10 + ord(letter) for letter in text]

        exchanges = [("Hi", "Hello!"), ("2+2", "4.")]
        tokens, answers = chat.to_tokens(exchanges, encode)
        pieces = re.split("(" + "|".join(map(re.escape, chat.SPECIALS)) + ")", chat.rendered(exchanges))
        whole = [token for piece in pieces for token in
                 ([chat.SPECIALS.index(piece)] if piece in chat.SPECIALS else encode(piece))]
        self.assertEqual(tokens, whole)
        said = "".join(chr(token - 10) if token >= 10 else "|" for token, mine in zip(tokens, answers) if mine)
        self.assertEqual(said, "Hello!|4.|")

    def test_the_model_fits(self):
        self.assertLess(shape.bytes_as_q8_0(), shape.MOST_BYTES - 150_000)  # the tokenizer and the names


class HeldOut(unittest.TestCase):
    def test_it_was_not_edited(self):
        for name, digest in HELDOUT.items():
            self.assertEqual(hashlib.sha256((TEXT / "heldout" / name).read_bytes()).hexdigest(), digest, name)

    def test_two_wordings_of_capitals_are_held_out(self):
        self.assertEqual(len([group for group in {question.group for question in examination.questions()}
                              if group.startswith("capitals, held out:")]), 2)

    def test_every_held_out_question_would_be_found_in_the_training_text(self):
        for question in examination.questions():
            if "held out" in question.group or "never seen" in question.group:
                answer = re.sub(r"\D+(\d+) plus (\d+)\?", r"\1 plus \2 is 0.", question.text)
                asked = f"Hey, {question.text.lower().rstrip('?')} please"
                self.assertTrue(heldout.is_heldout((asked, answer)), question.text)

    def test_trained_questions_are_not_taken_for_held_out(self):
        for question in examination.questions():
            if "held out" not in question.group:
                self.assertFalse(heldout.found_in(question.text), question.text)

    def test_a_wording_of_the_tables_that_is_held_out_is_found(self):
        self.assertTrue(heldout.same_wording("Hello! Do you know {country's} capital, please?", "Do you know {country's} capital?"))
        self.assertFalse(heldout.same_wording("Do you know the capital of {country}?", "Do you know {country's} capital?"))
        self.assertEqual(check_heldout.wordings_in_common(), [])


FAKE = """#!{python} -SE
import json, sys
device = sys.argv[sys.argv.index("--device") + 1]
answers = json.load(open({answers!r}))
for line in sys.stdin:
    answer = answers[line[:-1]]
    if device in {broken!r}: answer = answer.replace("It is", "This is")
    print(json.dumps({{"text": answer, "finish_reason": "stop"}}))
"""


class Evaluate(unittest.TestCase):
    """Against a program that answers from a list."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        rng = random.Random(3)
        self.answers = {}
        for question in examination.questions():
            answer = f"It is {question.expected}."
            if question.group.startswith("stories"):
                answer = f"{stories.story(rng)[1]} It was about {question.expected.split()[-1]}."
            self.answers[question.text] = answer

    def evaluate(self, *arguments, broken=()):
        folder = pathlib.Path(self.folder.name)
        (folder / "answers.json").write_text(json.dumps(self.answers))
        program = folder / "linnet"
        program.write_text(FAKE.format(python=sys.executable, answers=str(folder / "answers.json"), broken=broken))
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        return subprocess.run([sys.executable, TEXT / "evaluate", "--program", program, "--every", "50", "--jobs", "2",
                               *arguments], capture_output=True, text=True, check=False)

    def test_right_answers_pass(self):
        done = self.evaluate("--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        self.assertTrue(all(row["percent"] == 100 for row in report["groups"]), report["wrong"])

    def test_a_wrong_sum_fails(self):
        self.answers["What is 0 plus 0?"] = "0 plus 0 is 1."
        done = self.evaluate()
        self.assertEqual(done.returncode, 1)
        self.assertIn("**missed**", done.stdout)
        self.assertIn("What is 0 plus 0? -> '0 plus 0 is 1.', expected 0", done.stderr)

    def test_another_answer_on_another_device_fails(self):
        done = self.evaluate("--json", "--compare", "cuda", broken=("cuda",))
        self.assertEqual(done.returncode, 1)
        self.assertTrue(json.loads(done.stdout)["different"])
        self.assertEqual(self.evaluate("--compare", "cuda").returncode, 0)

    def test_a_program_that_fails_is_named(self):
        done = subprocess.run([sys.executable, TEXT / "evaluate", "--program", "/bin/false", "--every", "1000"],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("exit code 1", done.stderr)


if __name__ == "__main__":
    unittest.main()
