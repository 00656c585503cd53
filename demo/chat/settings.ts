/** What goes with every question: the system prompt, how to sample, and the shape of the answer. Kept between visits. */
import { computed, effect, signal } from '@preact/signals';

const KEY = 'inpage-demo-chat-settings';

/** As the drawer's fields hold them; empty: not sent. */
export interface ChatSettings {
  system: string;
  temperature: string;
  topP: string;
  maxTokens: string;
  schema: string;
}

export const NO_SETTINGS: ChatSettings = { system: '', temperature: '', topP: '', maxTokens: '', schema: '' };

export const settings = signal<ChatSettings>({ ...NO_SETTINGS, ...kept() });
/** How many of them are set. */
export const settingsCount = computed(
  () => Object.values(settings.value).filter((value) => value.trim() !== '').length,
);
/** What is wrong with the schema's text; empty: nothing. */
export const schemaProblem = computed(() => {
  try {
    parsedSchema(settings.value);
    return '';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
});

effect(() => localStorage.setItem(KEY, JSON.stringify(settings.value)));

export function change(changes: Partial<ChatSettings>): void {
  settings.value = { ...settings.value, ...changes };
}

/** What a dialect puts into its request. */
export interface RequestSettings {
  system?: string;
  temperature?: number;
  topP?: number;
  maxTokens?: number;
  schema?: object;
}

/** @throws SyntaxError when the schema's text is no JSON */
export function requestSettings(): RequestSettings {
  const { system, temperature, topP, maxTokens } = settings.value;
  const schema = parsedSchema(settings.value);
  return {
    ...(system.trim() && { system: system.trim() }),
    ...(temperature && { temperature: Number(temperature) }),
    ...(topP && { topP: Number(topP) }),
    ...(maxTokens && { maxTokens: Number(maxTokens) }),
    ...(schema && { schema }),
  };
}

function parsedSchema({ schema }: ChatSettings): object | undefined {
  return schema.trim() === '' ? undefined : (JSON.parse(schema) as object);
}

function kept(): Partial<ChatSettings> {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<ChatSettings>;
  } catch {
    return {};
  }
}
