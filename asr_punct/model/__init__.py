"""The model in torch: token ids and pauses in, probabilities of marks and cases out.

In the order of reading:
`tagger`: the whole, and how its parts are joined; then the parts in the order of the computation.
`encoder` (with `lookup`, `sequence`): word vectors; `fusion`, `pos`: pauses and parts of speech; `context` (with
    `attention`, `convolution`): words in their window; `heads` (with `crf`): marks and cases.
`pretrained`, `weights`: encoders of others, and files of models; `device`, `torch_backend`: how torch runs a model.
"""
