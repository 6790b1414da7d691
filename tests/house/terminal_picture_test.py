#!/usr/bin/env python3
"""tools/terminal_picture.py draws what a command showed, and puts it into a document."""
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

SCRIPT = pathlib.Path(__file__).resolve().parent.parent.parent / "tools" / "terminal_picture.py"
SVG = "{http://www.w3.org/2000/svg}"


class TerminalPicture(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.picture = self.folder / "img" / "out.svg"
        self.document = self.folder / "README.md"

    def run_script(self, shell, *options):
        return subprocess.run([sys.executable, str(SCRIPT), *options, str(self.picture), "sh", "-c", shell],
                              capture_output=True, text=True, check=False, timeout=60)

    def texts(self):
        root = xml.etree.ElementTree.parse(self.picture).getroot()
        return [(node.get("y"), node.text, node.get("font-weight")) for node in root.iter(SVG + "text")]

    def test_lines_are_drawn_with_what_is_bold(self):
        done = self.run_script(r"test -t 1 && printf '\033[1m$ a <b> & c\033[0m d\n\nlast\n'; echo noted >&2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([(text, weight) for _, text, weight in self.texts()],
                         [("$ a <b> & c", "bold"), (" d", None), ("last", None), ("noted", None)])
        heights = [int(y) for y, _, _ in self.texts()]
        self.assertEqual(heights[0], heights[1])
        self.assertEqual(heights[2] - heights[1], 40)  # an empty line between

    def test_long_lines_are_broken_as_a_terminal_breaks_them(self):
        self.run_script("printf '%0250d\n' 1")
        self.assertEqual([len(text) for _, text, _ in self.texts()], [110, 110, 30])

    def test_a_document_gets_text_and_picture_between_its_marks(self):
        self.document.write_text("before\n<!-- terminal -->\nold\n<!-- /terminal -->\nafter\n")
        done = self.run_script("echo new", "--document", str(self.document), "--title", "what it shows")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.document.read_text(),
                         "before\n<!-- terminal -->\n```\nnew\n```\n\n![what it shows](img/out.svg)\n"
                         "<!-- /terminal -->\nafter\n")

    def test_nothing_is_drawn_where_something_failed(self):
        self.assertEqual(self.run_script("echo said; exit 3").returncode, 1)
        self.assertFalse(self.picture.exists())
        self.document.write_text("no marks\n")
        self.assertNotEqual(self.run_script("echo new", "--document", str(self.document)).returncode, 0)
        self.assertEqual(self.document.read_text(), "no marks\n")


if __name__ == "__main__":
    unittest.main()
