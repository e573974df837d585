import pytest

from asr_punct.corpora.mintzai import prepare_mintzai
from asr_punct.errors import InputError
from asr_punct.formats.kaldi_tables import read_data_dir


def corpus(tmp_path, **files):
    """A corpus of empty audio files and transcriptions, given as `pair/part/stem=text`."""
    for name, text in files.items():
        pair, part, stem, suffix = name.split("__")
        root = tmp_path / pair.replace("_", "-") / part
        for directory in ("audio", "transcriptions"):
            (root / directory).mkdir(parents=True, exist_ok=True)
        (root / "audio" / f"{stem}.m4a").touch()
        (root / "transcriptions" / f"{stem}.{suffix}").write_text(text)
    return tmp_path


def test_segments_become_data_directories(tmp_path):
    source = corpus(
        tmp_path / "c",
        es_eu__train__s_10__es="¡Buenos días!",
        es_eu__train__s_9__es="Gracias,\nseñorías.",
        eu_es__test__t_1__eu="Egun on.",
    )
    summary = prepare_mintzai(source, tmp_path / "data")
    assert summary.words == {"es/train": 4, "eu/test": 2}
    items = list(read_data_dir(tmp_path / "data" / "es" / "train"))
    assert [(item.id, item.text, item.document) for item in items] == [
        ("s_9", "Gracias, señorías.", "s"),
        ("s_10", "¡Buenos días!", "s"),
    ]
    names = {path.name for path in (tmp_path / "data" / "es" / "train").iterdir()}
    assert names == {"wav.scp", "text", "utt2spk", "spk2utt", "utt2doc", "reco2file_and_channel"}
    assert (tmp_path / "data" / "es" / "train" / "text").read_text().startswith("s_10 ")


def test_missing_and_odd_files_are_named(tmp_path):
    source = corpus(
        tmp_path / "c", es_eu__train__a_1__es="Sí.", es_eu__train__a_2__es="(…)", eu_es__train__b_1__es="Bai."
    )
    train = source / "es-eu" / "train"
    (train / "audio" / "only.m4a").touch()
    (train / "transcriptions" / "mute.es").write_text("No.")
    (train / "audio" / "a_1.wav").touch()
    problems = "\n".join(prepare_mintzai(source, tmp_path / "data").problems)
    for part in (
        "only.m4a: no transcription",
        "mute.es: no audio",
        "a_2.es: no words",
        "a_1.wav: same name as a_1.m4a",
        "no *.eu, used *.es instead, as es",
        "dev/audio: no such directory",
    ):
        assert part in problems


def test_nothing_to_prepare(tmp_path):
    with pytest.raises(InputError, match="no such directory"):
        prepare_mintzai(tmp_path / "none", tmp_path / "data")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="no segment with audio and transcription"):
        prepare_mintzai(tmp_path / "empty", tmp_path / "data")


def test_the_language_is_that_of_the_files(tmp_path):
    source = corpus(
        tmp_path / "c", es_eu__train__a_1__eu="Bai, jauna.", es_eu__dev__a_1__txt="Sí.", eu_es__train__a_2__eu="Ez."
    )
    summary = prepare_mintzai(source, tmp_path / "data")
    assert summary.words == {"eu/train": 3, "es/dev": 1}
    assert [item.id for item in read_data_dir(tmp_path / "data" / "eu" / "train")] == ["a_1", "a_2"]
    assert not (tmp_path / "data" / "es" / "train").exists()
    problems = "\n".join(summary.problems)
    assert "no *.es, used *.eu instead, as eu" in problems
    assert "no *.es, used *.txt instead, as es" in problems


def test_one_name_in_two_folders_of_a_language(tmp_path):
    source = corpus(tmp_path / "c", es_eu__train__a_1__eu="Bai.", eu_es__train__a_1__eu="Ez, ez.")
    summary = prepare_mintzai(source, tmp_path / "data")
    assert summary.words == {"eu/train": 1}
    assert any("same name as" in problem for problem in summary.problems)
