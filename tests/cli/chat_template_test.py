#!/usr/bin/env python3
"""linnet run with a model that brings a chat template, and the built-in model's name wherever a model is named."""
import json
import os
import shutil
import sys

from program import ANSWER, LINNET, SENTENCE, ChatModelTest, linnet, main, tiny, without_builtin


class ChatTemplates(ChatModelTest):
    def test_the_prompt_is_a_message_however_it_comes(self):
        for line, options in ((("Hello",), {}), ((), {"input": "Hello\n"}), (("-",), {"input": "Hello"})):
            with self.subTest(line=line):
                done = self.expect(0, "run", "-m", self.chat, *line, **options)
                self.assertEqual((done.stdout, done.stderr), (ANSWER + "\n", ""))

    def test_raw_goes_on_from_the_prompt(self):
        done = self.expect(0, "run", "-m", self.chat, "--raw", "The linnet")
        self.assertEqual(done.stdout.strip(), SENTENCE)

    def test_what_is_fed_is_what_the_template_prints(self):
        request = {"messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello"}]}
        text = self.expect(0, "template", self.chat, input=json.dumps(request)).stdout
        self.assertEqual(text, "<s><|system|>Be brief.<|end|><|user|>Hello<|end|><|assistant|>")
        answer = self.expect_json("run", "-m", self.chat, "Hello", "--system", "Be brief.", "--json")
        # Each control token is one: <s>, three roles, two ends; the words are those of a plain text.
        words = [len(self.expect_json("tokenize", "-m", self.chat, "--no-special", "--json", text)["ids"])
                 for text in ("Be brief.", "Hello")]
        self.assertLessEqual(abs(answer["prompt_tokens"] - 6 - sum(words)), 2)  # of a space before each, perhaps
        self.assertEqual((answer["text"], answer["finish_reason"]), (ANSWER, "stop"))

    def test_a_message_of_any_bytes_is_answered(self):
        done = self.expect(0, "run", "-m", self.chat, input="caf\udce9 \x01 東京", errors="surrogateescape")
        self.assertEqual(done.stdout.strip(), ANSWER)

    def test_a_template_that_refuses_is_2_and_one_that_is_none_is_3(self):
        for template, code, part in (("{{ raise_exception('no system message') }}", 2, "no system message"),
                                     ("{% for %}", 3, "line 1")):
            with self.subTest(template=template):
                model = self.folder / "strict.gguf"
                tokens, words = tiny.vocabulary(chat=True)
                metadata = [pair for pair in tiny.make_metadata(tokens) if b"chat_template" not in pair]
                metadata.append(tiny.pair("tokenizer.chat_template", tiny.STRING, template))
                tiny.write_gguf(model, metadata, tiny.make_tensors(tokens, words))
                self.assertIn(part, self.expect(code, "run", "-m", model, "Hello").stderr)
                self.expect(0, "run", "-m", model, "--raw", "The linnet")

    def test_a_message_beyond_the_context_is_2_and_names_the_limit(self):
        self.assertIn("64", self.expect(2, "run", "-m", self.chat, "a " * 200, "--context", 64).stderr)


class BuiltinName(ChatModelTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.given = without_builtin(LINNET_BUILTIN=str(cls.chat))

    def test_run_without_a_model_uses_it(self):
        for line in ((), ("-m", "builtin")):
            done = self.expect(0, "run", *line, "What is the capital of France?", env=self.given)
            self.assertEqual((done.stdout, done.stderr), (ANSWER + "\n", ""))
        self.assertEqual(self.expect(0, "run", input="Hello\n", env=self.given).stdout, ANSWER + "\n")
        self.assertEqual(self.expect_json("run", "Hello", "--json", env=self.given)["model"], "builtin")

    def test_every_verb_knows_its_name(self):
        request = json.dumps({"messages": [{"role": "user", "content": "Hello"}]})
        out = self.folder / "out.gguf"
        for line in (("tokenize", "-m", "builtin", "Hello"), ("inspect", "builtin"), ("plan", "builtin"),
                     ("bisect", "-m", "builtin", "Hello"), ("quantize", "builtin", out),
                     ("bench", "text", "-m", "builtin", "-p", "4", "-n", "4", "-r", "1")):
            with self.subTest(line=line):
                self.expect(0, *line, env=self.given)
                out.unlink(missing_ok=True)
                missing = self.expect(3, *line, env=without_builtin(LINNET_BUILTIN=str(self.folder / "none.gguf")))
                self.assertIn("LINNET_BUILTIN", missing.stderr)
        self.assertIn("Hello", self.expect(0, "template", "builtin", env=self.given, input=request).stdout)

    def test_it_means_the_model_also_where_a_folder_has_that_name(self):
        (self.folder / "builtin").mkdir(exist_ok=True)
        done = self.expect(0, "run", "-m", "builtin", "Hello", env=self.given, cwd=self.folder)
        self.assertEqual(done.stdout.strip(), ANSWER)
        self.expect(3, "run", "-m", "./builtin", "Hello", env=self.given, cwd=self.folder)

    def test_it_is_found_beside_the_program_wherever_that_is(self):
        prefix = self.folder / "moved"
        (prefix / "bin").mkdir(parents=True)
        program = shutil.copy(LINNET, prefix / "bin" / "linnet")
        os.symlink(program, self.folder / "called-otherwise")
        done = self.run_at(program)
        self.assertEqual(done.returncode, 3, done.stderr)
        for part in ("share/linnet/linnet-text.gguf", str(prefix), "-m", "LINNET_BUILTIN"):
            self.assertIn(part, done.stderr)
        (prefix / "share" / "linnet").mkdir(parents=True)
        shutil.copy(self.chat, prefix / "share" / "linnet" / "linnet-text.gguf")
        for name in (program, self.folder / "called-otherwise"):
            done = self.run_at(name)
            self.assertEqual((done.returncode, done.stdout.strip()), (0, ANSWER), done.stderr)

    def run_at(self, program):
        return linnet("run", "Hello", program=program, env=without_builtin())


if __name__ == "__main__":
    sys.exit(main())
