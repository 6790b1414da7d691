#!/usr/bin/env python3
"""The other verbs: devices, doctor, bisect, bench, tokenize, plan, quantize."""
import json
import struct
import sys

from program import SENTENCE, TESTDATA, CliTest, linnet, main, skip_without_cuda, tiny, write_endless_model


class Devices(CliTest):
    def test_lists_every_backend_and_ends_with_the_recommended_one(self):
        text = self.expect(0, "devices").stdout
        for name in ("cuda", "rocm", "metal", "opencl", "webgpu", "cpu", "reference"):
            self.assertRegex(text, rf"(?m)^{name} ")
        self.assertRegex(text.splitlines()[-1], r"^recommended: \w+$")

    def test_json_says_the_same(self):
        answer = self.expect_json("devices", "--json")
        for backend in answer["backends"]:
            if backend["usable"]:
                self.assertTrue(backend["device"])
                self.assertLessEqual(backend["free_memory"], backend["total_memory"])
            else:
                self.assertTrue(backend["reason"])
        self.assertIn(answer["recommended"], [b["name"] for b in answer["backends"] if b["usable"]])


class Doctor(CliTest):
    def test_finds_the_backends_of_this_machine_healthy(self):
        answer = self.expect_json("doctor", "--quick", "--json")
        self.assertTrue(answer["healthy"])
        for backend in answer["backends"]:
            names = {op["op"] for op in backend["ops"]}
            self.assertLessEqual({"linear", "rms_norm", "attention", "sample", "norm_qkv_rope_store"}, names)
            for op in backend["ops"]:
                self.assertEqual(op["failed"], 0, op)
                self.assertGreater(op["cases"], op["skipped"], op)

    def test_prints_a_verdict_for_each_op(self):
        text = self.expect(0, "doctor", "--quick", "--device", "cpu").stdout
        self.assertRegex(text, r"(?m)^rms_norm +\d.* ok$")
        self.assertIn("cpu: computes as the reference does", text)

    def test_can_be_asked_for_some_ops_only(self):
        answer = self.expect_json("doctor", "--quick", "--device", "cpu", "--op", "rope", "--op", "rms_norm", "--json")
        self.assertEqual({op["op"] for op in answer["backends"][0]["ops"]}, {"rope", "rms_norm"})
        self.assertRegex(self.expect(2, "doctor", "--op", "gemm").stderr, r"no op 'gemm'; there are .*attention, .*linear")

    def test_a_device_that_is_not_there_is_4(self):
        self.expect(4, "doctor", "--device", "metal")


class Bisect(CliTest):
    def test_finds_no_difference_between_cpu_and_reference(self):
        text = self.expect(0, "bisect", "-m", self.model).stdout
        self.assertIn("cpu against reference", text)
        self.assertIn("all within their tolerance", text)

    def test_names_the_first_value_above_a_threshold(self):
        done = self.expect(1, "bisect", "-m", self.model, "--prompt", "The linnet", "--threshold", 0)
        self.assertRegex(done.stdout, r"first difference above 0: op \d+, \w+ → ")

    def test_json_lists_every_value(self):
        answer = self.expect_json("bisect", "-m", self.model, "The linnet", "--against", "cpu", "--json")
        self.assertEqual((answer["device"], answer["against"]), ("cpu", "cpu"))
        self.assertIsNone(answer["first_difference"])
        self.assertTrue(all(value["relative"] == 0 for value in answer["values"]))
        self.assertTrue(answer["forced"])

    def test_works_on_quantized_weights(self):
        quantized = self.folder / "q8.gguf"
        self.expect(0, "quantize", self.model, quantized)
        self.expect(0, "bisect", "-m", quantized)


def tiny_tokenizer(folder):
    """A Hugging Face folder with nothing but a tokenizer.json: byte-level BPE of a few letters."""
    made = folder / "tokenizer"
    made.mkdir(exist_ok=True)
    vocabulary = {text: number for number, text in enumerate(["a", "b", "Ġ", "ab", "Ġab"])}
    json_file = {
        "added_tokens": [{"id": 5, "content": "<s>", "special": True}],
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False},
        "post_processor": {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "<s>"}}, {"Sequence": {"id": "A"}}],
                           "special_tokens": {"<s>": {"ids": [5]}}},
        "model": {"type": "BPE", "vocab": vocabulary, "merges": ["a b", "Ġ ab"]}}
    (made / "tokenizer.json").write_text(json.dumps(json_file))
    return made


class Bench(CliTest):
    def test_text_reports_speeds_and_the_share_of_the_bandwidth(self):
        line = ("bench", "text", "-m", self.model, "-p", 16, "-n", 8, "-r", 2)
        answer = self.expect_json(*line, "--json")
        self.assertEqual(len(answer["decode"]["runs"]), 2)
        self.assertGreater(answer["prompt"]["tokens_per_second"], 0)
        self.assertGreater(answer["tokenize"]["tokens_per_second"], 0)
        self.assertEqual(answer["tokenize"]["kind"], "SentencePiece BPE")
        self.assertGreater(answer["bytes_per_token"], 1e6)
        self.assertGreater(answer["bandwidth"]["best"], 1e8)
        self.assertGreater(answer["share_of_bandwidth"], 0)
        self.assertGreater(len(answer["bandwidth"]["readings"]), 1)
        self.assertRegex(self.expect(0, *line).stdout, r"MB per token: .* GB/s, .* % of ")

    def test_text_counts_keys_and_values_of_the_depth(self):
        line = ("bench", "text", "-m", self.model, "-p", 8, "-n", 8, "-r", 1, "--json")
        shallow, deep = (self.expect_json(*line, "-d", depth) for depth in (0, 100))
        self.assertEqual((shallow["decode"]["depth"], deep["decode"]["depth"]), (0, 100))
        self.assertEqual((shallow["decode"]["tokens"], deep["decode"]["tokens"]), (8, 8))
        floats = tiny.LAYERS * 2 * tiny.KV_HEADS * tiny.WIDTH // tiny.HEADS
        # In the middle of decode: the depth, the token before the first, and half of the answer.
        self.assertEqual(shallow["kv_bytes_per_token"], (0 + 1 + 4) * floats * 4)
        self.assertEqual(deep["kv_bytes_per_token"], (100 + 1 + 4) * floats * 4)
        half = self.expect_json(*line, "-d", 100, "--kv", "f16")
        self.assertEqual(half["kv_bytes_per_token"], (100 + 1 + 4) * floats * 2)
        # Reading the tokens before is not part of what is measured.
        self.assertAlmostEqual(deep["weight_bytes_per_token"], shallow["weight_bytes_per_token"], delta=1e3)
        for answer in (shallow, deep, half):
            self.assertEqual(answer["bytes_per_token"], answer["weight_bytes_per_token"] + answer["kv_bytes_per_token"])
        self.assertRegex(self.expect(0, *line[:-1], "-d", 100).stdout, r"(?m)^decode after 100 +8 ")

    def test_text_makes_the_context_as_long_as_the_depth_needs(self):
        long = self.folder / "long.gguf"
        write_endless_model(long)
        answer = self.expect_json("bench", "text", "-m", long, "-p", 8, "-n", 4, "-r", 1, "-d", 4200, "--json")
        self.assertEqual((answer["decode"]["depth"], answer["decode"]["tokens"]), (4200, 4))

    def test_text_says_how_long_the_caller_was_busy(self):
        line = ("bench", "text", "-m", self.model, "-p", 8, "-n", 8, "-r", 1)
        plain = self.expect_json(*line, "--json")["decode"]
        busy = self.expect_json(*line, "--callback-delay", 2000, "--json")["decode"]
        self.assertEqual((plain["callback_delay_microseconds"], busy["callback_delay_microseconds"]), (0, 2000))
        self.assertEqual(plain["callbacks"], busy["callbacks"])
        self.assertGreater(busy["callbacks"], 4)
        # The tests' device computes in the caller's thread: it cannot be faster than its caller.
        self.assertLess(busy["tokens_per_second"], 600)
        self.assertRegex(self.expect(0, *line, "--callback-delay", 1).stdout, r"busy for 1 µs in each of \d+ callbacks")
        self.expect(2, *line, "--callback-delay", -1)

    def test_text_draws_as_it_is_told(self):
        line = ("bench", "text", "-m", self.model, "-p", 8, "-n", 8, "-r", 1)
        drawing = ("--temperature", 0.5, "--top-k", 4, "--top-p", 0.75, "--seed", 3)
        decode = self.expect_json(*line, *drawing, "--json")["decode"]
        self.assertEqual((decode["temperature"], decode["top_k"], decode["top_p"]), (0.5, 4, 0.75))
        self.assertEqual(self.expect_json(*line, "--json")["decode"]["temperature"], 0)
        self.assertIn("drawn with temperature 0.5, top-k 4, top-p 0.75", self.expect(0, *line, *drawing).stdout)
        self.assertNotIn("drawn", self.expect(0, *line).stdout)
        self.expect(2, *line, "--temperature", -1)

    def test_text_that_passes_the_context_is_2(self):
        def refused(*sizes):
            return self.expect(2, "bench", "text", "-m", self.model, *sizes).stderr
        self.assertIn("-p 512 needs a context of 513 tokens", refused("-p", 512, "-n", 8))
        self.assertIn("-d 505 with -n 8 needs a context of 514 tokens", refused("-d", 505, "-n", 8))
        self.assertIn("a larger --context", refused("-d", 40, "-n", 8, "--context", 48))
        self.assertIn("-n 2 needs a context of 3 tokens", refused("--context", 1))

    def test_text_cuts_the_answer_to_what_the_depth_leaves(self):
        answer = self.expect_json("bench", "text", "-m", self.model, "-r", 1, "-d", 30, "--context", 40, "--json")
        self.assertEqual((answer["prompt"]["tokens"], answer["decode"]["tokens"]), (39, 9))

    def test_text_cuts_its_defaults_to_the_context(self):
        answer = self.expect_json("bench", "text", "-m", self.model, "-r", 1, "--context", 40, "--json")
        self.assertEqual((answer["prompt"]["tokens"], answer["decode"]["tokens"]), (39, 39))

    def test_text_measures_the_tokenizer_alone_where_there_are_no_weights(self):
        tokenizers = tiny_tokenizer(self.folder)
        answer = self.expect_json("bench", "text", "-m", tokenizers, "-r", 2, "--json")
        self.assertEqual(answer["tokenize"]["kind"], "byte-level BPE")
        self.assertGreater(answer["tokenize"]["bytes"], 1 << 20)
        self.assertGreater(answer["tokenize"]["tokens_per_second"], 0)
        self.assertEqual(len(answer["tokenize"]["runs"]), 2)
        self.assertNotIn("prompt", answer)
        text = self.folder / "text"
        text.write_text("ab ab")
        line = ("bench", "text", "-m", tokenizers, "-r", 1, "--text", text)
        self.assertEqual(self.expect_json(*line, "--json")["tokenize"]["tokens"], 2)
        self.assertRegex(self.expect(0, *line).stdout, r"tokenizer: byte-level BPE on one thread, 5 bytes of .*tokens/s")
        text.write_text("")
        self.assertIn("no tokens", self.expect(2, *line).stderr)

    def test_ops_can_be_chosen(self):
        answer = self.expect_json("bench", "ops", "--only", "rms_norm", "-r", 3, "--json")
        self.assertTrue(answer["ops"])
        self.assertTrue(all("rms_norm" in op["name"] for op in answer["ops"]))
        self.expect(2, "bench", "ops", "--only", "no such op")


class Tokenize(CliTest):
    def test_prints_ids_and_pieces(self):
        answer = self.expect_json("tokenize", "-m", self.model, "The linnet é", "--json")
        self.assertEqual(answer["pieces"][:3], ["<s>", " The", " linnet"])
        self.assertEqual(answer["ids"][0], 1)
        lines = self.expect(0, "tokenize", "-m", self.model, "The linnet é").stdout.splitlines()
        self.assertEqual([int(line.split("\t")[0]) for line in lines], answer["ids"])
        self.assertEqual(lines[-1].split("\t")[1], '"\\xA9"')

    def test_no_special_leaves_them_out(self):
        answer = self.expect_json("tokenize", "-m", self.model, "The linnet", "--json", "--no-special")
        self.assertEqual(answer["pieces"], [" The", " linnet"])

    def test_reads_a_pipe(self):
        answer = self.expect_json("tokenize", "-m", self.model, "--json", input="The linnet\n")
        self.assertEqual(answer["pieces"], ["<s>", " The", " linnet"])
        self.assertEqual(self.expect_json("tokenize", "-m", self.model, "-", "--json", input="")["ids"], [1])

    def test_a_dash_takes_stdin_as_it_is(self):
        plain = self.expect_json("tokenize", "-m", self.model, "--json", "The linnet")["ids"]
        exact = self.expect_json("tokenize", "-m", self.model, "-", "--json", input="The linnet\n")
        self.assertEqual(exact["ids"][:len(plain)], plain)
        self.assertEqual(exact["pieces"][len(plain):], ["\n"])

    def test_an_empty_text_is_a_text(self):
        self.assertEqual(self.expect_json("tokenize", "-m", self.model, "", "--json", input="ignored")["ids"], [1])

    def test_a_name_of_a_control_token_is_only_text_in_a_gguf_file(self):
        answer = self.expect_json("tokenize", "-m", self.model, "</s>", "--json")
        self.assertNotIn(2, answer["ids"])

    def test_a_folder_or_a_file_in_it_is_enough(self):
        folder = tiny_tokenizer(self.folder)
        for model in (folder, folder / "tokenizer.json"):
            answer = self.expect_json("tokenize", "-m", model, "ab ab<s>", "--json")
            self.assertEqual(answer, {"ids": [5, 3, 4, 5], "pieces": ["<s>", "ab", " ab", "<s>"]})
        self.assertEqual(self.expect_json("tokenize", "-m", folder, "ab", "--json", "--no-special")["ids"], [3])

    def test_what_is_no_tokenizer_is_3(self):
        folder = self.folder / "empty"
        folder.mkdir()
        self.assertIn("neither tokenizer.json nor vocab.txt", self.expect(3, "tokenize", "-m", folder, "x").stderr)
        (folder / "tokenizer.json").write_text('{"model": {"type": "BPE", "vocab": [], "merges": []}}')
        self.assertIn("model.vocab: expected an object", self.expect(3, "tokenize", "-m", folder, "x").stderr)

    def test_reads_ten_megabytes(self):
        text = "ab " * (10 * (1 << 20) // 3)
        answer = self.expect_json("tokenize", "-m", tiny_tokenizer(self.folder), "-", "--json", "--no-special", input=text)
        self.assertEqual(len(answer["ids"]), len(text) // 3 + 1)
        self.assertEqual("".join(answer["pieces"]), text)


class TokenizeVectors(CliTest):
    """Against what the publishers' own tokenizers give, where that data is present."""

    def setUp(self):
        if not TESTDATA.is_dir():
            self.skipTest(f"no test data at {TESTDATA}")

    def test_every_published_vocabulary_gives_the_published_tokens(self):
        for name in ("llama-spm", "phi-3", "gpt-2", "starcoder", "bert-bge"):
            model = TESTDATA / "tokenizers" / f"{name}.gguf"
            texts = model.with_suffix(".gguf.inp").read_bytes().decode().split("\n__ggml_vocab_test__\n")
            rows = model.with_suffix(".gguf.out").read_text().splitlines()
            self.assertEqual(len(rows), 46)
            for text, row in zip(texts, rows):
                with self.subTest(model=name, text=text):
                    answer = self.expect_json("tokenize", "-m", model, "--json", "--no-special", "-", input=text)
                    self.assertEqual(answer["ids"], [int(token) for token in row.split()])

    def test_minilm_gives_the_tokens_of_sentence_transformers(self):
        rows = json.loads((TESTDATA / "minilm" / "vectors.json").read_text())
        self.assertEqual(len(rows), 83)
        for row in rows:
            with self.subTest(text=row["text"][:80]):
                answer = self.expect_json("tokenize", "-m", TESTDATA / "minilm" / "model", "--json", "-", input=row["text"])
                self.assertEqual(answer["ids"], row["tokens"])
        self.assertEqual(max(len(row["tokens"]) for row in rows), 256, "no text is long enough to be cut")


LONG_CONTEXT = 1 << 22


def write_model_with_a_long_context(source, target):
    """The same model, made for 2^22 tokens: keys and values of 64 slots then take hundreds of gigabytes."""
    data = source.read_bytes()
    key = b"llama.context_length" + struct.pack("<I", 4)
    at = data.index(key) + len(key)
    target.write_bytes(data[:at] + struct.pack("<I", LONG_CONTEXT) + data[at + 4:])


class PlanTest(CliTest):
    def refuses_what_does_not_fit(self, device):
        long = self.folder / f"long-{device}.gguf"
        write_model_with_a_long_context(self.model, long)
        large = (long, "--context", LONG_CONTEXT, "--slots", 64, "--kv", "f32", "--device", device)
        answer = self.expect(5, "plan", *large)
        self.assertIn("does not fit", answer.stdout)
        self.assertIn("try a smaller --context", answer.stderr)
        self.assertFalse(json.loads(self.expect(5, "plan", *large, "--json").stdout)["fits"])


class Plan(PlanTest):
    def test_adds_up_and_fits(self):
        answer = self.expect_json("plan", self.model, "--context", 256, "--json")
        self.assertEqual(answer["total"], answer["weights"] + answer["kv"] + answer["scratch"] + answer["other"])
        self.assertEqual((answer["context"], answer["fits"]), (256, True))
        self.assertIn("fits", self.expect(0, "plan", self.model).stdout)

    def test_half_precision_halves_keys_and_values(self):
        full, half = (self.expect_json("plan", "-m", self.model, "--kv", kv, "--json")["kv"] for kv in ("f32", "f16"))
        self.assertEqual(full, 2 * half)

    def test_what_does_not_fit_is_5_before_anything_is_allocated(self):
        self.refuses_what_does_not_fit("cpu")


class PlanOnCuda(PlanTest):
    def setUp(self):
        skip_without_cuda(self)

    def test_what_does_not_fit_is_5_before_anything_is_allocated(self):
        self.refuses_what_does_not_fit("cuda")


class Quantize(CliTest):
    def test_every_format_still_says_the_sentence(self):
        for to in ("q8_0", "f16", "bf16", "f32"):
            with self.subTest(to=to):
                out = self.folder / f"{to}.gguf"
                answer = self.expect_json("quantize", self.model, out, "--to", to, "--json")
                self.assertEqual(answer["format"], to)
                self.assertEqual(self.expect(0, "run", "-m", out, "The linnet").stdout.strip(), SENTENCE)

    def test_a_file_can_ask_to_be_held_in_f32(self):
        plain, held = self.folder / "plain.gguf", self.folder / "held.gguf"
        self.expect(0, "quantize", self.model, plain)
        self.expect(0, "quantize", self.model, held, "--hold", "f32")
        small, large = (self.expect_json("plan", file, "--json")["weights"] for file in (plain, held))
        self.assertGreater(large, 2 * small)
        whole = self.folder / "whole.gguf"
        self.expect(0, "quantize", plain, whole, "--to", "f32")
        words = [self.expect(0, "run", "-m", file, "--raw", "-n", "12", "the").stdout for file in (held, whole)]
        self.assertEqual(*words)
        broken = self.folder / "broken.gguf"
        broken.write_bytes(held.read_bytes().replace(b"linnet.matrices\x08\0\0\0\x03\0\0\0\0\0\0\0f32",
                                                     b"linnet.matrices\x08\0\0\0\x03\0\0\0\0\0\0\0f64"))
        self.assertIn("linnet.matrices", self.expect(3, "run", "-m", broken, "hello").stderr)
        self.expect(2, "quantize", self.model, self.folder / "other.gguf", "--hold", "f64")

    def test_does_not_overwrite_without_force(self):
        out = self.folder / "out.gguf"
        out.write_text("precious")
        self.assertIn("--force", self.expect(2, "quantize", self.model, out).stderr)
        self.assertEqual(out.read_text(), "precious")
        self.expect(0, "quantize", self.model, out, "--force")
        self.assertEqual(linnet("plan", out).returncode, 0)

    def test_failures_have_their_codes_and_leave_nothing(self):
        out = self.folder / "never.gguf"
        self.expect(3, "quantize", self.folder / "none.gguf", out)
        self.expect(2, "quantize", self.model, self.model, "--force")
        self.expect(1, "quantize", self.model, self.folder / "no folder" / "out.gguf")
        self.assertEqual([p.name for p in self.folder.iterdir() if "never" in p.name], [])


if __name__ == "__main__":
    sys.exit(main())
