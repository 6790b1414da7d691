#!/usr/bin/env python3
"""The built-in model itself through the program. Skipped where builtin/text/linnet-text.gguf is not there."""
import csv
import json
import sys
import unittest

from program import ROOT, CliTest, main, skip_without_cuda, without_builtin

MODEL = ROOT / "builtin" / "text" / "linnet-text.gguf"
QUESTIONS = ROOT / "builtin" / "text" / "heldout" / "questions.tsv"
CAPITAL = "What is the capital of France?"
# What the issue of the model promises by word, and the words the answer has.
PROMISED = ((CAPITAL, "Paris"), ("What colour is the sky?", "blue"), ("What is 3 + 4?", "7"),
            ("Who was the first president of the United States?", "George Washington"))


def asked_of_every_device():
    """The promised questions, a story, and the held-out ones where they are there."""
    questions = [question for question, _ in PROMISED] + ["Tell me a story."]
    if QUESTIONS.exists():
        with QUESTIONS.open(encoding="utf-8", newline="") as file:
            questions += [row["question"] for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)]
    return questions


@unittest.skipUnless(MODEL.exists(), "builtin/text/linnet-text.gguf is not there")
class BuiltinTest(CliTest):
    def answer(self, question, *arguments):
        return self.expect_json("run", question, "--json", *arguments, env=without_builtin())


class BuiltinModel(BuiltinTest):
    def test_answers_by_name_by_default_and_in_a_pipe(self):
        for line, options in ((("run", CAPITAL), {}), (("run", "-m", "builtin", CAPITAL), {}),
                              (("run",), {"input": CAPITAL + "\n"})):
            done = self.expect(0, *line, env=without_builtin(), **options)
            self.assertRegex(done.stdout, r"\A[^\n]*Paris[^\n]*\n\Z")
            self.assertEqual(done.stderr, "")

    def test_says_what_was_promised_and_ends_by_itself(self):
        for question, words in PROMISED:
            with self.subTest(question=question):
                answer = self.answer(question)
                self.assertIn(words, answer["text"])
                self.assertEqual(answer["finish_reason"], "stop")

    def test_every_line_is_a_prompt_of_its_own(self):
        questions = [question for question, _ in PROMISED]
        done = self.expect(0, "run", "--lines", "--json", input="\n".join(questions) + "\n\n", env=without_builtin())
        answers = [json.loads(line)["text"] for line in done.stdout.splitlines()]
        self.assertEqual(answers, [self.answer(question)["text"] for question in questions])
        done = self.expect(0, "run", "--lines", input="\n".join(questions), env=without_builtin())
        self.assertEqual(done.stdout.splitlines(), answers)
        self.expect(2, "run", "--lines", "a prompt", input="another\n", env=without_builtin())

    def test_a_story_ends(self):
        answer = self.answer("Tell me a story.")
        self.assertEqual(answer["finish_reason"], "stop")
        self.assertTrue(50 <= len(answer["text"].split()) <= 200, answer["text"])

    def test_says_the_same_words_with_one_thread_and_with_two(self):
        for question in asked_of_every_device():
            one, two = (self.answer(question, "--threads", count)["tokens"] for count in (1, 2))
            self.assertEqual(one, two, question)

    def test_every_op_of_it_is_within_its_tolerance(self):
        self.expect(0, "bisect", "-m", "builtin", CAPITAL, env=without_builtin())

    def test_is_small(self):
        self.assertLessEqual(MODEL.stat().st_size, 6_000_000)


class BuiltinModelOnCuda(BuiltinTest):
    def test_answers_as_the_cpu_does(self):
        skip_without_cuda(self)
        for question in asked_of_every_device():
            with self.subTest(question=question):
                answer = self.answer(question, "--device", "cuda")
                self.assertEqual(answer["receipt"]["backend"], "cuda")
                self.assertEqual(answer["text"], self.answer(question, "--device", "cpu")["text"])


if __name__ == "__main__":
    sys.exit(main())
