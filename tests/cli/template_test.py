#!/usr/bin/env python3
"""linnet template: from a file, a GGUF, a folder; what it refuses."""
import json
import sys

from program import CliTest, main, tiny

SOURCE = ("{{ bos_token }}{% for m in messages %}[{{ m.role }}]{{ m.content }}{{ eos_token }}{% endfor %}"
          "{% if tools %} {{ tools|tojson }}{% endif %}{% if add_generation_prompt %}[assistant]{% endif %}\n\n\n")
HELLO = {"messages": [{"role": "user", "content": "Hé, 東京"}]}


class Template(CliTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.file = cls.folder / "chat_template.jinja"
        cls.file.write_text(SOURCE)

    def render(self, model, request, code=0):
        return self.expect(code, "template", model, input=json.dumps(request))

    def test_prints_the_text_of_a_file_and_nothing_else(self):
        self.assertEqual(self.render(self.file, {**HELLO, "bos_token": "<s>", "eos_token": "</s>"}).stdout,
                         "<s>[user]Hé, 東京</s>[assistant]\n")

    def test_kwargs_say_otherwise(self):
        request = {**HELLO, "tools": [{"name": "f"}], "kwargs": {"add_generation_prompt": False, "bos_token": "<b>"}}
        self.assertEqual(self.render(self.file, request).stdout, '<b>[user]Hé, 東京 [{"name": "f"}]\n')

    def test_now_is_the_time_that_the_template_sees(self):
        clock = self.folder / "clock.jinja"
        clock.write_text("{{ strftime_now('%d %b %Y') }}")
        self.assertEqual(self.render(clock, {"messages": [], "now": "2024-02-29T00:00:00"}).stdout, "29 Feb 2024")

    def test_a_gguf_brings_its_template_and_tokens(self):
        tokens, words = tiny.vocabulary()
        model = self.folder / "chat.gguf"
        metadata = tiny.make_metadata(tokens) + [tiny.pair("tokenizer.chat_template", tiny.STRING, SOURCE)]
        tiny.write_gguf(model, metadata, tiny.make_tensors(tokens, words))
        self.assertEqual(self.render(model, HELLO).stdout, "<s>[user]Hé, 東京</s>[assistant]\n")
        self.assertEqual(self.render(model, {**HELLO, "bos_token": ""}).stdout, "[user]Hé, 東京</s>[assistant]\n")
        self.assertIn("no chat template", self.render(self.model, HELLO, code=3).stderr)

    def test_a_folder_brings_its_template_and_tokens(self):
        folder = self.folder / "model"
        folder.mkdir()
        (folder / "tokenizer_config.json").write_text(json.dumps({
            "bos_token": {"content": "<b>"}, "eos_token": "<e>",
            "chat_template": [{"name": "default", "template": SOURCE}, {"name": "tool_use", "template": "use {{ tools }}"}]}))
        self.assertEqual(self.render(folder, HELLO).stdout, "<b>[user]Hé, 東京<e>[assistant]\n")
        self.assertEqual(self.render(folder, {**HELLO, "tools": [1]}).stdout, "use [1]")
        (folder / "model.safetensors").write_bytes(b"\x02" + bytes(7) + b"{}")  # no tensors
        self.assertEqual(self.render(folder / "model.safetensors", {**HELLO, "tools": []}).stdout, "use []")

    def test_a_template_that_refuses_the_conversation_is_2_with_its_line(self):
        strict = self.folder / "strict.jinja"
        strict.write_text("{# first #}\n{{ raise_exception('roles must alternate') }}")
        self.assertEqual(self.render(strict, HELLO, code=2).stderr, "linnet: template line 2: roles must alternate\n")

    def test_what_is_no_template_is_3_with_its_line(self):
        broken = self.folder / "broken.jinja"
        broken.write_text("a\n{% if x %}")
        self.assertIn("template line 2: ", self.render(broken, HELLO, code=3).stderr)
        broken.write_bytes(b"\xff")
        self.assertIn("not UTF-8", self.render(broken, HELLO, code=3).stderr)
        self.render(self.folder / "none.jinja", HELLO, code=3)
        self.render("no-such-org/no-such-repo", HELLO, code=3)

    def test_what_is_no_request_is_2(self):
        for text in ("", "[]", "{}", '{"messages": 1}', "{", '{"messages": []} x', '{"messages": [], "now": "noon"}',
                     "[" * 100000):
            with self.subTest(text=text[:40]):
                self.assertIn("[template]", self.expect(2, "template", self.file, input=text).stderr)
        self.expect(2, "template")

    def test_a_template_without_end_is_stopped(self):
        endless = self.folder / "endless.jinja"
        endless.write_text("{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}")
        self.assertIn("steps", self.render(endless, HELLO, code=2).stderr)


if __name__ == "__main__":
    sys.exit(main())
