"""What the tests of the hub client share: a fake hub, a cache of their own, and hub_tool run against both."""
import json
import os
import pathlib
import random
import subprocess
import tempfile
import time
import unittest

from fake_hub import FakeHub

TOOL = None   # set by hub_test.py
FAILURE, USAGE, MODEL, INTERRUPTED = 1, 2, 3, 130
PATIENCE = 20   # seconds until a test gives up waiting for something


def random_bytes(size, seed=1):
    return random.Random(seed).randbytes(size)


class Result:
    def __init__(self, code, out, err):
        self.code, self.err = code, err
        self.value = json.loads(out) if code == 0 else None


class HubCase(unittest.TestCase):
    tls = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="linnet-hub-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.cache = self.folder / "hub"
        self.hub = self.enterContext(FakeHub(tls=self.tls))
        self.environment = {"HF_HOME": str(self.folder), "HF_ENDPOINT": self.hub.endpoint}

    def start(self, *arguments, **more):
        """hub_tool with short waits; nothing of the caller's own environment reaches it."""
        environment = {name: value for name, value in os.environ.items() if name.startswith(("LD_", "ASAN", "UBSAN"))}
        environment.update(self.environment)
        return subprocess.Popen([TOOL, "--first-wait", "10", *arguments], env=environment, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, **more)

    def finish(self, process):
        try:
            out, err = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            self.fail("hub_tool did not end")
        return Result(process.returncode, out, err)

    def run_tool(self, *arguments):
        return self.finish(self.start(*arguments))

    def succeed(self, *arguments):
        result = self.run_tool(*arguments)
        self.assertEqual(result.code, 0, result.err)
        return result.value

    def refuse(self, code, pattern, *arguments):
        result = self.run_tool(*arguments)
        self.assertEqual(result.code, code, result.err)
        self.assertRegex(result.err, pattern)
        return result

    def wait_until(self, condition, what):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            value = condition()
            if value:
                return value
            time.sleep(0.02)
        self.fail(f"waited in vain for {what}")

    def repo_folder(self, repo="org/repo"):
        return self.cache / ("models--" + repo.replace("/", "--"))

    def partial(self, repo, name):
        return self.repo_folder(repo.name) / "blobs" / f"{repo.etag(name)}.incomplete"

    def partial_size(self, repo, name):
        path = self.partial(repo, name)
        return path.stat().st_size if path.exists() else 0

    def lock(self, repo, name):
        return self.cache / ".locks" / self.repo_folder(repo.name).name / f"{repo.etag(name)}.lock"

    def assert_snapshot(self, repo, names):
        """The snapshot has exactly these files, each a relative link to the blob named by its ETag, with its contents."""
        snapshot = self.repo_folder(repo.name) / "snapshots" / repo.commit
        found = {str(path.relative_to(snapshot)) for path in snapshot.rglob("*") if not path.is_dir()}
        self.assertEqual(found, set(names))
        for name in names:
            target = os.readlink(snapshot / name)
            self.assertEqual(target, "../" * (2 + name.count("/")) + "blobs/" + repo.etag(name))
            self.assertEqual((snapshot / name).read_bytes(), repo.files[name])
        partial = list((self.repo_folder(repo.name) / "blobs").glob("*.incomplete"))
        self.assertEqual(partial, [])

    def assert_no_entry(self, repo, name):
        self.assertFalse(os.path.lexists(self.repo_folder(repo.name) / "snapshots" / repo.commit / name))
