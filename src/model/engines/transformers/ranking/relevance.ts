/** From the logits of a model that ranks to scores. @module */
import { notSupported } from '../encoder/not-supported.js';

/** Names of the label that says that a document is relevant, in lower case. */
const RELEVANT = new Set(['relevant', 'yes', 'true', 'positive', 'entailment']);

/** Which of a model's labels says that a document is relevant: the one with such a name, else the last. */
export function relevantLabel({ id2label }: { id2label?: unknown }, labels: number): number {
  const names = (id2label ?? {}) as Readonly<Record<string, unknown>>;
  const found = Object.keys(names).find((id) => RELEVANT.has(String(names[id]).toLowerCase()));
  const label = Number(found ?? labels - 1);
  if (label < labels) return label;
  throw notSupported(`its config names the label ${label}, and its graph has ${labels}`);
}

/**
 * From 0 to 1: the sigmoid of a single logit, else the share of the relevant label in the softmax.
 * @param logits of one pair, one for each label
 */
export function relevance(logits: ArrayLike<number>, relevant: number): number {
  if (logits.length === 1) return 1 / (1 + Math.exp(-logits[0]!));
  const values = Array.from(logits);
  const most = Math.max(...values);
  const sum = values.reduce((total, value) => total + Math.exp(value - most), 0);
  return Math.exp(values[relevant]! - most) / sum;
}
