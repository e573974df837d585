"""Hostile and broken `.nemo` files are refused in one line before anything of them is unpacked."""

import io
import tarfile
import zipfile

import pytest

from asr_punct.asr.archive import check_recogniser
from asr_punct.errors import ModelError
from asr_punct.nemo.archive import (
    MOST_BYTES,
    MOST_CONFIG_BYTES,
    NEMO_CONFIG,
    NEMO_WEIGHTS,
    check_archive,
    check_weights,
)

GOOD = {NEMO_CONFIG: b"target: a.B\ninfo:\n  format: 1\n", NEMO_WEIGHTS: b"weights", "tokenizer.json": b"{}"}


def pack(path, files=GOOD, members=(), mode="w:"):
    """A tar of files and of bare members."""
    with tarfile.open(path, mode) as archive:
        archive.addfile(member(".", tarfile.DIRTYPE))
        for name, content in files.items():
            file = member(f"./{name}")
            file.size = len(content)
            archive.addfile(file, io.BytesIO(content))
        for extra in members:
            archive.addfile(extra)
    return path


def member(name, kind=tarfile.REGTYPE, target=""):
    made = tarfile.TarInfo(name)
    made.type, made.linkname = kind, target
    return made


def test_an_archive_of_ours_passes(tmp_path):
    check_archive(pack(tmp_path / "a.nemo"))


@pytest.mark.parametrize(
    "found",
    [
        member("../escaped"),
        member("/etc/passwd"),
        member("./tokenizer/../../escaped"),
        member("folder", tarfile.DIRTYPE),
        member("casing.txt", tarfile.SYMTYPE, "/etc/passwd"),
        member("casing.txt", tarfile.LNKTYPE, NEMO_CONFIG),
        member("casing.txt", tarfile.FIFOTYPE),
        member("casing.txt", tarfile.CHRTYPE),
        member("casing.txt", tarfile.GNUTYPE_SPARSE),
        member("script.py"),
        member(NEMO_CONFIG),
    ],
    ids=lambda found: f"{found.name}-{found.type.decode()}",
)
def test_members_that_none_of_ours_has_are_refused(tmp_path, found):
    with pytest.raises(ModelError, match=r"found member .*expected plain files, once each, of model_config\.yaml"):
        check_archive(pack(tmp_path / "a.nemo", members=[found]))


def test_sizes_beyond_the_limits_are_refused(tmp_path):
    with pytest.raises(ModelError, match=f"expected {MOST_CONFIG_BYTES} bytes at most"):
        check_archive(pack(tmp_path / "a.nemo", {**GOOD, NEMO_CONFIG: b" " * (MOST_CONFIG_BYTES + 1)}))
    large = member("casing.txt")
    large.size = MOST_BYTES + 1  # said by a header alone
    (tmp_path / "b.nemo").write_bytes(large.tobuf(tarfile.GNU_FORMAT))
    with pytest.raises(ModelError, match=f"casing.txt of {MOST_BYTES + 1} bytes, expected {MOST_BYTES} bytes at most"):
        check_archive(tmp_path / "b.nemo")


def test_what_is_compressed_cut_or_no_tar_is_refused(tmp_path):
    whole = pack(tmp_path / "a.nemo").read_bytes()
    (tmp_path / "empty.nemo").touch()
    (tmp_path / "text.nemo").write_text("no tar")
    (tmp_path / "cut.nemo").write_bytes(whole[:1700])
    for path in (pack(tmp_path / "b.nemo", mode="w:gz"), *(tmp_path / f"{name}.nemo" for name in ("empty", "text"))):
        with pytest.raises(ModelError, match="expected an uncompressed tar"):
            check_archive(path)
    for name in ("cut", "none"):
        with pytest.raises(ModelError, match=f"{name}.nemo"):
            check_archive(tmp_path / f"{name}.nemo")


@pytest.mark.parametrize("missing", [NEMO_CONFIG, NEMO_WEIGHTS])
def test_both_of_nemos_files_are_there(tmp_path, missing):
    with pytest.raises(ModelError, match=f"found no {missing}"):
        check_archive(pack(tmp_path / "a.nemo", {name: data for name, data in GOOD.items() if name != missing}))


@pytest.mark.parametrize(
    "config", ["a: &x [1]\nb: [*x, *x]\n", "a: ${oc.env:HOME}\n", "- &x 1\n", "a: {b: *x}\n", "b:\n  <<: *x\n"]
)
def test_references_in_the_configuration_are_refused(tmp_path, config):
    with pytest.raises(ModelError, match=r"model_config\.yaml: found the reference .* expected plain values"):
        check_archive(pack(tmp_path / "a.nemo", {**GOOD, NEMO_CONFIG: config.encode()}))


def test_weights_are_stored_and_not_compressed(tmp_path):
    for kind, name in ((zipfile.ZIP_STORED, "stored"), (zipfile.ZIP_DEFLATED, "deflated")):
        with zipfile.ZipFile(tmp_path / name, "w", kind) as archive:
            archive.writestr("data.pkl", b"0" * 10000)
    check_weights(tmp_path / "stored")
    with pytest.raises(ModelError, match="found compressed content"):
        check_weights(tmp_path / "deflated")
    (tmp_path / "pickle").write_bytes(b"\x80\x04.")
    with pytest.raises(ModelError, match=r"expected weights as torch\.save writes them"):
        check_weights(tmp_path / "pickle")


def filled(path, bytes_, mode):
    """A tar of one file of zeros."""
    return pack(path, {"model_weights.ckpt": bytes(bytes_)}, mode=mode)


@pytest.mark.parametrize("mode", ["w:", "w:gz"])
def test_a_recogniser_may_hold_any_plain_files(tmp_path, mode):
    vocabulary = {"abc_tokenizer.model": b"\x00\x01", **GOOD}
    check_recogniser(pack(tmp_path / "a.nemo", vocabulary, [member("tokenizers", tarfile.DIRTYPE)], mode))


@pytest.mark.parametrize(
    "found",
    [
        member("../escaped"),
        member("./tokenizer/../../escaped"),
        member("/etc/passwd"),
        member("vocab.txt", tarfile.SYMTYPE, "/etc/passwd"),
        member("vocab.txt", tarfile.LNKTYPE, NEMO_CONFIG),
        member("vocab.txt", tarfile.FIFOTYPE),
    ],
    ids=lambda found: f"{found.name}-{found.type.decode()}",
)
def test_a_recogniser_that_leaves_its_folder_is_refused(tmp_path, found):
    with pytest.raises(ModelError, match=f"a.nemo: found member '{found.name}', expected plain files that stay"):
        check_recogniser(pack(tmp_path / "a.nemo", members=[found]))


def test_a_recogniser_that_grows_is_refused(tmp_path):
    check_recogniser(filled(tmp_path / "a.nemo", 1 << 20, "w:"))
    with pytest.raises(ModelError, match="bytes when unpacked, expected at most 20 times the file's own"):
        check_recogniser(filled(tmp_path / "a.nemo", 1 << 20, "w:gz"))


@pytest.mark.parametrize("content", [b"", b"no tar", b"\x1f\x8b\x08\x00cut"])
def test_a_recogniser_that_is_no_tar_is_told(tmp_path, content):
    (tmp_path / "a.nemo").write_bytes(content)
    with pytest.raises(ModelError, match="expected a recogniser of NeMo, which is a tar"):
        check_recogniser(tmp_path / "a.nemo")
    with pytest.raises(ModelError, match="no such file"):
        check_recogniser(tmp_path / "b.nemo")
