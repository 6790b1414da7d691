#!/usr/bin/env python3
"""Models in all the forms they come in: folders, safetensors, parts; inspect, and conversion to GGUF."""
import json
import os
import pathlib
import struct
import sys

from hugging_face import TEMPLATE, write_folder, write_parts, write_safetensors
from program import ROOT, SENTENCE, CliTest, main

TESTDATA = pathlib.Path(os.environ.get("LINNET_TESTDATA", ROOT.parent / "shared" / "testdata"))


class Folders(CliTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.whole = write_folder(cls.folder / "whole")
        cls.sharded = write_folder(cls.folder / "sharded", shards=3)
        cls.parts = write_parts(cls.folder / "parts", 3)

    def models(self):
        return (self.whole, self.whole / "model.safetensors", self.sharded, self.sharded / "model.safetensors.index.json",
                self.sharded / "model-00002-of-00003.safetensors", self.parts, self.parts / "tiny-00001-of-00003.gguf",
                self.parts / "tiny-00003-of-00003.gguf")

    def test_every_form_says_the_sentence(self):
        for model in self.models():
            with self.subTest(model=model):
                self.assertEqual(self.expect(0, "run", "-m", model, "--raw", "The linnet").stdout.strip(), SENTENCE)

    def test_the_reference_says_it_too(self):
        for model in (self.whole, self.parts):
            with self.subTest(model=model):
                done = self.expect(0, "run", "-m", model, "--raw", "The linnet", "--device", "reference")
                self.assertEqual(done.stdout.strip(), SENTENCE)

    def test_every_verb_takes_a_folder(self):
        for folder in (self.whole, self.sharded, self.parts):
            with self.subTest(folder=folder):
                self.assertTrue(self.expect_json("plan", folder, "--context", 64, "--json")["fits"])
                answer = self.expect_json("tokenize", "-m", folder, "The linnet", "--json")
                self.assertEqual(answer["pieces"][1:], [" The", " linnet"])
                self.expect(0, "bisect", "-m", folder, "The linnet")
                answer = self.expect_json("bench", "text", "-m", folder, "-p", 8, "-n", 8, "-r", 1, "--json")
                self.assertGreater(answer["decode"]["tokens_per_second"], 0)
                self.assertTrue(self.expect_json("inspect", folder, "--json")["tensors"])

    def test_the_plan_is_that_of_the_same_model_as_gguf(self):
        plans = [self.expect_json("plan", model, "--json") for model in (self.model, self.whole, self.parts)]
        for key in ("weights", "kv", "scratch", "other"):
            self.assertEqual(len({plan[key] for plan in plans}), 1, key)

    def test_what_is_missing_is_named(self):
        folder = write_folder(self.folder / "lacking", shards=2)
        (folder / "model-00002-of-00002.safetensors").unlink()
        self.assertIn("'model-00002-of-00002.safetensors'", self.expect(3, "run", "-m", folder, "x").stderr)
        parts = write_parts(self.folder / "lacking parts", 3)
        (parts / "tiny-00002-of-00003.gguf").unlink()
        done = self.expect(3, "run", "-m", parts, "x")
        self.assertIn("missing beside it: 'tiny-00002-of-00003.gguf'", done.stderr)
        empty = self.folder / "empty"
        empty.mkdir()
        self.assertIn("has no weights", self.expect(3, "run", "-m", empty, "x").stderr)
        (self.folder / "lacking" / "config.json").unlink()
        self.expect(3, "plan", folder)

    def test_other_architectures_are_refused_by_name(self):
        folder = write_folder(self.folder / "other", architectures=["GPT2LMHeadModel"])
        self.assertIn("got 'GPT2LMHeadModel'", self.expect(3, "run", "-m", folder, "x").stderr)
        self.assertIn("got 'GPT2LMHeadModel'", self.expect(3, "quantize", folder, self.folder / "x.gguf").stderr)
        self.assertEqual(self.expect_json("inspect", folder, "--json")["settings"]["config.json"]["architectures"],
                         ["GPT2LMHeadModel"])
        folder = write_folder(self.folder / "scaled", rope_scaling={"rope_type": "yarn", "factor": 2})
        self.assertIn("got 'yarn'", self.expect(3, "plan", folder).stderr)

    def test_an_index_cannot_lead_out_of_its_folder(self):
        folder = self.folder / "tricky"
        folder.mkdir()
        for name in ("../whole/model.safetensors", "/etc/passwd", "a/../../b.safetensors"):
            (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": {"t": name}}))
            self.assertIn("no name of a safetensors file", self.expect(3, "inspect", folder).stderr)


class Convert(CliTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.source = write_folder(cls.folder / "source", shards=2)

    def test_every_format_still_says_the_sentence(self):
        for to in ("f32", "f16", "bf16", "q8_0"):
            with self.subTest(to=to):
                out = self.folder / f"converted-{to}.gguf"
                answer = self.expect_json("quantize", self.source, out, "--to", to, "--json")
                self.assertEqual(answer["tensors"], 3 * 9 + 3)
                self.assertEqual(self.expect(0, "run", "-m", out, "--raw", "The linnet").stdout.strip(), SENTENCE)

    def test_the_file_says_what_the_folder_said(self):
        out = self.folder / "described.gguf"
        self.expect(0, "quantize", self.source, out, "--to", "f32")
        answer = self.expect_json("inspect", out, "--json")
        metadata = answer["metadata"]
        self.assertEqual(metadata["general.architecture"], "llama")
        self.assertEqual(metadata["llama.attention.head_count_kv"], 2)
        self.assertEqual(metadata["llama.rope.freq_base"], 10000)
        self.assertEqual(metadata["tokenizer.ggml.model"], "llama")
        self.assertEqual((metadata["tokenizer.ggml.bos_token_id"], metadata["tokenizer.ggml.eos_token_id"]), (1, 2))
        self.assertEqual(answer["chat_template"], TEMPLATE)
        self.assertIn("blk.2.attn_q.weight", [tensor["name"] for tensor in answer["tensors"]])

    def test_parts_become_one_file(self):
        parts = write_parts(self.folder / "parts", 2)
        out = self.folder / "joined.gguf"
        self.expect(0, "quantize", parts / "tiny-00002-of-00002.gguf", out, "--to", "f16")
        self.assertEqual(self.expect(0, "run", "-m", out, "--raw", "The linnet").stdout.strip(), SENTENCE)
        self.assertNotIn("split.count", self.expect_json("inspect", out, "--json")["metadata"])

    def test_the_output_is_never_one_of_the_inputs(self):
        shard = self.source / "model-00001-of-00002.safetensors"
        before = shard.read_bytes()
        self.assertIn("is the input itself", self.expect(2, "quantize", self.source, shard, "--force").stderr)
        self.assertEqual(shard.read_bytes(), before)

    def test_a_tokenizer_without_a_name_in_gguf_is_refused(self):
        folder = write_folder(self.folder / "nameless")
        tokenizer = json.loads((folder / "tokenizer.json").read_text())
        tokenizer["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": [
            {"type": "Split", "pattern": {"Regex": "[a-q]+"}, "behavior": "Isolated"},
            {"type": "ByteLevel", "add_prefix_space": False, "use_regex": False}]}
        tokenizer["normalizer"] = None
        tokenizer["model"]["byte_fallback"] = False
        (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
        out = self.folder / "nameless.gguf"
        self.assertIn("GGUF has no name for words cut by 'Isolated [a-q]+", self.expect(3, "quantize", folder, out).stderr)
        self.assertFalse(out.exists())


class Inspect(CliTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.source = write_folder(cls.folder / "source")

    def test_shows_a_gguf_file(self):
        text = self.expect(0, "inspect", self.model).stdout
        self.assertIn("GGUF version 3", text)
        self.assertRegex(text, r"(?m)^llama\.block_count +u32 +3$")
        self.assertRegex(text, r"(?m)^tokenizer\.ggml\.tokens +array of string +\d+: \"<unk>\", \"<s>\", ")
        self.assertRegex(text, r"(?m)^tokenizer: SentencePiece BPE, \d+ tokens$")
        self.assertRegex(text, r"(?m)^bos +1 <s>$")
        self.assertRegex(text, r"(?m)^blk\.0\.attn_q\.weight +\[128, 128\] +F32 +65536$")
        self.assertIn("chat template: none", text)

    def test_shows_a_folder(self):
        text = self.expect(0, "inspect", self.source).stdout
        self.assertIn("safetensors", text)
        self.assertRegex(text, r"(?m)^hidden_size +128$")
        self.assertRegex(text, r"(?m)^eos +2 </s>$")
        self.assertRegex(text, r"(?m)^model\.norm\.weight +\[128\] +F32 +512$")
        self.assertRegex(text, r"chat template: 13 lines, \d+ bytes")
        self.assertNotIn("{# more #}\n" * 3, text)
        whole = self.expect(0, "inspect", self.source, "--template").stdout
        self.assertEqual(whole.count("{# more #}"), 9)

    def test_json_has_all_of_it(self):
        answer = self.expect_json("inspect", self.source, "--json")
        self.assertEqual(answer["format"], "safetensors")
        self.assertEqual(answer["metadata"], {"format": "pt"})
        self.assertEqual(answer["settings"]["config.json"]["hidden_size"], 128)
        self.assertEqual(answer["chat_template"], TEMPLATE)
        self.assertEqual(answer["tokenizer"]["ends"], [2])
        self.assertEqual(answer["tokenizer"]["special"][1], {"id": 1, "text": "<s>"})
        self.assertEqual(answer["tensor_bytes"], sum(tensor["bytes"] for tensor in answer["tensors"]))

    def test_reads_headers_only(self):
        """A sparse file of a terabyte is inspected at once."""
        path = self.folder / "huge.safetensors"
        header = json.dumps({"t": {"dtype": "F32", "shape": [1 << 38], "data_offsets": [0, 1 << 40]}}).encode()
        with open(path, "wb") as file:
            file.write(struct.pack("<Q", len(header)) + header)
            file.truncate(8 + len(header) + (1 << 40))
        self.assertEqual(self.expect_json("inspect", path, "--json", timeout=20)["tensor_bytes"], 1 << 40)

    def test_formats_that_are_not_read_are_listed(self):
        path = self.folder / "mixed.safetensors"
        write_safetensors(path, {"a": ("F8_E4M3", [3], b"xxx"), "b": ("BOOL", [1], b"x")})
        answer = self.expect_json("inspect", path, "--json")
        self.assertEqual([(t["format"], t["readable"]) for t in answer["tensors"]], [("F8_E4M3", False), ("BOOL", False)])
        self.assertIn("problem", answer["tokenizer"])

    def test_text_from_the_file_cannot_touch_the_terminal(self):
        path = self.folder / "evil.safetensors"
        write_safetensors(path, {"\x1b[31mred\u202e\u009b1m": ("U8", [1], b"x")}, {"k\x07": "\x1b]0;title\x07\r\n\x7f"})
        for arguments in (("inspect", path), ("inspect", path, "--json")):
            text = self.expect(0, *arguments).stdout
            self.assertFalse([c for c in text if (ord(c) < 32 and c != "\n") or 0x7F <= ord(c) < 0xA0 or ord(c) == 0x202E])
        self.assertIn("\\x1B[31mred\\u{202E}\\u{009B}1m", self.expect(0, "inspect", path).stdout)

    def test_a_real_folder_of_sentence_transformers(self):
        folder = TESTDATA / "minilm" / "model"
        if not folder.exists():
            self.skipTest(f"{folder} is absent")
        text = self.expect(0, "inspect", folder).stdout
        self.assertRegex(text, r"tokenizer: WordPiece, 30522 tokens")
        self.assertRegex(text, r"(?m)^max_seq_length +256$")
        self.assertRegex(text, r"(?m)^embeddings\.word_embeddings\.weight +\[30522, 384\] +F32 +46881792$")
        self.assertIn("got 'BertModel'", self.expect(3, "run", "-m", folder, "x").stderr)

    def test_failures_have_their_codes(self):
        self.expect(3, "inspect", self.folder / "none")
        self.expect(3, "inspect", "org/never-pulled", env={**os.environ, "HF_HOME": str(self.folder / "hf")})
        self.expect(2, "inspect")
        (self.folder / "text").write_text("hello")
        self.expect(3, "inspect", self.folder / "text")


if __name__ == "__main__":
    sys.exit(main())
