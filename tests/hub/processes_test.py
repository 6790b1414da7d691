"""Several processes, processes that are killed or stopped, and disks that are full."""
import fcntl
import os
import resource
import signal
import subprocess
import threading
import time

from hub_case import FAILURE, INTERRUPTED, HubCase, random_bytes

BIG = random_bytes(3_000_000)
NAME = "m-Q8_0.gguf"


class Processes(HubCase):
    def setUp(self):
        super().setUp()
        self.repo = self.hub.add("org/repo", {NAME: BIG}, lfs={NAME})

    def slow_down(self, times=1):
        self.hub.fault("/", "slow", server="cdn", chunk=100_000, delay=0.03, times=times)

    def begin_slow_pull(self):
        """A pull that is in the middle of the file."""
        self.slow_down()
        process = self.start("pull", "org/repo")
        self.wait_until(lambda: self.partial_size(self.repo, NAME) > 200_000, "the first bytes")
        return process

    def test_two_at_once_download_once(self):
        self.slow_down(2)
        first, second = self.start("pull", "org/repo"), self.start("pull", "org/repo", "--progress")
        results = [self.finish(first), self.finish(second)]
        self.assertEqual([result.code for result in results], [0, 0], [result.err for result in results])
        self.assertEqual(len(self.hub.requests("cdn", "GET")), 1)
        self.assertEqual(sorted(result.value["downloaded"] for result in results), [0, len(BIG)])
        self.assert_snapshot(self.repo, [NAME])

    def test_the_second_takes_over_when_the_first_is_killed(self):
        first = self.begin_slow_pull()
        second = self.start("pull", "org/repo", "--progress")
        self.assertIn("progress 0", "".join(second.stderr.readline() for _ in range(2)))   # waiting
        first.kill()
        first.communicate()
        result = self.finish(second)
        self.assertEqual(result.code, 0, result.err)
        self.assertLess(result.value["downloaded"], len(BIG))
        self.assert_snapshot(self.repo, [NAME])

    def test_kill_in_the_middle_leaves_a_partial_file_that_is_continued(self):
        process = self.begin_slow_pull()
        process.send_signal(signal.SIGKILL)
        process.communicate()
        left = self.partial_size(self.repo, NAME)
        self.assertEqual(self.partial(self.repo, NAME).read_bytes(), BIG[:left])
        self.assert_no_entry(self.repo, NAME)
        self.assertFalse((self.repo_folder() / "refs/main").exists())
        self.hub.log.clear()
        self.assertEqual(self.succeed("pull", "org/repo")["downloaded"], len(BIG) - left)
        self.assertEqual([entry.headers.get("Range") for entry in self.hub.requests("cdn", "GET")], [f"bytes={left}-"])
        self.assert_snapshot(self.repo, [NAME])

    def test_kills_at_any_moment_never_leave_a_broken_snapshot(self):
        for attempt in range(8):
            self.slow_down()
            process = self.start("pull", "org/repo")
            time.sleep(0.02 + 0.06 * attempt)
            process.kill()
            process.communicate()
            for entry in (self.repo_folder() / "snapshots").glob("*/*"):
                self.assertEqual(entry.read_bytes(), BIG)
        self.hub.faults.clear()
        self.succeed("pull", "org/repo")
        self.assert_snapshot(self.repo, [NAME])

    def test_interrupt_stops_soon_and_keeps_the_partial_file(self):
        process = self.begin_slow_pull()
        process.send_signal(signal.SIGINT)
        began = time.monotonic()
        result = self.finish(process)
        self.assertEqual(result.code, INTERRUPTED, result.err)
        self.assertLess(time.monotonic() - began, 2)
        left = self.partial_size(self.repo, NAME)
        self.assertGreater(left, 0)
        self.assertEqual(self.succeed("pull", "org/repo")["downloaded"], len(BIG) - left)

    def test_interrupt_while_waiting_for_a_retry_or_a_lock(self):
        self.hub.fault("/api/", "status", code=503, headers={"Retry-After": "60"})
        process = self.start("pull", "org/repo")
        self.wait_until(lambda: self.hub.log, "the request")
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        self.assertEqual(self.finish(process).code, INTERRUPTED)
        self.lock(self.repo, NAME).parent.mkdir(parents=True, exist_ok=True)
        with open(self.lock(self.repo, NAME), "w", encoding="ascii") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            process = self.start("pull", "org/repo", "--progress")
            process.stderr.readline()
            process.send_signal(signal.SIGINT)
            self.assertEqual(self.finish(process).code, INTERRUPTED)

    def test_the_python_clients_lock_is_waited_for_even_if_its_file_is_deleted(self):
        path = self.lock(self.repo, NAME)
        path.parent.mkdir(parents=True)
        with open(path, "w", encoding="ascii") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            process = self.start("pull", "org/repo")
            self.wait_until(lambda: self.hub.requests(method="HEAD"), "the client")
            time.sleep(0.3)
            self.assertEqual(self.hub.requests("cdn"), [])
            path.unlink()
        self.assertEqual(self.finish(process).code, 0)
        self.assert_snapshot(self.repo, [NAME])
        self.assertTrue(path.exists())

    def test_rm_refuses_during_a_pull(self):
        process = self.begin_slow_pull()
        self.refuse(FAILURE, "another process", "rm", "org/repo")
        self.assertEqual(self.finish(process).code, 0)
        self.assert_snapshot(self.repo, [NAME])
        self.succeed("rm", "org/repo")

    def test_a_write_that_fails_is_an_error_and_the_rest_follows_later(self):
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))
        result = self.finish(self.start("pull", "org/repo", preexec_fn=limit))
        self.assertEqual(result.code, FAILURE)
        self.assertRegex(result.err, "cannot write '.*incomplete': ")
        self.assertEqual(self.partial_size(self.repo, NAME), 1_000_000)
        self.assert_no_entry(self.repo, NAME)
        self.assertEqual(self.succeed("pull", "org/repo")["downloaded"], 2_000_000)
        self.assert_snapshot(self.repo, [NAME])

    def test_a_full_disk(self):
        self.cache.mkdir()
        mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(self.cache)]
        if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
            self.skipTest("cannot mount a small file system here")
        self.addCleanup(subprocess.run, ["umount", str(self.cache)], check=True)
        self.refuse(FAILURE, "no space left: 3000000 bytes are needed", "pull", "org/repo")
        self.assertEqual(self.hub.requests("cdn"), [])
        # Filled by someone else while the download runs.
        self.hub.repos.clear()
        repo = self.hub.add("org/repo", {NAME: BIG[:900_000]}, lfs={NAME})
        self.hub.fault("/", "slow", server="cdn", chunk=100_000, delay=0.05)
        process = self.start("pull", "org/repo")
        self.wait_until(lambda: self.partial_size(repo, NAME) > 0, "the first bytes")
        filler = self.cache / "filler"
        filler.write_bytes(bytes(100_000))
        try:
            with open(filler, "ab", buffering=0) as file:
                for _ in range(1000):
                    file.write(bytes(4096))
        except OSError:
            pass
        result = self.finish(process)
        self.assertEqual(result.code, FAILURE)
        self.assertRegex(result.err, "cannot write .*No space left on device")
        self.assert_no_entry(repo, NAME)
        filler.unlink()
        self.succeed("pull", "org/repo")
        self.assert_snapshot(repo, [NAME])

    def test_a_folder_that_cannot_be_written(self):
        self.cache.write_text("a file where the cache should be")
        self.refuse(FAILURE, "hub: cannot", "pull", "org/repo")

    def test_memory_does_not_grow_with_the_file(self):
        large = self.hub.add("org/large", {NAME: random_bytes(40_000_000)}, lfs={NAME})
        process = self.start("pull", "org/large")
        peak = []
        def watch():
            while process.poll() is None:
                try:
                    with open(f"/proc/{process.pid}/status", encoding="ascii") as status:
                        peak.extend(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
                except OSError:
                    return
                time.sleep(0.01)
        watcher = threading.Thread(target=watch)
        watcher.start()
        result = self.finish(process)
        watcher.join()
        self.assertEqual(result.code, 0, result.err)
        self.assert_snapshot(large, [NAME])
        if "LINNET_SANITIZED" not in os.environ:
            self.assertLess(max(peak, default=0), 30_000)   # kB; the program alone has 12,000
