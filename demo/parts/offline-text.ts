/** What the status pill says of the network. @module */

/**
 * @param state of the shown model
 * @param isCopied the page, its engine and the bundled models are stored
 * @param isBundled the shown model is one of these
 */
export function offlineText(
  isOnline: boolean,
  { state, isCopied, isBundled }: { state: string; isCopied: boolean; isBundled: boolean },
): string {
  if (!isOnline) return ' · offline';
  const isThere = isBundled || state === 'ready' || state === 'busy';
  return isCopied && isThere && state !== 'failed' ? ' · works offline' : '';
}
