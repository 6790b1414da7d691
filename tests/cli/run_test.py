#!/usr/bin/env python3
"""linnet run: what it generates, how it fails, and how it takes signals and pipes."""
import json
import os
import signal
import subprocess
import sys
import time

from program import LINNET, SENTENCE, CliTest, linnet, main, write_endless_model


class Generation(CliTest):
    def test_the_prompt_is_an_argument_a_pipe_or_a_dash(self):
        for line, options in ((("The linnet",), {}), ((), {"input": "The linnet\n"}), (("-",), {"input": "The linnet"})):
            with self.subTest(line=line):
                done = self.expect(0, "run", "-m", self.model, *line, **options)
                self.assertEqual(done.stdout.strip(), SENTENCE)
                self.assertTrue(done.stdout.endswith("\n"))
                self.assertEqual(done.stderr, "")

    def test_both_devices_say_the_same(self):
        for device in ("cpu", "reference"):
            done = self.expect(0, "run", "-m", self.model, "The linnet", "--device", device, "--require-device", device)
            self.assertEqual(done.stdout.strip(), SENTENCE)

    def test_json_is_one_object_with_the_whole_story(self):
        answer = self.expect_json("run", "-m", self.model, "The linnet", "--json", "--kv", "f16", "--context", 64)
        self.assertEqual(answer["text"].strip(), SENTENCE)
        self.assertEqual(answer["finish_reason"], "stop")
        self.assertEqual(len(answer["tokens"]), answer["generated_tokens"])
        self.assertEqual(answer["receipt"]["backend"], "cpu")
        self.assertGreater(sum(op["count"] for op in answer["receipt"]["ops"]), answer["generated_tokens"])
        self.assertGreater(answer["timings"]["decode_tokens_per_second"], 0)

    def test_the_receipt_is_a_table_on_stderr(self):
        done = self.expect(0, "run", "-m", self.model, "The linnet", "--receipt")
        self.assertRegex(done.stderr, r"(?m)^op +count +ms +GB +GB/s +device$")
        self.assertRegex(done.stderr, r"(?m)^attention +\d+ .* cpu$")
        self.assertIn("tokens/s", done.stderr)
        self.assertEqual(done.stdout.strip(), SENTENCE)

    def test_the_environment_chooses_the_device(self):
        elsewhere = {**os.environ, "LINNET_DEVICE": "reference"}
        line = ("run", "-m", self.model, "The linnet", "-n", "2", "--json")
        self.assertEqual(self.expect_json(*line, env=elsewhere)["receipt"]["backend"], "reference")
        self.assertEqual(self.expect_json(*line, "--device", "cpu", env=elsewhere)["receipt"]["backend"], "cpu")
        self.expect(2, *line, env={**os.environ, "LINNET_DEVICE": "toaster"})

    def test_verbose_adds_one_line(self):
        done = self.expect(0, "run", "-m", self.model, "The linnet", "--verbose")
        self.assertRegex(done.stderr, r"\Aprompt: 3 tokens, .* tokens/s; generated: .*\n\Z")

    def test_the_summary_is_a_few_lines(self):
        done = self.expect(0, "run", "-m", self.model, "The linnet", "--summary")
        self.assertRegex(done.stderr, r"\Aran on cpu: .+ \(.+\); \d+ ops in [\d.]+ ms\n"
                                      r"(\w+ \d+ %,[ \n])+\w+ \d+ %\nprompt: .* tokens/s; .*\n\Z")
        self.assertLessEqual(max(map(len, done.stderr.split("\n")[1:-2])), 101)
        self.assertIn("attention", done.stderr)

    def test_a_dash_takes_stdin_byte_for_byte(self):
        tokens = {line: self.expect_json("run", "-m", self.model, *line, "-n", 1, "--json", input="The linnet\n")
                  for line in ((), ("-",))}
        self.assertEqual(tokens["-",]["prompt_tokens"], tokens[()]["prompt_tokens"] + 1)

    def test_sampling_with_a_seed_repeats(self):
        line = ("run", "-m", self.model, "The", "-n", 20, "--temperature", 60, "--top-k", 40, "--top-p", 0.99)
        texts = [self.expect(0, *line, "--seed", seed).stdout for seed in (1, 1, 2, 3)]
        self.assertEqual(texts[0], texts[1])
        self.assertGreater(len(set(texts)), 1)

    def test_limits_and_stop_strings(self):
        text = self.expect(0, "run", "-m", self.model, "The linnet", "--stop", "sings", "--stop", "finch").stdout
        self.assertEqual(text.strip(), "is a small")
        answer = self.expect_json("run", "-m", self.model, "The linnet", "-n", 2, "--json")
        self.assertEqual((answer["generated_tokens"], answer["finish_reason"]), (2, "length"))
        done = self.expect(0, "run", "-m", self.model, "The linnet", "--context", 6)
        self.assertIn("the context of 6 tokens is full", done.stderr)

    def test_threads_and_instruction_sets_do_not_change_the_text(self):
        for extra in (("--threads", 1), ("--threads", 3), ("--instruction-set", "avx2")):
            done = linnet("run", "-m", self.model, "The linnet", *extra)
            if extra[0] == "--instruction-set" and done.returncode == 2:
                continue  # not on this processor
            self.assertEqual((done.returncode, done.stdout.strip()), (0, SENTENCE), done.stderr)


class Failures(CliTest):
    def test_a_missing_model_is_3(self):
        done = self.expect(3, "run", "-m", self.folder / "none.gguf", "x")
        self.assertIn("none.gguf", done.stderr)
        empty = self.folder / "empty"
        empty.mkdir()
        self.assertIn("has no weights", self.expect(3, "run", "-m", empty, "x").stderr)
        self.expect(3, "tokenize", "-m", self.folder / "none.gguf", "x")
        self.expect(3, "plan", self.folder / "none.gguf")

    def test_a_truncated_model_is_3_with_the_offset(self):
        whole = self.model.read_bytes()
        cut = self.folder / "cut.gguf"
        for size in (0, 3, 24, 1000, len(whole) // 2, len(whole) - 1):
            cut.write_bytes(whole[:size])
            for line in (("run", "-m", cut, "x"), ("plan", cut)):
                with self.subTest(size=size, line=line):
                    done = self.expect(3, *line)
                    self.assertIn("cut.gguf", done.stderr)
                    self.assertIn("offset", done.stderr)

    def test_what_is_no_model_is_3(self):
        text = self.folder / "text.gguf"
        text.write_text("This is not a model. " * 100)
        self.expect(3, "run", "-m", text, "x")

    def test_a_device_that_is_not_there_is_4(self):
        done = self.expect(4, "run", "-m", self.model, "x", "--device", "metal")
        self.assertIn("metal", done.stderr)
        self.assertIn("linnet devices", done.stderr)

    def test_cuda_by_name_never_falls_back(self):
        backends = self.expect_json("devices", "--json")["backends"]
        if next(b for b in backends if b["name"] == "cuda")["usable"]:
            self.skipTest("CUDA works here")
        self.expect(4, "run", "-m", self.model, "x", "--device", "cuda")

    def test_the_required_device_is_checked_against_the_receipt(self):
        done = self.expect(1, "run", "-m", self.model, "The linnet", "--require-device", "reference")
        self.assertIn("ran on cpu", done.stderr)

    def test_an_empty_prompt_is_2(self):
        self.expect(2, "run", "-m", self.model, input="")
        self.expect(2, "run", "-m", self.model, input="\n")
        self.expect(2, "run", "-m", self.model, "-", input="")
        self.expect(2, "run", "-m", self.model, "")

    def test_a_prompt_beyond_the_context_is_2_and_names_the_limit(self):
        done = self.expect(2, "run", "-m", self.model, "a " * 200, "--context", 64)
        self.assertIn("64", done.stderr)
        self.assertIn("512", self.expect(2, "run", "-m", self.model, "x", "--context", 100000).stderr)

    def test_a_full_disk_is_1(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([LINNET, "run", "-m", str(self.model), "The linnet"], stdin=subprocess.DEVNULL,
                                  stdout=full, stderr=subprocess.PIPE, text=True, check=False, timeout=120)
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot write to stdout", done.stderr)


def start(*arguments, **options):
    return subprocess.Popen([LINNET, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, **options)


def wait_for_text(process):
    """The first piece that the program generates."""
    return os.read(process.stdout.fileno(), 1 << 16)


class EndlessTest(CliTest):
    """Tests with a generation that lasts until something stops it."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        endless = cls.folder / "endless.gguf"
        write_endless_model(endless)
        cls.endless = ("run", "-m", endless, "The linnet", "--context", 100000)


class Interrupts(EndlessTest):
    def test_ctrl_c_stops_with_130_and_keeps_what_was_generated(self):
        process = start(*self.endless)
        first = wait_for_text(process)
        process.send_signal(signal.SIGINT)
        rest, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, errors)
        said = (first + rest).decode()
        self.assertTrue(said.endswith("\n"))
        told = f"{SENTENCE} The linnet " * (len(said) // len(SENTENCE) + 1)
        self.assertTrue(told.startswith(said.strip()), said)
        self.assertEqual(errors, b"linnet: interrupted\n")

    def test_ctrl_c_with_json_still_prints_the_object(self):
        process = start(*self.endless, "--json")
        time.sleep(1.0)
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, errors)
        if out:  # empty if it was still loading
            self.assertEqual(json.loads(out)["finish_reason"], "cancelled")

    def test_the_text_streams(self):
        process = start(*self.endless)
        self.assertTrue(wait_for_text(process))
        self.assertIsNone(process.poll(), "it had ended before its first piece was read")
        process.kill()
        process.communicate()


class Pipes(EndlessTest):
    def test_a_closed_pipe_ends_it_quietly(self):
        process = start(*self.endless)
        wait_for_text(process)
        process.stdout.close()
        errors = process.stderr.read()
        self.assertEqual((process.wait(timeout=60), errors), (0, b""))
        process.stderr.close()

    def test_a_pipe_that_nobody_reads_ends_every_verb_quietly(self):
        for line in (("--help",), ("--version",), ("devices",), ("plan", self.model),
                     ("tokenize", "-m", self.model, "x")):
            with self.subTest(line=line):
                reader, writer = os.pipe()
                os.close(reader)
                done = subprocess.run([LINNET, *map(str, line)], stdin=subprocess.DEVNULL, stdout=writer,
                                      stderr=subprocess.PIPE, check=False, timeout=60)
                os.close(writer)
                self.assertEqual((done.returncode, done.stderr), (0, b""))

    def test_closed_standard_streams_do_no_harm(self):
        command = f'"{LINNET}" run -m "{self.model}" "The linnet" -n 3 <&- >&- 2>&-'
        self.assertEqual(subprocess.run(["sh", "-c", command], check=False, timeout=60).returncode, 0)

    def test_stderr_has_no_progress_bar_in_a_pipe(self):
        self.assertEqual(self.expect(0, "run", "-m", self.model, "The linnet").stderr, "")


if __name__ == "__main__":
    sys.exit(main())
