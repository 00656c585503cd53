import tempfile
from pathlib import Path

import lm_eval
from lm_eval.tasks import TaskManager
from task import *

PACKAGES = ["lm-eval"]
# Of one's own, so that nothing is downloaded.
TASK = """
task: words
dataset_path: json
dataset_kwargs:
  data_files:
    test: {rows}
test_split: test
output_type: multiple_choice
doc_to_text: question
doc_to_choice: "{{{{choices}}}}"
doc_to_target: answer
metric_list:
  - metric: acc
"""
ROWS = """{"question": "Once upon", "choices": [" a time", " zzzz qqqq"], "answer": 0}
{"question": "The sun is", "choices": [" xkqj vvvv", " in the sky"], "answer": 1}
"""


def scores():
    """By log-probabilities of prompts, with the service's own tokenizer."""
    with tempfile.TemporaryDirectory() as folder:
        rows = Path(folder, "rows.jsonl")
        rows.write_text(ROWS)
        Path(folder, "words.yaml").write_text(TASK.format(rows=rows))
        arguments = {
            "model": TINY_CHAT,
            "base_url": f"{BASE}/completions",
            "tokenizer_backend": "remote",
            "num_concurrent": 1,
            "max_retries": 1,
        }
        manager = TaskManager(include_path=folder, include_defaults=False)
        found = lm_eval.simple_evaluate(
            model="local-completions", model_args=arguments, tasks=["words"], task_manager=manager, bootstrap_iters=0
        )
        return found["results"]["words"]["acc,none"]
