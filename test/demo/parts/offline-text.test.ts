import { expect, it } from 'vitest';
import { offlineText } from '../../../demo/parts/offline-text.js';

it.each([
  ['absent', true, true, ' · works offline'],
  ['ready', true, false, ' · works offline'],
  ['absent', true, false, ''],
  ['loading', true, false, ''],
  ['ready', false, true, ''],
  ['failed', true, true, ''],
])('a model that is %s (page copied: %s, bundled: %s) says "%s"', (state, isCopied, isBundled, text) => {
  expect(offlineText(true, { state, isCopied, isBundled })).toBe(text);
  expect(offlineText(false, { state, isCopied, isBundled })).toBe(' · offline');
});
