import { describe, expect, it } from 'vitest';
import { ARCHITECTURES } from '../../../../src/engines/gguf/architectures.js';
import { planModel } from '../../../../src/engines/gguf/model-plan.js';
import { isPlain } from '../../../../src/engines/gguf/webgpu/plain-layers.js';
import { architectureOf, madeFile } from '../support/made-architectures.js';
import { MADE_DECODERS } from '../support/made-decoders.js';
import { TINY_ARCHITECTURES, type TinyArchitectureName } from '../support/tiny-architectures.js';
import { tinyFile } from '../support/tiny-file.js';
import { headerOf } from '../support/tiny-model.js';

/** Files of each architecture, by what they are. */
const FILES: Readonly<Record<string, () => Uint8Array>> = {
  ...Object.fromEntries(
    Object.keys(TINY_ARCHITECTURES).map((name) => [
      name,
      () => tinyFile({ architecture: name as TinyArchitectureName }),
    ]),
  ),
  ...Object.fromEntries(Object.keys(MADE_DECODERS).map((name) => [name, () => madeFile(name)])),
};

describe('[W64] decoders that shaders compute', () => {
  it('are all that run on WASM', () => {
    expect(new Set(Object.keys(FILES).map(architectureOf))).toEqual(new Set(Object.keys(ARCHITECTURES)));
  });

  it.each(Object.entries(FILES))('%s', async (_, file) => {
    expect(isPlain(planModel(await headerOf(file())))).toBe(true);
  });
});
