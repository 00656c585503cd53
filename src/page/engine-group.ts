/** Which tabs can share an engine: those whose options mean the same service. @module */
import { filesOf } from '../models/entry-files.js';
import { PROTOCOL_VERSION } from '../relay/protocol.js';
import type { ResolvedOptions } from './resolve-options.js';

/**
 * Name of the group: equal options, on pages of one version that mean the same files by them, make equal names. It says
 * nothing of the options' values (keys are among them).
 * @param pageURL absolute
 */
export async function engineGroup(options: ResolvedOptions, pageURL: string): Promise<string> {
  const { models, apiKeys, rateLimits, compatibility, requestTimeout, prefix, hubURL, crossOriginStorage } = options;
  const files = models.map((entry) => filesOf(entry, pageURL));
  const access = [apiKeys, rateLimits, compatibility];
  const service = [models, files, access, requestTimeout, prefix, hubURL, crossOriginStorage];
  const text = JSON.stringify(service, sortKeys);
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  const hash = Array.from(new Uint8Array(digest, 0, 12), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return `${prefix}:${PROTOCOL_VERSION}:${hash}`;
}

/** Name of the lock whose holder hosts the group's engine. */
export function hostLock(group: string): string {
  return `inpage:host:${group}`;
}

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
