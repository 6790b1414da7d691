#!/usr/bin/env python3
"""Help, version and wrong command lines."""
import sys

from program import CliTest, main

VERBS = ("run", "devices", "doctor", "bisect", "bench", "tokenize", "template", "inspect", "plan", "quantize")


class Help(CliTest):
    def test_every_verb_teaches_with_examples(self):
        for verb in (*((v,) for v in VERBS), ("bench", "text"), ("bench", "ops")):
            with self.subTest(verb=verb):
                text = self.expect(0, *verb, "--help").stdout
                self.assertIn("Examples:", text)
                self.assertIn("Usage: linnet " + " ".join(verb), text)
                self.assertGreaterEqual(text.count("linnet " + " ".join(verb)), 2)

    def test_the_program_lists_its_verbs_and_exit_codes(self):
        text = self.expect(0, "--help").stdout
        for verb in VERBS:
            self.assertIn(f"  {verb} ", text)
        self.assertIn("130 interrupted", text)

    def test_the_version_is_one_line(self):
        self.assertRegex(self.expect(0, "--version").stdout, r"\Alinnet \d+\.\d+\.\d+\n\Z")


class UsageErrors(CliTest):
    def test_nothing_at_all(self):
        self.expect(2)

    def test_an_unknown_verb_gets_a_hint(self):
        self.assertIn("did you mean 'run'", self.expect(2, "rnu").stderr)
        self.assertIn("the verbs are", self.expect(2, "dance").stderr)
        self.expect(2, "")

    def test_an_unknown_option_gets_a_hint(self):
        done = self.expect(2, "run", "-m", self.model, "x", "--temprature", "1")
        self.assertIn("did you mean '--temperature'", done.stderr)
        self.assertIn("linnet run --help", done.stderr)
        self.assertIn("unknown option '--devic'", self.expect(2, "run", "--devic").stderr)

    def test_missing_and_impossible_values(self):
        for line in (("run", "-m"), ("plan",), ("bench",), ("quantize", "a"), ("tokenize", "x"),
                     ("run", "-m", self.model, "x", "-n", "-3"), ("run", "-m", self.model, "x", "-n", "many"),
                     ("run", "-m", self.model, "x", "--top-p", "2"), ("run", "-m", self.model, "x", "--kv", "q4"),
                     ("run", "-m", self.model, "x", "--temperature", "-1"),
                     ("run", "-m", self.model, "x", "--temperature", "nan"),
                     ("run", "-m", self.model, "x", "--seed", "-1"),
                     ("run", "-m", self.model, "x", "--threads", "1000000"),
                     ("run", "-m", self.model, "x", "--threads", "99999999999999999999"),
                     ("run", "-m", self.model, "x", "one", "too", "many"),
                     ("run", "-m", self.model, "x", "--raw", "--system", "Be brief."),
                     ("run", "-m", self.model, "x", "--system", "no template to put this in"),
                     ("quantize", self.model, self.folder / "out.gguf", "--to", "q2"), ("devices", "extra")):
            with self.subTest(line=line):
                self.expect(2, *line)

    def test_an_unknown_device(self):
        self.assertIn("expected one of auto", self.expect(2, "run", "-m", self.model, "x", "--device", "abacus").stderr)
        self.expect(2, "run", "-m", self.model, "x", "--require-device", "abacus")
        self.expect(2, "run", "-m", self.model, "x", "--instruction-set", "abacus")


if __name__ == "__main__":
    sys.exit(main())
