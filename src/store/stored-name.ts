/** Names of folders and files in storage: URLs and paths are too long for them, and hold slashes. @module */
import { sha256 } from './digest.js';

const names = new Map<string, Promise<string>>();

/** 32 characters that stand for a text. */
export function storedName(text: string): Promise<string> {
  let name = names.get(text);
  if (!name) {
    name = sha256(new TextEncoder().encode(text)).then((digest) => digest.slice(0, 32));
    names.set(text, name);
  }
  return name;
}
