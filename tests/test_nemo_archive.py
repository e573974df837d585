"""Invalid `.nemo` files are refused before they are unpacked."""

import io
import tarfile

import pytest

from asr_punct.asr.archive import MAX_BYTES, check_archive
from asr_punct.errors import ModelError

NAMES = ("model_config.yaml", "model_weights.ckpt")


def member(name, kind=tarfile.REGTYPE, size=0):
    made = tarfile.TarInfo(name)
    made.type, made.linkname, made.size = kind, "/etc/passwd", size
    return made


def pack(path, *extra, mode="w:"):
    """A tar of the two files and of bare members."""
    with tarfile.open(path, mode) as archive:
        archive.addfile(member(".", tarfile.DIRTYPE))
        for name in NAMES:
            archive.addfile(member(f"./{name}", size=7), io.BytesIO(b"content"))
        for found in extra:
            archive.addfile(found)
    return path


@pytest.mark.parametrize("mode", ["w:", "w:gz"])
def test_valid_archives_pass(tmp_path, mode):
    check_archive(pack(tmp_path / "a.nemo", mode=mode), NAMES)
    check_archive(pack(tmp_path / "b.nemo", member("vocab.txt"), member("tokenizers", tarfile.DIRTYPE), mode=mode))


@pytest.mark.parametrize(
    "found",
    [
        member("../escaped"),
        member("./tokenizer/../../escaped"),
        member("/etc/passwd"),
        *(member("a", kind) for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE)),
    ],
    ids=lambda found: f"{found.name}-{found.type.decode()}",
)
def test_members_that_are_no_plain_files_of_the_folder_are_refused(tmp_path, found):
    with pytest.raises(ModelError, match=rf"a\.nemo: found member '{found.name}', expected plain files inside"):
        check_archive(pack(tmp_path / "a.nemo", found))


def test_other_files_and_members_are_refused(tmp_path):
    (tmp_path / "c.nemo").write_bytes(b"\x1f\x8b\x08\x00cut")
    with pytest.raises(ModelError, match=r"c\.nemo: found .*, expected a \.nemo file, which is a tar"):
        check_archive(tmp_path / "c.nemo")
    with pytest.raises(ModelError, match=r"member 'script\.py', expected some of model_config\.yaml, model_weights"):
        check_archive(pack(tmp_path / "a.nemo", member("script.py")), NAMES)
    with pytest.raises(ModelError, match="bytes or more when unpacked, expected at most"):
        check_archive(pack(tmp_path / "b.nemo", member("huge", size=MAX_BYTES)))
