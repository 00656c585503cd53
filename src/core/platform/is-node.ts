/** Whether this is Node: its main thread or one of its threads, which have a navigator as a browser's worker has it. Node 20 has none. */
export function isNode(): boolean {
  return (globalThis.navigator?.userAgent ?? 'Node.js').startsWith('Node.js');
}
