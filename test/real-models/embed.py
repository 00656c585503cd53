"""Token ids and vectors of texts with Python's libraries: embed.py FOLDER TEXTS.json"""

import json
import sys

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

folder, texts = sys.argv[1], json.load(open(sys.argv[2], encoding="utf-8"))
tokenizer = Tokenizer.from_file(folder + "/tokenizer.json")
tokenizer.no_padding()
tokenizer.enable_truncation(json.load(open(folder + "/sentence_bert_config.json"))["max_seq_length"])
session = onnxruntime.InferenceSession(folder + "/onnx/model.onnx", providers=["CPUExecutionProvider"])
for text in texts:
    ids = tokenizer.encode(text).ids
    row = np.array([ids], np.int64)
    feeds = {"input_ids": row, "attention_mask": np.ones_like(row), "token_type_ids": np.zeros_like(row)}
    vector = session.run(["last_hidden_state"], feeds)[0][0].mean(0)
    print(json.dumps({"ids": ids, "vector": (vector / np.linalg.norm(vector)).tolist()}))
