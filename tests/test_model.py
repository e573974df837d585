import dataclasses

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from dummies import tiny_config  # noqa: E402
from safetensors.torch import save_file  # noqa: E402

from asr_punct.checkpoint import ModelInfo  # noqa: E402
from asr_punct.config import ContextConfig, HeadConfig, PauseConfig  # noqa: E402
from asr_punct.errors import ConfigError, ModelError  # noqa: E402
from asr_punct.features import DOCUMENT_START, WordInput, collate  # noqa: E402
from asr_punct.model.context import TransformerContext, build_context  # noqa: E402
from asr_punct.model.encoder import new_encoder  # noqa: E402
from asr_punct.model.fusion import ContinuousPauses, DiscretePauses, NoPauses, build_fusion  # noqa: E402
from asr_punct.model.heads import CaseHead  # noqa: E402
from asr_punct.model.tagger import build_tagger  # noqa: E402
from asr_punct.model.weights import load_tagger  # noqa: E402
from asr_punct.pauses import UNKNOWN  # noqa: E402

CONFIG = tiny_config().model
VARIANTS = [
    ("none", "none"),
    ("none", "transformer"),
    ("continuous", "none"),
    ("continuous", "transformer"),
    ("discrete-gaussian", "none"),
    ("discrete-gaussian", "transformer"),
    ("discrete-uniform", "none"),
    ("discrete-uniform", "transformer"),
]


def variant(pauses="discrete-gaussian", context="transformer", case_context="previous"):
    return dataclasses.replace(
        CONFIG,
        pauses=PauseConfig(kind=pauses),
        context=dataclasses.replace(CONFIG.context, kind=context),
        heads=HeadConfig(case_context=case_context),
    )


def tagger(config=CONFIG, seed=0):
    torch.manual_seed(seed)
    return build_tagger(config, new_encoder(config.encoder, 60, 0)).eval()


def inputs(windows):
    arrays = collate(windows, 1, 2, 0).inputs()
    return {name: torch.from_numpy(array) for name, array in arrays.items()}


def window(rng, words, pause=None):
    return [
        WordInput(
            tuple(rng.integers(3, 60, rng.integers(1, 4)).tolist()),
            int(rng.integers(0, UNKNOWN + 1)) if pause is None else pause,
        )
        for _ in range(words)
    ]


@pytest.mark.parametrize(("pauses", "context"), VARIANTS)
def test_the_eight_variants_of_table_4(pauses, context):
    model = tagger(variant(pauses, context))
    rng = np.random.default_rng(0)
    output = model(**inputs([window(rng, 5), window(rng, 9)]))
    assert output.mark_logits.shape == (2, 9, 13)
    assert output.case_logits.shape == (2, 9, 3)
    assert torch.isfinite(output.mark_logits).all()


@pytest.mark.parametrize(("pauses", "context"), VARIANTS)
def test_pauses_matter_where_they_are_fused(pauses, context):
    model = tagger(variant(pauses, context))
    short, long = (model(**inputs([window(np.random.default_rng(1), 6, pause)])).mark_logits for pause in (2, 80))
    assert torch.equal(short, long) == (pauses == "none")


@pytest.mark.parametrize("kind", ["uniform", "gaussian"])
def test_smoothed_table_is_the_average_of_neighbours_one_by_one(kind):
    """AutoPunct, section 3.2.1, written as a loop over a window of one second."""
    fusion = DiscretePauses(PauseConfig(kind=f"discrete-{kind}"), 8)
    embedding = fusion.embedding.detach().double()
    for bucket in [0, 1, 49, 50, 51, 500, 949, 950, 999]:
        total, weights = torch.zeros(8, dtype=torch.double), 0.0
        for neighbour in range(bucket - 50, bucket + 51):
            if 0 <= neighbour < 1000:
                distance = (neighbour - bucket) * 0.01
                weight = np.exp(-0.5 * (distance / (1 / 6)) ** 2) if kind == "gaussian" else 1.0
                total += weight * embedding[neighbour]
                weights += weight
        assert torch.allclose(fusion.table()[bucket].double(), total / weights, atol=1e-6)
    assert torch.equal(fusion.table()[UNKNOWN], fusion.embedding[UNKNOWN])


@pytest.mark.parametrize("kind", ["discrete-uniform", "discrete-gaussian"])
def test_folding_changes_no_score(kind):
    model = tagger(variant(kind))
    batch = inputs([window(np.random.default_rng(2), 12)])
    folded = model.folded()
    assert not any("smoothing" in name or "embedding" in name for name, _ in folded.fusion.named_buffers())
    assert torch.allclose(model(**batch).mark_logits, folded(**batch).mark_logits, atol=1e-6)


def test_continuous_pauses_repeat_the_seconds():
    fusion = ContinuousPauses(4)
    torch.nn.init.constant_(fusion.unknown, 7.0)
    added = fusion(torch.zeros(1, 3, 4), torch.tensor([[25, 999, UNKNOWN]]))
    assert torch.allclose(added[0], torch.tensor([[0.25] * 4, [9.99] * 4, [7.0] * 4]))


def test_build_fusion_follows_the_name():
    assert isinstance(build_fusion(PauseConfig(kind="none"), 4), NoPauses)
    assert isinstance(build_fusion(PauseConfig(kind="continuous"), 4), ContinuousPauses)


@pytest.mark.parametrize(("pauses", "context"), VARIANTS)
def test_padding_changes_nothing(pauses, context):
    """A window's scores do not depend on the longer one beside it."""
    model = tagger(variant(pauses, context))
    rng = np.random.default_rng(3)
    short, long = window(rng, 4), window(rng, 14)
    alone, beside = model(**inputs([short])), model(**inputs([short, long]))
    assert torch.allclose(alone.mark_logits[0], beside.mark_logits[0, :4], atol=1e-5)
    assert torch.allclose(alone.case_logits[0], beside.case_logits[0, :4], atol=1e-5)


def test_words_are_pooled_at_their_last_subword():
    torch.manual_seed(0)
    encoder = new_encoder(CONFIG.encoder, 60, 0).eval()
    batch = inputs([[WordInput((5, 6, 7), 0), WordInput((8,), 0)]])
    states = encoder.encoder(batch["input_ids"], attention_mask=batch["attention_mask"]).last_hidden_state
    vectors = encoder(batch["input_ids"], batch["attention_mask"], batch["word_index"], batch["boundaries"])
    assert torch.allclose(vectors[0], states[0, [3, 4]], atol=1e-6)


def test_the_boundary_vector_is_added_to_the_word():
    encoder = new_encoder(CONFIG.encoder, 60, 0).eval()
    torch.nn.init.constant_(encoder.boundary.weight[DOCUMENT_START], 1.0)
    words = [WordInput((5,), 0), WordInput((6,), 0)]
    plain = inputs([words])
    flagged = inputs([[dataclasses.replace(words[0], boundary=DOCUMENT_START), words[1]]])
    names = ("input_ids", "attention_mask", "word_index", "boundaries")
    difference = encoder(*(flagged[name] for name in names)) - encoder(*(plain[name] for name in names))
    assert torch.allclose(difference[0, 0], torch.ones(32), atol=1e-6)
    assert torch.equal(difference[0, 1], torch.zeros(32))


@pytest.mark.parametrize(("case_context", "reach"), [("previous", [2, 3]), ("own", [2])])
def test_case_reads_punctuation_scores_of_the_word_and_of_the_one_before(case_context, reach):
    torch.manual_seed(0)
    head = CaseHead(HeadConfig(case_context=case_context), 8).eval()
    vectors, logits = torch.randn(1, 6, 8), torch.randn(1, 6, 13)
    other = logits.clone()
    other[0, 2] += 3.0
    changed = (head(vectors, logits) - head(vectors, other)).abs().sum(dim=-1)[0] > 1e-7
    assert changed.nonzero().flatten().tolist() == reach


def test_a_width_that_heads_do_not_divide_is_told():
    with pytest.raises(ConfigError, match="width 30 is not a multiple of heads 4"):
        build_context(ContextConfig(), 30, 10)
    assert isinstance(build_context(ContextConfig(), 32, 10), TransformerContext)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda weights: weights.pop("case.layers.0.bias"), "found no weight case.layers.0.bias"),
        (lambda weights: weights.update(other=torch.zeros(1)), "found unknown weight other"),
        (
            lambda weights: weights.update({"case.layers.0.bias": torch.zeros(3)}),
            r"weight case.layers.0.bias of shape \(3,\) instead of \(32,\)",
        ),
    ],
)
def test_foreign_weights_are_told(change, message, tmp_path):
    model = tagger()
    weights = {name: tensor.contiguous() for name, tensor in model.state_dict().items()}
    change(weights)
    path = tmp_path / "model.safetensors"
    save_file(weights, path)
    with pytest.raises(ModelError, match=message):
        load_tagger(path, ModelInfo(CONFIG, model.encoder.settings))


def test_weights_that_are_cut_short_are_told(tmp_path):
    path = tmp_path / "model.safetensors"
    path.write_bytes(b"1234")
    with pytest.raises(ModelError, match="expected the weights"):
        load_tagger(path, ModelInfo(CONFIG, tagger().encoder.settings))


@pytest.mark.parametrize(
    "settings", [{"model_type": "asr_punct_lookup", "vocab_size": 3}, {"model_type": "no_such"}, {"vocab_size": 3}]
)
def test_settings_of_no_encoder_are_told(settings, tmp_path):
    with pytest.raises(ModelError, match=r"config\.json: found encoder: .*, expected what training wrote"):
        load_tagger(tmp_path / "model.safetensors", ModelInfo(CONFIG, settings))
