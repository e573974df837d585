"""Caches of functions of words."""

from asr_punct.caching import LONGEST_CACHED, cached_by_word


def test_results_of_short_words_are_kept():
    calls = []

    @cached_by_word(2)
    def doubled(word, times=2):
        calls.append(word)
        return word * times

    long = "a" * (LONGEST_CACHED + 1)
    for word in ("ana", long, "ana", long):
        assert doubled(word) == 2 * word
        assert doubled(word, 3) == 3 * word
    assert calls == ["ana", "ana", *[long] * 4]
