/** What a build copies of others has its licence beside it. */
import { expect, it } from 'vitest';
import { writeNotices } from '../../.ci/third-party-notices.js';

it.each([
  ['onnxruntime-web', 'Copyright (c) Microsoft Corporation', 'THE SOFTWARE IS PROVIDED "AS IS"'],
  ['@mlc-ai/web-xgrammar', 'Apache License', 'END OF TERMS AND CONDITIONS'],
  ['@mlc-ai/web-llm', 'Apache License', 'END OF TERMS AND CONDITIONS'],
  ['onnxruntime-web', 'https://github.com/abseil/abseil-cpp', 'google/XNNPACK'],
  ['hono', 'MIT License', 'THE SOFTWARE IS PROVIDED "AS IS"'],
])('the notices hold the licence of %s', (name, begin, end) => {
  const notices = writeNotices([`node_modules/${name}`]);
  expect(notices).toContain(begin);
  expect(notices).toContain(end);
});
