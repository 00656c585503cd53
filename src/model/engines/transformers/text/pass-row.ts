/** A row of a run. @module */
import type { PromptLayout } from '../vision/prompt-layout.js';

/** What a row of a run reads. */
export interface PassRow {
  /** The same number in every row; one, where rows continue at different places. */
  tokens: readonly number[];
  /** Tokens before them. */
  past: number;
  /** Of the row's prompt; absent: it has no images. */
  layout?: PromptLayout | undefined;
}
