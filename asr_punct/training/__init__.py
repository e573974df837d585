"""Train models, export them and make them smaller. Needs the extra `train`.

In the order of reading:
`fit`: a run from start to end; `configuration`, `start`, `run`, `distributed`: its settings, first model, directory and
    processes.
`corpus`, `mapped`: labelled words as arrays; `windows`, `augment` (with `confusions`), `pause_model`: windows, and
    errors and pauses that are drawn; `batches`, `datamodule`: tensors of them.
`lightning_module`, `loss`, `optim`, `teacher`: a step; `callbacks`, `epoch_report`: what happens between epochs.
`export`, `quantise`: ONNX graphs of a trained model.
"""
