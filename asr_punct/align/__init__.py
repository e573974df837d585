"""Times of the words of a recording whose text is known.

In the order of reading:
`methods`: files and data directories, by either method.
`dtw` (with `espeak`, `warping`): against synthetic speech, without a model.
`ctc` (with `ctc_model`, `viterbi`): with a CTC model.
`fit`: how well words and recording fit.
"""
