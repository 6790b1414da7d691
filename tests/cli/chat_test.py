#!/usr/bin/env python3
"""linnet run on a terminal without a prompt: a conversation."""
import re
import subprocess
import sys

from program import ANSWER, LINNET, ChatModelTest, main, tiny, write_endless_model
from terminal import CTRL_C, CTRL_D, Terminal


class ChatTest(ChatModelTest):
    def start(self, *arguments, model=None, **options):
        return Terminal([LINNET, "run", "-m", model or self.chat, *arguments], **options)

    def ask(self, terminal, question="Hello"):
        """The answer and what is said after it, up to the next prompt."""
        terminal.type(question)
        return terminal.wait_for("\n> ")[:-len("\n> ")]


class Chat(ChatTest):
    def test_questions_are_answered_until_exit(self):
        with self.start() as terminal:
            self.assertIn("/help", terminal.wait_for("> "))
            for question in ("Hello", "  And again?  "):
                self.assertEqual(self.ask(terminal, question), ANSWER)
            terminal.type("")  # nothing asked, nothing said
            self.assertEqual(terminal.wait_for("> "), "> ")
            terminal.type("/exit")
            self.assertEqual(terminal.wait_for_end(), 0)

    def test_ctrl_d_leaves_with_0(self):
        with self.start() as terminal:
            terminal.wait_for("> ")
            self.ask(terminal)
            terminal.type(CTRL_D)
            self.assertEqual(terminal.wait_for_end(), 0)

    def test_commands(self):
        with self.start() as terminal:
            terminal.wait_for("> ")
            told = self.ask(terminal, "/help")
            for command in ("/help", "/clear", "/exit"):
                self.assertIn(command, told)
            self.assertIn("/dance", self.ask(terminal, "/dance"))
            self.assertIn("new conversation", self.ask(terminal, "/clear"))
            self.assertEqual(self.ask(terminal, "/etc is a folder"), ANSWER)  # no command
            terminal.type("/exit")
            self.assertEqual(terminal.wait_for_end(), 0)

    def test_the_history_stays_and_is_not_read_again(self):
        def counts(text):
            found = re.search(r"prompt: (\d+) tokens(?: \((\d+) of them kept\))?", text)
            return int(found[1]), int(found[2] or 0)

        with self.start("--verbose", "--system", "Be brief.") as terminal:
            terminal.wait_for("> ")
            first, kept = counts(self.ask(terminal, "Hello"))
            self.assertEqual(kept, 0)
            second, kept = counts(self.ask(terminal, "Hello"))
            self.assertGreater(second, first + 10)  # with the first question and its answer before it
            self.assertGreater(kept, first)
            self.ask(terminal, "/clear")
            third, kept = counts(self.ask(terminal, "Hello"))
            self.assertEqual(third, first)
            self.assertEqual(kept, first - 1)  # the same question: all but the last token is there
            terminal.type("/exit")
            self.assertEqual(terminal.wait_for_end(), 0)

    def test_a_full_context_forgets_the_oldest(self):
        with self.start("--context", 80) as terminal:
            terminal.wait_for("> ")
            self.assertEqual(self.ask(terminal), ANSWER)
            said = [self.ask(terminal) for _ in range(4)]
            self.assertIn("the context of 80 tokens is full: the oldest", said[-1])
            self.assertTrue(all(text.endswith(ANSWER) for text in said), said)
            self.assertIn("leaves no room", self.ask(terminal, "a " * 100))
            self.assertTrue(self.ask(terminal).endswith(ANSWER))

    def test_the_receipt_and_the_device_are_checked_after_every_answer(self):
        with self.start("--summary", "--require-device", "reference") as terminal:
            terminal.wait_for("> ")
            terminal.type("Hello")
            self.assertIn("ran on cpu", terminal.wait_for("--require-device reference"))
            self.assertEqual(terminal.wait_for_end(), 1)

    def test_answers_go_to_stdout_and_nothing_else_does(self):
        with self.start(stdout=subprocess.PIPE) as terminal:
            terminal.wait_for("> ")
            terminal.type("Hello")
            terminal.wait_for("> ")
            terminal.type(CTRL_D)
            self.assertEqual(terminal.process.stdout.read().decode(), ANSWER + "\n")
            self.assertEqual(terminal.wait_for_end(), 0)
            terminal.process.stdout.close()

    def test_what_cannot_be_a_chat_is_2(self):
        for line, model in (((), self.model), (("--raw",), self.chat), (("--json",), self.chat)):
            with self.subTest(line=line), self.start(*line, model=model) as terminal:
                terminal.wait_for("no prompt")
                self.assertEqual(terminal.wait_for_end(), 2)


class ChatInterrupts(ChatTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.endless = cls.folder / "endless.gguf"
        write_endless_model(cls.endless, chat=True)

    def test_ctrl_c_at_the_prompt_leaves_with_130(self):
        with self.start() as terminal:
            terminal.wait_for("> ")
            terminal.type(CTRL_C)
            self.assertEqual(terminal.wait_for_end(), 130)
            self.assertIn("interrupted", terminal.shown)

    def test_ctrl_c_stops_the_answer_and_the_chat_goes_on(self):
        with self.start("--context", 100000, model=self.endless) as terminal:
            terminal.wait_for("> ")
            for _ in range(3):
                terminal.type("Hello")
                terminal.wait_for("sings from every hedge. The")
                terminal.type(CTRL_C)
                self.assertIn("stopped", terminal.wait_for("\n> "))
            terminal.type(CTRL_C)
            self.assertEqual(terminal.wait_for_end(), 130)

    def test_a_stopped_answer_stays_in_the_history(self):
        with self.start("--context", 100000, "--verbose", model=self.endless) as terminal:
            terminal.wait_for("> ")
            kept = 0
            for _ in range(2):
                terminal.type("Hello")
                terminal.wait_for("sings from every hedge. The")
                terminal.type(CTRL_C)
                found = re.search(r"\((\d+) of them kept\)", terminal.wait_for("\n> "))
                kept = int(found[1]) if found else 0
            self.assertGreater(kept, 20)


if __name__ == "__main__":
    sys.exit(main())
