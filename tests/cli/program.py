"""How the tests of the command line start the program, and the model they use."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LINNET = os.environ.get("LINNET", str(ROOT / "build" / "linnet"))
# Data from outside of the repository, which may be absent: a test that needs it skips itself.
TESTDATA = pathlib.Path(os.environ.get("LINNET_TESTDATA", ROOT.parent / "shared" / "testdata"))
# The tests are about the command line: they run where there is no GPU, and the same where there is one.
os.environ.setdefault("LINNET_DEVICE", "cpu")
SENTENCE = "is a small finch that sings from every hedge."
ANSWER = "The linnet " + SENTENCE  # of the tiny model with a chat template, to everything

sys.path.insert(0, str(ROOT / "tools"))
import make_tiny_model as tiny  # noqa: E402  pylint: disable=wrong-import-position


def linnet(*arguments, program=LINNET, **options):
    """Runs the program to its end. Options are those of subprocess.run; stdin is empty unless `input` is given."""
    options.setdefault("timeout", 120)
    if "input" not in options:
        options.setdefault("stdin", subprocess.DEVNULL)
    return subprocess.run([str(program), *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          check=False, **options)


def write_endless_model(path, chat=False):
    """The tiny model, but its sentence begins again where it ended, and the context is long: it never stops by itself."""
    tokens, words = tiny.vocabulary(chat)
    tensors = tiny.make_tensors(tokens, words)
    embedding, head = tensors["token_embd.weight"][1], tensors["output.weight"][1]
    index = {text: number for number, (text, _, _) in enumerate(tokens)}
    last = tiny.END_OF_TURN if chat else "</s>"
    row = {name: index[name] * tiny.WIDTH for name in (words[0], words[-1], last)}
    for i in range(tiny.WIDTH):
        head[row[last] + i] = 0.0
        head[row[words[0]] + i] += embedding[row[words[-1]] + i]
    context = tiny.pair("llama.context_length", tiny.UINT32, tiny.CONTEXT)
    longer = tiny.pair("llama.context_length", tiny.UINT32, 1 << 20)
    metadata = [longer if pair == context else pair for pair in tiny.make_metadata(tokens)]
    tiny.write_gguf(path, metadata, tensors)


def without_builtin(**variables):
    """The environment, with these variables and no word about the built-in model but theirs."""
    return {**{key: value for key, value in os.environ.items() if key != "LINNET_BUILTIN"}, **variables}


def skip_without_cuda(test):
    """Skips a test, with the reason, where `linnet devices` says that CUDA cannot be used."""
    backends = json.loads(linnet("devices", "--json").stdout)["backends"]
    cuda = next(backend for backend in backends if backend["name"] == "cuda")
    if not cuda["usable"]:
        test.skipTest("no CUDA here: " + cuda["reason"])


class CliTest(unittest.TestCase):
    """Tests with a folder of their own that holds the tiny model."""

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="linnet-cli-"))
        cls.model = cls.folder / "tiny.gguf"
        tiny.write_model(cls.model)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def expect(self, code, *arguments, **options):
        """Runs the program, which must end with that exit code."""
        done = linnet(*arguments, **options)
        self.assertEqual(done.returncode, code, f"{arguments}\n{done.stdout}\n{done.stderr}")
        if code not in (0, 1):
            self.assertTrue(done.stderr.startswith("linnet: "), done.stderr)
        return done

    def expect_json(self, *arguments, **options):
        """Runs the program, which must print one JSON value and nothing else to stdout."""
        return json.loads(self.expect(0, *arguments, **options).stdout)


class ChatModelTest(CliTest):
    """The same with a model that brings a chat template beside it."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.chat = cls.folder / "chat.gguf"
        tiny.write_model(cls.chat, chat=True)


def main():
    """Runs the tests of the script that was started; the result is its exit code."""
    if not os.access(LINNET, os.X_OK):
        print(f"{LINNET} is not there: build it, or set LINNET")
        return 77
    result = unittest.main(module="__main__", exit=False).result
    if not result.wasSuccessful():
        return 1
    return 77 if result.skipped and len(result.skipped) == result.testsRun else 0  # ctest shows it as skipped
