"""What a config.json says: every key is read, neutral, or refused.

A family asks for the keys that it reads. Of those that it does not, the neutral ones change nothing of what a model
computes at evaluation; any other is refused, since nothing is known of what it changes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from maurey.symbolic.errors import InputError, cut, perhaps
from maurey.symbolic.model_tables import MOST_LAYERS, number

NEUTRAL = {
    "names and versions": "_name_or_path name_or_path _commit_hash transformers_version torch_dtype dtype auto_class "
    "tokenizer_class prefix finetuning_task task_specific_params language is_llama_config transformers.js_config "
    "sentence_transformers vocab_file model_max_length unsloth_fixed unsloth_version",
    "dropout, which is off at evaluation": "hidden_dropout_prob attention_probs_dropout_prob classifier_dropout "
    "classifier_dropout_prob attention_dropout activation_dropout dropout seq_classif_dropout qa_dropout resid_pdrop "
    "embd_pdrop attn_pdrop summary_first_dropout hidden_dropout embedding_dropout resid_dropout embd_dropout",
    "training": "initializer_range initializer_factor gradient_checkpointing problem_type encoder_stride "
    "tf_legacy_loss label_smoothing",
    "what another program does with the scores": "sbert_ce_default_activation_function",
    "labels' names": "id2label label2id num_labels _num_labels",
    "what a call returns, and how": "use_cache output_attentions output_hidden_states output_past return_dict "
    "use_return_dict torchscript use_bfloat16 chunk_size_feed_forward keys_to_ignore_at_inference "
    "_attn_implementation _attn_implementation_autoset attn_implementation reorder_and_upcast_attn xla_device",
    "generation": "bos_token_id eos_token_id sep_token_id pad_token_id unk_token_id mask_token_id cls_token_id "
    "decoder_start_token_id forced_bos_token_id forced_eos_token_id max_length min_length do_sample early_stopping "
    "num_beams num_beam_groups diversity_penalty temperature top_k top_p typical_p repetition_penalty length_penalty "
    "no_repeat_ngram_size encoder_no_repeat_ngram_size bad_words_ids num_return_sequences output_scores "
    "return_dict_in_generate remove_invalid_values suppress_tokens begin_suppress_tokens "
    "exponential_decay_length_penalty eos_token_ids",
    "heads that are not read": "summary_type summary_use_proj summary_activation summary_proj_to_labels n_special "
    "predict_special_tokens directionality pooler_fc_size pooler_num_attention_heads pooler_num_fc_layers "
    "pooler_size_per_head pooler_type",
}
NEUTRAL_KEYS = frozenset(key for keys in NEUTRAL.values() for key in keys.split())
REFUSED = {
    "quantization_config": "the tensors of a quantized model are not its weights",
    "auto_map": "the model is code of its own",
}
ABSENT = ("is_decoder", "is_encoder_decoder", "add_cross_attention", "tie_encoder_decoder", "rope_interleaved")
ACTIVATIONS = {
    "gelu": "gelu", "gelu_new": "gelu_tanh", "gelu_pytorch_tanh": "gelu_tanh", "gelu_fast": "gelu_tanh",
    "quick_gelu": "quick_gelu", "relu": "relu", "silu": "silu", "swish": "silu", "tanh": "tanh",
}  # fmt: skip


class Config:
    """A config, and which of its keys were asked for."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values, self.asked = values, {"model_type", "architectures"}
        for key, why in REFUSED.items():
            if values.get(key) is not None:
                raise InputError(f"config.json has {key}: {why}")

    def __call__(self, key: str, default: Any = None) -> Any:
        self.asked.add(key)
        found = self.values.get(key)
        return default if found is None else found

    def size(self, key: str, default: int | None = None) -> int:
        found = self(key, default)
        if found is None:
            raise InputError(f"config.json lacks {key}")
        if isinstance(found, bool) or not isinstance(found, int) or not 0 < found <= 10**9:
            raise InputError(f"config.json: {key} must be a positive integer, got {cut(repr(found))}")
        return found

    def layers(self, key: str) -> int:
        """Each has names for its tensors: no more than may be."""
        if (found := self.size(key)) > MOST_LAYERS:
            raise InputError(f"config.json: {key} must be at most {MOST_LAYERS}, got {found}")
        return found

    def number(self, key: str, default: float | None = None) -> Fraction:
        return number(f"config.json: {key}", self(key, default), zero=True)

    def flag(self, key: str, default: bool) -> bool:
        found = self(key, default)
        if not isinstance(found, bool):
            raise InputError(f"config.json: {key} is true or false, got {cut(repr(found))}")
        return found

    def activation(self, key: str, default: str) -> str:
        found = self(key, default)
        if not isinstance(found, str) or found not in ACTIVATIONS:
            near = perhaps(str(found), ACTIVATIONS)
            raise InputError(
                f"config.json: {key} is {cut(repr(found))}{near}; {', '.join(ACTIVATIONS)} have known constants"
            )
        return ACTIVATIONS[found]

    def only(self, key: str, *wanted: Any) -> None:
        """Keys of which one value is read, the first one if nothing is said."""
        found = self(key, wanted[0])
        if not any(found == one and type(found) is type(one) for one in wanted):
            raise InputError(f"config.json: {key} = {cut(repr(found))} is not read; want {json.dumps(wanted[0])}")

    @property
    def task(self) -> str:
        """The class that the model was saved from, without the family's name."""
        names = self.values.get("architectures") or [""]
        if not (isinstance(names, list) and isinstance(names[0], str)):
            raise InputError(f"config.json: architectures is a list of names, got {cut(repr(names))}")
        return names[0]

    def check_all(self) -> None:
        """Nothing is left over, and nothing is asked for that no family has."""
        for key in ABSENT:
            self.only(key, False)
        self.only("cross_attention_hidden_size", None)
        unknown = [key for key in self.values if key not in self.asked and key not in NEUTRAL_KEYS]
        if unknown:
            near = perhaps(unknown[0], self.asked)
            raise InputError(
                f"config.json has {cut(repr(unknown[0]))}{near}, and nothing is known of what it changes; take the key "
                "out if the network computes the same without it"
            )
