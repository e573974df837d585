"""Restore marks and capitals with trained models: documents, files' utterances and live streams.

In the order of reading:
`options`, `punctuator`, `choice`: what users open, and the model of each document; `restorer`: one model.
`token_reader` (with `tokens`, `evidence`, `speaker_labels`): words to tokens; `windows`, `predictor`, `backend`: tokens
    to probabilities, of which `asr_punct.decode` makes labels; `fill`, `quote_sides`: which words get them, and where.
`stream` (with `lookahead`, `stream_words`), `stream_pool`: one live stream, and many together.
`evaluate`, `tune`: scores of a model, and its decoding settings.
"""
