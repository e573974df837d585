"""Files of Kaldi and NIST.

In the order of reading:
`tables`: the tables of a data directory; `ctm`, `stm`: words with times, segments with text.
`directory` (with `decode_ctm`): a data directory as a format.
"""
