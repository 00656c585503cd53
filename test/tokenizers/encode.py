"""Token ids of texts: encode.py TEXTS.json TOKENIZER.json… prints a list for each tokenizer and text."""

import json
import sys

from tokenizers import Tokenizer

texts = json.load(open(sys.argv[1], encoding="utf-8"))
for file in sys.argv[2:]:
    tokenizer = Tokenizer.from_file(file)
    tokenizer.no_padding()
    tokenizer.no_truncation()
    json.dump([encoding.ids for encoding in tokenizer.encode_batch(texts)], sys.stdout, separators=(",", ":"))
    print()
