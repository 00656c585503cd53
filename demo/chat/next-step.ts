/** The model after the tiny one: fetched from the hub when somebody asks for it, and chosen when it is there. */
import { signal } from '@preact/signals';
import type { ModelEntry } from 'inpage';
import { addModel, chatModel, inference, models } from '../inference.js';

export const NEXT_STEP: ModelEntry = {
  id: 'SmolLM2-360M',
  task: 'chat',
  backend: 'transformers',
  source: 'HuggingFaceTB/SmolLM2-360M-Instruct',
  ownedBy: 'HuggingFaceTB',
  metadata: { overview: '360 M parameters, 53 times tiny-chat: holds a conversation, in English.' },
};

/** 360 million parameters of a byte each; the bar has the exact number. */
export const NEXT_STEP_SIZE = 'about 0.4 GB';

export const isFetching = signal(false);
export const problem = signal('');

export function hasNextStep(): boolean {
  return models.value.some(({ id }) => id === NEXT_STEP.id) && !isFetching.value && !problem.value;
}

/** One click: adds it, fetches it, chooses it. When that fails, tiny-chat stays. */
export async function takeNextStep(): Promise<void> {
  isFetching.value = true;
  problem.value = '';
  try {
    await addModel(NEXT_STEP);
    await inference.value?.load(NEXT_STEP.id);
  } catch (error) {
    problem.value = error instanceof Error ? error.message : String(error);
    chatModel.value = 'tiny-chat';
  } finally {
    isFetching.value = false;
  }
}
