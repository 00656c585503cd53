/** Where the Vite plugin has put folders of `inpage pack`. @module */
import { APP_BASE } from './app-base.js';

/** Set by the Vite plugin: URLs with a hash, by the path that entries name; absent with other bundlers. */
declare const INPAGE_PACKED: Readonly<Record<string, string>> | undefined;

const PACKED = typeof INPAGE_PACKED === 'object' ? INPAGE_PACKED : {};

/** A URL in a packed folder, below the name with its hash; any other as it is. */
export function packedURL(url: string): string {
  const path = `/${(url.startsWith(APP_BASE) ? url.slice(APP_BASE.length) : url).replace(/^\.?\//, '')}`;
  const folder = Object.keys(PACKED).find((name) => `${path}/`.startsWith(`${name}/`));
  return folder === undefined ? url : PACKED[folder]! + path.slice(folder.length);
}
