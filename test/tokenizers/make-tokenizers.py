"""Trains a small tokenizer of each kind that published models have: make-tokenizers.py FOLDER"""

import io
import json
import random
import sys
from pathlib import Path

from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

GPT4 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
WORDS = (
    "the quick brown fox jumps over a lazy dog and runs into this street 2024 3.14 don't it's we'll "
    "für Straße Größe ÉCOLE café naïve ΟΔΥΣΣΕΥΣ σοφός λόγος Привет мир שלום مرحبا नमस्ते สวัสดี こんにちは 世界 漢字 한국어 "
    "ﬁne ½ ① ™ ｆｕｌｌ ㍿ İstanbul ẞ 𝔘𝔫𝔦 😀 👩‍👩‍👧 _x_ foo(bar) a+b=c http://example.com/?q=1 \t tab"
).split(" ")


def corpus():
    source = random.Random(7)
    return [" ".join(source.choice(WORDS) for _ in range(12)) + source.choice(["", ".", "!", "?\n"]) for _ in range(4000)]


def trained(model, trainer, normalizer=None, pre_tokenizer=None, decoder=None):
    tokenizer = Tokenizer(model)
    if normalizer:
        tokenizer.normalizer = normalizer
    if pre_tokenizer:
        tokenizer.pre_tokenizer = pre_tokenizer
    if decoder:
        tokenizer.decoder = decoder
    tokenizer.train_from_iterator(corpus(), trainer)
    return json.loads(tokenizer.to_str())


def word_piece(**options):
    trainer = trainers.WordPieceTrainer(vocab_size=2000, special_tokens=["[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]"], show_progress=False)
    return trained(
        models.WordPiece(unk_token="[UNK]"),
        trainer,
        normalizers.BertNormalizer(**options),
        pre_tokenizers.BertPreTokenizer(),
        decoders.WordPiece(),
    )


def byte_level(pre_tokenizer, normalizer=None, ignore_merges=False):
    trainer = trainers.BpeTrainer(
        vocab_size=1500,
        special_tokens=["<|endoftext|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    made = trained(models.BPE(), trainer, normalizer, pre_tokenizer, decoders.ByteLevel())
    made["model"]["ignore_merges"] = ignore_merges
    return made


def split_then_bytes(pattern):
    return pre_tokenizers.Sequence(
        [pre_tokenizers.Split(Regex(pattern), "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )


def sentence_piece(rule):
    """Pieces with scores, and the compiled map of a normalizer that SentencePiece has."""
    import sentencepiece
    from sentencepiece import sentencepiece_model_pb2 as messages

    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(corpus()), model_writer=model, vocab_size=400, model_type="unigram",
        normalization_rule_name=rule, minloglevel=2, unk_id=2, bos_id=-1, pad_id=0, eos_id=1, hard_vocab_limit=False,
    )
    read = messages.ModelProto()
    read.ParseFromString(model.getvalue())
    return [(piece.piece, piece.score) for piece in read.pieces], read.normalizer_spec.precompiled_charsmap


def unigram(rule, normalizer, pre_tokenizer):
    pieces, charsmap = sentence_piece(rule)
    tokenizer = Tokenizer(models.Unigram(pieces, 2, False))
    tokenizer.normalizer = normalizer(normalizers.Precompiled(charsmap))
    tokenizer.pre_tokenizer = pre_tokenizer
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.add_special_tokens(["<pad>", "</s>", "<unk>"])
    return json.loads(tokenizer.to_str())


def llama(byte_fallback=True):
    """SentencePiece's BPE as Llama 2, Gemma and Mistral have it."""
    trainer = trainers.BpeTrainer(
        vocab_size=1500, special_tokens=["<unk>", "<s>", "</s>"] + [f"<0x{byte:02X}>" for byte in range(256)], show_progress=False
    )
    made = trained(
        models.BPE(unk_token="<unk>", byte_fallback=byte_fallback, fuse_unk=True),
        trainer,
        normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]),
    )
    # The bytes are pieces of the vocabulary and nothing that a text may spell.
    made["added_tokens"] = [token for token in made["added_tokens"] if not token["content"].startswith("<0x")]
    return made


def gemma():
    """As Gemma has it: no space in front, split at spaces."""
    made = llama()
    made["normalizer"] = {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}
    made["pre_tokenizer"] = {"type": "Split", "pattern": {"String": " "}, "behavior": "MergedWithPrevious", "invert": False}
    return made


def all_kinds():
    metaspace = pre_tokenizers.Metaspace(prepend_scheme="always")
    spaces = normalizers.Replace(Regex(" {2,}"), " ")
    yield "bert-uncased", word_piece(lowercase=True)
    yield "bert-cased", word_piece(lowercase=False)
    yield "bert-keeps-accents", word_piece(lowercase=True, strip_accents=False)
    yield "gpt2", byte_level(pre_tokenizers.ByteLevel(add_prefix_space=False))
    yield "roberta", byte_level(pre_tokenizers.ByteLevel(add_prefix_space=True))
    yield "llama3", byte_level(split_then_bytes(GPT4), ignore_merges=True)
    yield "qwen", byte_level(split_then_bytes(GPT4.replace("{1,3}", "")), normalizers.NFC())
    yield "llama2", llama()
    yield "mistral-unknown", llama(byte_fallback=False)
    yield "digits", byte_level(pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]))
    yield "gemma", gemma()
    yield "whitespace", trained(
        models.WordPiece(unk_token="[UNK]"),
        trainers.WordPieceTrainer(vocab_size=1500, special_tokens=["[UNK]"], show_progress=False),
        normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase(), normalizers.Strip()]),
        pre_tokenizers.Sequence([pre_tokenizers.Whitespace(), pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.Punctuation()]),
    )
    yield "t5", unigram("nmt_nfkc", lambda compiled: compiled, metaspace)
    yield "xlm-roberta", unigram(
        "nmt_nfkc", lambda compiled: normalizers.Sequence([compiled, spaces]), pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), metaspace])
    )
    yield "albert", unigram(
        "nmt_nfkc_cf",
        lambda compiled: normalizers.Sequence(
            [normalizers.Replace("``", '"'), normalizers.NFKD(), normalizers.StripAccents(), normalizers.Lowercase(), compiled]
        ),
        metaspace,
    )


folder = Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
for name, made in all_kinds():
    (folder / f"{name}.json").write_text(json.dumps(made, ensure_ascii=False))
