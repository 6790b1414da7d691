"""What a pull brings, where it lies, and how it is found, listed and removed again."""
import fcntl
import json
import os
import time

from hub_case import FAILURE, MODEL, USAGE, HubCase, random_bytes

BIG = random_bytes(3_000_000)


class Pull(HubCase):
    def test_safetensors_with_companions_into_the_cache_layout(self):
        repo = self.hub.add("org/repo", {"README.md": b"#", "config.json": b"{}", "1_Pooling/config.json": b"{ }",
                                         "model.safetensors": BIG, "tokenizer.json": b"", "pytorch_model.bin": b"no"},
                            lfs={"model.safetensors", "pytorch_model.bin"})
        pulled = self.succeed("pull", "org/repo")
        self.assert_snapshot(repo, ["config.json", "1_Pooling/config.json", "model.safetensors", "tokenizer.json"])
        self.assertEqual((self.repo_folder() / "refs/main").read_text(), repo.commit)
        self.assertEqual(pulled["model"], str(self.repo_folder() / "snapshots" / repo.commit))
        self.assertEqual(pulled["downloaded"], len(BIG) + 5)
        self.assertTrue(self.lock(repo, "model.safetensors").exists())
        self.assertEqual(self.succeed("resolve", "org/repo"), pulled["model"])

    def test_a_second_pull_downloads_nothing(self):
        self.hub.add("org/repo", {"config.json": b"{}", "model.safetensors": BIG}, lfs={"model.safetensors"})
        self.succeed("pull", "org/repo")
        self.hub.log.clear()
        self.assertEqual(self.succeed("pull", "org/repo")["downloaded"], 0)
        self.assertEqual([entry.path for entry in self.hub.log], ["/api/models/org/repo/revision/main?blobs=true"])

    def test_a_new_commit_shares_the_blobs_that_stay(self):
        old = self.hub.add("org/repo", {"config.json": b"old", "model.safetensors": BIG}, lfs={"model.safetensors"})
        self.succeed("pull", "org/repo")
        new = self.hub.add("org/repo", {"config.json": b"new!", "model.safetensors": BIG}, lfs={"model.safetensors"})
        self.assertEqual(self.succeed("pull", "org/repo")["downloaded"], 4)
        for repo in (old, new):
            self.assert_snapshot(repo, ["config.json", "model.safetensors"])
        self.assertEqual((self.repo_folder() / "refs/main").read_text(), new.commit)
        listed = {model["commit"]: model for model in self.succeed("list")}
        self.assertEqual(listed[new.commit]["revisions"], ["main"])
        self.assertEqual(listed[old.commit]["revisions"], [])

    def test_a_shared_blob_that_is_damaged_is_brought_again(self):
        self.hub.add("org/repo", {"model.safetensors": BIG}, lfs={"model.safetensors"})
        self.succeed("pull", "org/repo")
        new = self.hub.add("org/repo", {"config.json": b"x", "model.safetensors": BIG}, lfs={"model.safetensors"})
        (self.repo_folder() / "blobs" / new.etag("model.safetensors")).write_bytes(bytes(len(BIG)))
        self.succeed("pull", "org/repo")
        self.assert_snapshot(new, ["config.json", "model.safetensors"])

    def test_a_revision_by_commit(self):
        old = self.hub.add("org/repo", {"model.safetensors": b"old"})
        self.hub.add("org/repo", {"model.safetensors": b"new"})
        pulled = self.succeed("pull", f"org/repo@{old.commit}")
        self.assertEqual(pulled["commit"], old.commit)
        self.assertEqual(list((self.repo_folder() / "refs").iterdir()), [])
        self.assertEqual(self.succeed("resolve", f"org/repo@{old.commit}"), pulled["model"])

    def test_shards_are_those_of_the_index(self):
        index = {"metadata": {}, "weight_map": {"a": "model-00001-of-00002.safetensors", "b": "model-00002-of-00002.safetensors"}}
        repo = self.hub.add("org/repo", {"config.json": b"{}", "model.safetensors.index.json": json.dumps(index).encode(),
                                         "model-00001-of-00002.safetensors": BIG, "consolidated.safetensors": b"no",
                                         "model-00002-of-00002.safetensors": b"two"}, lfs={"model-00001-of-00002.safetensors"})
        self.succeed("pull", "org/repo")
        names = ["config.json", "model.safetensors.index.json", "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"]
        self.assert_snapshot(repo, names)
        (self.repo_folder() / "snapshots" / repo.commit / names[-1]).unlink()
        self.refuse(MODEL, "model-00002-of-00002.safetensors' is missing", "resolve", "org/repo")

    def test_an_index_that_names_what_is_not_there(self):
        index = json.dumps({"weight_map": {"a": "gone.safetensors"}}).encode()
        self.hub.add("org/repo", {"model.safetensors.index.json": index})
        self.refuse(MODEL, "gone.safetensors", "pull", "org/repo")

    def test_quantizations_and_split_files(self):
        names = ["m-Q4_K_M.gguf", "m-Q8_0-00001-of-00002.gguf", "m-Q8_0-00002-of-00002.gguf"]
        repo = self.hub.add("org/repo", {name: random_bytes(1000, i) for i, name in enumerate(names)}, lfs=names)
        pulled = self.succeed("pull", "org/repo:q8_0")
        self.assert_snapshot(repo, names[1:])
        self.assertTrue(pulled["model"].endswith("/m-Q8_0-00001-of-00002.gguf"))
        self.assertEqual(self.succeed("resolve", "org/repo:Q8_0"), pulled["model"])
        self.assertEqual(self.succeed("resolve", "org/repo"), pulled["model"])
        self.refuse(MODEL, "not in the cache.*pull it first", "resolve", "org/repo:Q4_K_M")
        self.assertTrue(self.succeed("resolve", "org/repo:Q4_K_M", "--pull").endswith("/m-Q4_K_M.gguf"))
        self.refuse(MODEL, "Q4_K_M, Q8_0", "pull", "org/repo:Q5_K_M")

    def test_names_that_need_encoding(self):
        name = "a b/ü #1?-Q8_0.gguf"
        repo = self.hub.add("org/repo", {name: BIG}, lfs={name})
        self.succeed("pull", "org/repo")
        self.assert_snapshot(repo, [name])

    def test_what_does_not_exist(self):
        self.refuse(MODEL, "org/repo@main does not exist", "pull", "org/repo")
        self.refuse(USAGE, "no '/'", "pull", "repo")
        self.hub.add("org/repo", {"model.safetensors": b"x"})
        self.refuse(MODEL, "does not exist", "pull", "org/repo@v9")

    def test_progress_reaches_the_end(self):
        self.hub.add("org/repo", {"config.json": b"{}", "model.safetensors": BIG}, lfs={"model.safetensors"})
        self.hub.fault("/", "slow", server="cdn", chunk=500_000, delay=0.12)
        result = self.run_tool("pull", "org/repo", "--progress")
        lines = [line.split() for line in result.err.splitlines()]
        total = str(len(BIG) + 2)
        self.assertGreater(len([line for line in lines if line[2] == "model.safetensors" and line[1] == "2"]), 3)
        self.assertEqual(lines[-1], ["progress", "3", "model.safetensors", str(len(BIG)), str(len(BIG)), total, total, "2", "2"])
        done = [int(line[5]) for line in lines]
        self.assertEqual(done, sorted(done))


class Offline(HubCase):
    def test_only_what_is_cached(self):
        self.hub.add("org/repo", {"config.json": b"{}", "model.safetensors": BIG}, lfs={"model.safetensors"})
        self.environment["HF_HUB_OFFLINE"] = "1"
        for verb in (("pull",), ("resolve", "--pull")):
            self.refuse(MODEL, "not in the cache.*offline mode", *verb, "org/repo")
        self.assertEqual(self.hub.log, [])
        del self.environment["HF_HUB_OFFLINE"]
        pulled = self.succeed("pull", "org/repo")
        self.hub.log.clear()
        self.environment["HF_HUB_OFFLINE"] = "1"
        self.assertEqual(self.succeed("pull", "org/repo")["model"], pulled["model"])
        self.assertEqual(self.succeed("resolve", "org/repo"), pulled["model"])
        self.assertEqual(self.hub.log, [])

    def test_a_cache_that_the_python_client_left(self):
        commit, etag = "c" * 40, "d" * 40
        snapshot = self.repo_folder() / "snapshots" / commit
        for folder in (snapshot, self.repo_folder() / "blobs", self.repo_folder() / "refs"):
            folder.mkdir(parents=True)
        (self.repo_folder() / "refs/main").write_text(commit)
        self.refuse(MODEL, "not in the cache", "resolve", "org/repo")
        (self.repo_folder() / "blobs" / etag).write_bytes(b"weights")
        (snapshot / "model.safetensors").symlink_to(f"../../blobs/{etag}")
        self.assertEqual(self.succeed("resolve", "org/repo"), str(snapshot))
        (self.repo_folder() / "blobs" / etag).unlink()
        self.refuse(MODEL, "not in the cache", "resolve", "org/repo")


class ListAndRemove(HubCase):
    def test_list_shows_what_there_is(self):
        self.assertEqual(self.succeed("list"), [])
        repo = self.hub.add("org/b", {"config.json": b"{}", "model.safetensors": BIG}, lfs={"model.safetensors"})
        self.hub.add("org/a", {"m-Q8_0.gguf": b"gguf"})
        self.succeed("pull", "org/b")
        self.succeed("pull", "org/a")
        (self.cache / "version.txt").write_text("1")
        (self.cache / "datasets--org--data").mkdir()
        (self.cache / "models--junk").write_text("no folder")
        listed = self.succeed("list")
        self.assertEqual([model["repo"] for model in listed], ["org/a", "org/b"])
        self.assertEqual(listed[1]["size"], len(BIG) + 2)
        self.assertEqual(listed[1]["files"], {"config.json": 2, "model.safetensors": len(BIG)})
        self.assertEqual((listed[1]["commit"], listed[1]["revisions"]), (repo.commit, ["main"]))
        self.assertLess(abs(listed[1]["last_used"] - time.time()), 60)

    def test_rm_frees_the_whole_repository(self):
        self.hub.add("org/repo", {"config.json": b"{}", "model.safetensors": BIG}, lfs={"model.safetensors"})
        self.hub.add("org/other", {"m-Q8_0.gguf": b"gguf"})
        for name in ("org/repo", "org/other"):
            self.succeed("pull", name)
        (self.repo_folder() / "blobs/abc.incomplete").write_bytes(b"12345")
        self.assertEqual(self.succeed("rm", "org/repo"), len(BIG) + 2 + 40 + 5)
        self.assertFalse(self.repo_folder().exists())
        self.assertFalse((self.cache / ".locks" / self.repo_folder().name).exists())
        self.assertEqual([model["repo"] for model in self.succeed("list")], ["org/other"])
        self.refuse(MODEL, "not in the cache", "rm", "org/repo")
        self.refuse(USAGE, "whole repositories", "rm", "org/other:Q8_0")

    def test_rm_refuses_while_the_python_client_holds_a_lock(self):
        repo = self.hub.add("org/repo", {"m-Q8_0.gguf": b"gguf"})
        self.succeed("pull", "org/repo")
        with open(self.lock(repo, "m-Q8_0.gguf"), "w", encoding="ascii") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.refuse(FAILURE, "another process", "rm", "org/repo")
        self.assert_snapshot(repo, ["m-Q8_0.gguf"])
        self.succeed("rm", "org/repo")

    def test_rm_does_not_follow_links_out_of_the_cache(self):
        outside = self.folder / "precious"
        outside.mkdir()
        (outside / "file").write_bytes(b"keep")
        self.hub.add("org/repo", {"m-Q8_0.gguf": b"gguf"})
        self.succeed("pull", "org/repo")
        (self.repo_folder() / "snapshots/elsewhere").symlink_to(outside)
        self.succeed("rm", "org/repo")
        self.assertEqual((outside / "file").read_bytes(), b"keep")
        (outside / "blobs").mkdir()
        (outside / "blobs/file").write_bytes(b"keep")
        os.symlink(outside, self.repo_folder())
        self.assertEqual(self.succeed("rm", "org/repo"), 0)
        self.assertEqual((outside / "blobs/file").read_bytes(), b"keep")
        self.assertEqual((outside / "file").read_bytes(), b"keep")
