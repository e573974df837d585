"""Windows, model directories and pretrained encoders for tests, with random values."""

import torch
import transformers
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from asr_punct.checkpoint import TOKENIZER, WEIGHTS, ModelInfo, write_info
from asr_punct.features import WordInput, collate
from asr_punct.model.encoder import new_encoder
from asr_punct.model.tagger import Tagger
from asr_punct.model.weights import save_tagger
from asr_punct.pauses import UNKNOWN_PAUSE
from asr_punct.subwords import train_tokenizer

FAMILIES = ["bert", "roberta", "distilbert", "electra", "albert"]
VOCABULARY, WIDTH = 60, 16
LETTERS = "abcdefghijklmnopqrstuvwxyzáéíóúñ"


def inputs(windows):
    arrays = collate(windows, 1, 2, 0).inputs()
    return {name: torch.from_numpy(array) for name, array in arrays.items()}


def window(rng, words, pause=None):
    return [
        WordInput(
            tuple(rng.integers(3, 60, rng.integers(1, 4)).tolist()),
            int(rng.integers(0, UNKNOWN_PAUSE + 1)) if pause is None else pause,
        )
        for _ in range(words)
    ]


def write_model(directory, config):
    """Write a model directory with random weights."""
    tokenizer = train_tokenizer(["mira", "la", "casa", "dónde", "está"], 60)
    torch.manual_seed(0)
    model = Tagger(config, new_encoder(config.encoder, tokenizer.get_vocab_size(), 0))
    directory.mkdir()
    tokenizer.save(str(directory / TOKENIZER))
    save_tagger(model, directory / WEIGHTS)
    write_info(directory, ModelInfo(config, model.encoder.settings))
    return model.eval()


def checkpoint(directory, family="roberta", head=True, tied=True):
    """Write a tiny checkpoint with or without a masked-LM head, and return its directory."""
    sizes = {"hidden_size": WIDTH, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32}
    if family == "distilbert":
        sizes = {"dim": WIDTH, "n_layers": 1, "n_heads": 2, "hidden_dim": 32}
    if family in ("electra", "albert"):
        sizes["embedding_size"] = 8
    torch.manual_seed(5)
    config = transformers.AutoConfig.for_model(
        family, vocab_size=VOCABULARY, max_position_embeddings=40, tie_word_embeddings=tied, **sizes
    )
    kind = transformers.AutoModelForMaskedLM if head else transformers.AutoModel
    model = kind.from_config(config)
    if head:
        torch.nn.init.normal_(model.get_output_embeddings().bias)
    model.save_pretrained(directory, safe_serialization=True)
    letters = ["<s>", "<pad>", "</s>", "<unk>", *LETTERS, *(f"##{letter}" for letter in LETTERS)][:VOCABULARY]
    tokenizer = Tokenizer(models.WordPiece({piece: i for i, piece in enumerate(letters)}, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    special = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>"}
    transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, **special).save_pretrained(directory)
    return str(directory)


def funnel(directory, kind="FunnelModel"):
    """A tiny Funnel transformer."""
    sizes = {"d_model": 16, "n_head": 2, "d_head": 8, "d_inner": 32, "block_sizes": [1, 1, 1], "num_decoder_layers": 1}
    settings = transformers.FunnelConfig(vocab_size=60, **sizes)
    getattr(transformers, kind)(settings).save_pretrained(directory)
