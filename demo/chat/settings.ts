/** What goes with every question: the system prompt, and how to sample. Kept between visits. */
import { computed, effect, signal } from '@preact/signals';

const KEY = 'inpage-demo-chat-settings';

/** As the drawer's fields hold them; empty: not sent. */
export interface ChatSettings {
  system: string;
  temperature: string;
  topP: string;
  maxTokens: string;
}

export const NO_SETTINGS: ChatSettings = { system: '', temperature: '', topP: '', maxTokens: '' };

export const settings = signal<ChatSettings>({ ...NO_SETTINGS, ...kept() });
/** How many of them are set. */
export const settingsCount = computed(
  () => Object.values(settings.value).filter((value) => value.trim() !== '').length,
);

effect(() => localStorage.setItem(KEY, JSON.stringify(settings.value)));

export function change(changes: Partial<ChatSettings>): void {
  settings.value = { ...settings.value, ...changes };
}

/** What a dialect puts into its request. */
export interface RequestSettings {
  system?: string;
  temperature?: number;
  topP?: number;
  /** Of the model's own files; no field sets it. */
  topK?: number;
  maxTokens?: number;
}

export function requestSettings(): RequestSettings {
  const { system, temperature, topP, maxTokens } = settings.value;
  return {
    ...(system.trim() && { system: system.trim() }),
    ...(temperature && { temperature: Number(temperature) }),
    ...(topP && { topP: Number(topP) }),
    ...(maxTokens && { maxTokens: Number(maxTokens) }),
  };
}

function kept(): Partial<ChatSettings> {
  try {
    const all = JSON.parse(localStorage.getItem(KEY) ?? '{}') as Record<string, unknown>;
    // Earlier versions kept more.
    return Object.fromEntries(Object.entries(all).filter(([name]) => name in NO_SETTINGS));
  } catch {
    return {};
  }
}
