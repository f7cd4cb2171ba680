"""A tiny model with all parts of the real one, made in seconds from a fixed seed, without a download.

    python -m tests.helpers.tiny_model FOLDER

    base/                   Qwen2 architecture; tokenizer, added tokens and chat template in Qwen2.5's format
    awq/                    base/ quantized to 4 bits as AutoAWQ writes it: GEMM packing, groups of 128
    question_generation/    three LoRA adapters as the paper trains them: rank 16, alpha 32, dropout 0.05, no bias,
    question_answering/     all projection layers; random, and none of them zero
    verdict_prediction/

The base model is taught a dozen sentences, so that its replies mean nothing but end as a real model's do.
"""

import json
import random
import sys
from pathlib import Path

import torch
from peft import LoraConfig, get_peft_model
from safetensors.torch import load_file, save_file
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
from torch import Tensor
from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM

ADAPTERS = ("question_generation", "question_answering", "verdict_prediction")
PROJECTIONS = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")
SEED = 20250731

# The added tokens of Qwen2.5 in their order; the chat template's own are "special", the rest are not.
SPECIAL = (
    *("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|object_ref_start|>", "<|object_ref_end|>", "<|box_start|>"),
    *("<|box_end|>", "<|quad_start|>", "<|quad_end|>", "<|vision_start|>", "<|vision_end|>", "<|vision_pad|>"),
    *("<|image_pad|>", "<|video_pad|>"),
)
ADDED = (
    *("<tool_call>", "</tool_call>", "<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>", "<|fim_pad|>"),
    *("<|repo_name|>", "<|file_sep|>"),
)

# Pre-tokenization of the Qwen2 family: contractions, words, single digits, punctuation, line ends, spaces.
SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)

CHAT_TEMPLATE = """{%- if messages[0]['role'] != 'system' -%}
{{- '<|im_start|>system\\nYou are a helpful assistant.<|im_end|>\\n' -}}
{%- endif -%}
{%- for message in messages -%}
{{- '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>\\n' -}}
{%- endfor -%}
{%- if add_generation_prompt -%}
{{- '<|im_start|>assistant\\n' -}}
{%- endif -%}"""

SENTENCES = (  # without digits and with few words in common: a model this small goes round in circles else
    "The bridge at Oldmarsh opened in May and cost four million dollars.",
    "Nobody ever paid nine.",
    "Its newspaper took that back a week later.",
    "Yes, this report gives such a number.",
    "No, they name another sum.",
    "She said so to reporters on Tuesday.",
    "Pages of evidence differ.",
    "He is one of its speakers.",
    "What did their mayor say about prices?",
    "When was it built?",
    "Who counted votes, and how?",
    "Far too little is known.",
)
REPLIES = (
    '{{"question":"{0}"}}',
    '{{"source":"Evidence","type":"Abstractive","answer":"{0}"}}',
    '{{"source":"Metadata","type":"Boolean","answer":"{0}"}}',
    '{{"source":"Evidence","type":"Unanswerable","answer":"{0}"}}',
    '{{"reason":"{0}","entailed":true}}',
    '{{"reason":"{0}","entailed":false}}',
    '{{"answer":"{0}","sources":[2,1]}}',
    '{{"justification":"{0}","label":"Supported"}}',
    '{{"justification":"{0}","label":"Refuted"}}',
    '{{"justification":"{0}","label":"Not Enough Evidence"}}',
    '{{"justification":"{0}","label":"Conflicting Evidence/Cherrypicking"}}',
)


def conversations() -> list[str]:
    """Write what the model learns: short requests, each with a reply in the form of one of the system's."""
    template = "<|im_start|>user\n{}<|im_end|>\n<|im_start|>assistant\n{}<|im_end|>\n"
    return [
        template.format(request, reply.format(answer))
        for request in SENTENCES
        for reply in REPLIES
        for answer in SENTENCES
    ]


def make_tokenizer() -> PreTrainedTokenizerFast:
    """Train a byte-level BPE tokenizer in Qwen2.5's format on the conversations."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.NFC()
    split = pre_tokenizers.Split(Regex(SPLIT), behavior="isolated")
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([split, byte_level])
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=700, min_frequency=2, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator(conversations(), trainer)
    tokenizer.add_tokens([AddedToken(token, special=True, normalized=False) for token in SPECIAL])
    tokenizer.add_tokens([AddedToken(token, special=False, normalized=False) for token in ADDED])
    tokens = {"eos_token": "<|im_end|>", "pad_token": "<|endoftext|>"}
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, **tokens)  # type: ignore[no-untyped-call]
    fast.chat_template = CHAT_TEMPLATE
    fast.model_max_length = 8192
    return fast


def make_base(tokenizer: PreTrainedTokenizerFast) -> Qwen2ForCausalLM:
    """Make a Qwen2 model of 1.4 million random weights; its widths are multiples of an AWQ group."""
    config = Qwen2Config(
        vocab_size=-(-len(tokenizer) // 64) * 64,
        hidden_size=256,
        intermediate_size=512,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=8192,
        initializer_range=0.03,
        tie_word_embeddings=False,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=None,
        dtype=torch.float32,
    )
    model = Qwen2ForCausalLM(config)  # type: ignore[no-untyped-call]
    model.generation_config.eos_token_id = [tokenizer.eos_token_id, tokenizer.pad_token_id]
    return model


def train(model: Qwen2ForCausalLM, tokenizer: PreTrainedTokenizerFast, steps: int = 100) -> None:
    """Teach the model its few sentences after any context, so that its replies end as a real model's do."""
    ids = [i for text in random.Random(SEED).sample(conversations(), k=800) for i in tokenizer(text)["input_ids"]]
    windows = torch.tensor(ids[: len(ids) // 64 * 64]).view(-1, 64)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for window in windows[torch.randint(len(windows), (steps, 6))]:
        noise = torch.randint(len(tokenizer), (6, 64))  # stands for a prompt, which is no business of the model
        labels = torch.cat([torch.full_like(noise, -100), window], dim=1)
        model(torch.cat([noise, window], dim=1), labels=labels).loss.backward()
        optimizer.step()
        optimizer.zero_grad()


def quantize(weight: Tensor, group: int = 128) -> dict[str, Tensor]:
    """Pack a linear layer's weight (out, in) as AutoAWQ's GEMM kernel reads it, rounding to nearest.

    Returns:
        qweight (in, out / 8) int32, qzeros (in / group, out / 8) int32, scales (in / group, out) float16;
        weight[o, i] ≈ (q[i, o] - zero[i // group, o]) * scale[i // group, o], q and zero in 0 … 15.
    """
    columns = weight.T.reshape(weight.shape[1] // group, group, weight.shape[0])  # (groups, group, out)
    low, high = columns.amin(1).clamp(max=0), columns.amax(1).clamp(min=0)
    scales = ((high - low) / 15).clamp(min=1e-5).half()
    zeros = (-low / scales.float()).round().clamp(0, 15)
    q = (columns / scales.float()[:, None] + zeros[:, None]).round().clamp(0, 15)
    return {"qweight": pack(q.flatten(0, 1)), "qzeros": pack(zeros), "scales": scales}


def pack(values: Tensor) -> Tensor:
    """Eight 4-bit values of a row into one int32, lowest bits first, in the kernel's interleaved order."""
    order = torch.tensor([0, 2, 4, 6, 1, 3, 5, 7])
    nibbles = values.to(torch.int64).reshape(values.shape[0], -1, 8)[..., order]
    words = (nibbles << (4 * torch.arange(8))).sum(-1)
    return torch.where(words >= 2**31, words - 2**32, words).to(torch.int32)


def write_awq(base: Path, output: Path) -> None:
    """Quantize the projection layers of a saved model; the rest is kept in float16."""
    tensors: dict[str, Tensor] = {}
    for name, tensor in load_file(base / "model.safetensors").items():
        layer, _, kind = name.rpartition(".")
        if kind == "weight" and layer.endswith(PROJECTIONS):
            tensors |= {f"{layer}.{part}": packed.contiguous() for part, packed in quantize(tensor).items()}
        else:
            tensors[name] = tensor.half()
    save_file(tensors, output / "model.safetensors", metadata={"format": "pt"})
    config = json.loads((base / "config.json").read_text())
    method = {"quant_method": "awq", "version": "gemm", "bits": 4, "group_size": 128, "zero_point": True}
    config |= {"dtype": "float16", "quantization_config": {**method, "modules_to_not_convert": None}}
    (output / "config.json").write_text(json.dumps(config, indent=2))


def write_adapters(model: Qwen2ForCausalLM, base: Path, output: Path) -> None:
    """Write three adapters; their B matrices are random too, so each changes the replies its own way."""
    config = LoraConfig(
        r=16, lora_alpha=32, lora_dropout=0.05, bias="none", target_modules=list(PROJECTIONS), task_type="CAUSAL_LM"
    )
    model.name_or_path = str(base)
    peft = get_peft_model(model, config, adapter_name=ADAPTERS[0])
    for name in ADAPTERS[1:]:
        peft.add_adapter(name, config)
    for name, parameter in peft.named_parameters():
        if "lora_B" in name:
            torch.nn.init.normal_(parameter, std=0.03)
    peft.save_pretrained(str(output))
    (output / "README.md").unlink()  # a model card to be filled in by hand


def make(output: Path) -> None:
    """Write everything into a folder."""
    torch.manual_seed(SEED)
    tokenizer = make_tokenizer()
    model = make_base(tokenizer)
    train(model, tokenizer)
    for name in ("base", "awq"):
        tokenizer.save_pretrained(str(output / name))
        model.generation_config.save_pretrained(str(output / name))
    model.save_pretrained(str(output / "base"))
    write_awq(output / "base", output / "awq")
    write_adapters(model, output / "base", output)


if __name__ == "__main__":
    make(Path(sys.argv[1]))
