/** Which tabs can share an engine: those whose options mean the same service. @module */
import { listEntryFiles } from '../core/models/entry-files.js';
import type { OptionsByRealm } from '../core/models/inference-options.js';
import { toHex } from '../core/platform/to-hex.js';
import { PROTOCOL_VERSION } from '../relay/protocol.js';

/**
 * Name of the group: equal options, on pages of one version that mean the same files by them, make equal names. It says
 * nothing of the options' values (keys are among them).
 * @param pageURL absolute
 */
export async function serviceGroup(options: OptionsByRealm, pageURL: string): Promise<string> {
  const text = JSON.stringify(serviceOptions(options, pageURL), sortKeys);
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return `${options.gateway.prefix}:${PROTOCOL_VERSION}:${toHex(new Uint8Array(digest, 0, 12))}`;
}

/** Options, each as a text that is equal where the option means the same. */
export type OptionTexts = Record<string, string>;

/** Those of the engine, and what the Service Worker is told besides. */
export function optionTexts(options: OptionsByRealm, pageURL: string): OptionTexts {
  const values = Object.entries({ ...options.serviceWorker, ...serviceOptions(options, pageURL) });
  return Object.fromEntries(values.map(([name, value]) => [name, JSON.stringify(value, sortKeys) ?? '']));
}

function serviceOptions({ gateway, model }: OptionsByRealm, pageURL: string): object {
  const files = gateway.models.map((entry) => listEntryFiles(entry, pageURL));
  return { ...gateway, ...model, models: [gateway.models, files] };
}

/** Names of the options that two differ in. */
export function differentOptions(a: OptionTexts, b: OptionTexts): string[] {
  return Object.keys(a).filter((name) => a[name] !== b[name]);
}

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
