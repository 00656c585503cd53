/** Where site data is blocked the browser has Service Workers, and refuses to say which are registered. */
import { afterEach, expect, it, vi } from 'vitest';
import { otherServiceWorkers } from '../../../src/page/diagnosis/service-worker-checks.js';
import type { Subject } from '../../../src/page/diagnosis/finding.js';
import { uninstallInference } from '../../../src/page/uninstall-inference.js';

afterEach(() => void vi.unstubAllGlobals());

function refuseRegistrations(): void {
  const getRegistrations = () => Promise.reject(new DOMException('The user denied permission.', 'SecurityError'));
  vi.stubGlobal('navigator', { serviceWorker: { getRegistrations } });
  vi.stubGlobal('document', { baseURI: 'https://app.example/' });
}

it('diagnose says what to do', async () => {
  refuseRegistrations();
  const subject = { serviceWorker: 'https://app.example/inpage-sw.js' } as Subject;
  expect(await otherServiceWorkers(subject)).toMatchObject({
    level: 'problem',
    message: 'the browser refuses Service Workers for this site',
    fix: expect.stringContaining('serviceWorker: false') as string,
  });
});

it('uninstall finds none to remove', async () => {
  refuseRegistrations();
  expect(await uninstallInference()).toBe(false);
});
