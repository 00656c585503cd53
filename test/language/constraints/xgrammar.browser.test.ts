import { describe, expect, it, vi } from 'vitest';
import { compileConstraint } from '../../../src/language/constraints/compile-constraint.js';
import { loadXgrammar } from '../../../src/language/constraints/load-xgrammar.js';
import { grammarEngineFor } from '../../../src/language/constraints/xgrammar.js';
import { ask } from './support/ask.js';
import { tinyChatTokenizer } from './support/tiny-chat-tokenizer.js';
import { randomWalk, seededRandom } from './support/walk.js';

describe('the grammar engine', () => {
  it('comes back after an abort', async () => {
    const tokenizer = await tinyChatTokenizer();
    for (let round = 0; round < 3; round += 1) {
      const engine = await grammarEngineFor(tokenizer);
      await expect(engine.begin({ masks: 'root ::= ((' }, 1)).rejects.toMatchObject({ code: 'internal' });
      const compiled = await compileConstraint(ask({ output: { type: 'json-object' } }), {
        tokenizer,
        toolFormat: 'hermes',
        reasoningFormat: 'none',
        reasoningOpen: false,
      });
      expect(await grammarEngineFor(tokenizer)).not.toBe(engine);
      const walk = randomWalk(tokenizer, compiled!.start(), { random: seededRandom(round) });
      expect(JSON.parse(walk.text)).toBeTypeOf('object');
    }
  });

  it('is one for all requests of a tokenizer', async () => {
    const tokenizer = await tinyChatTokenizer();
    expect(await grammarEngineFor(tokenizer)).toBe(await grammarEngineFor(tokenizer));
  });

  it('keeps up to 32 grammars and serves more', async () => {
    const tokenizer = await tinyChatTokenizer();
    const engine = await grammarEngineFor(tokenizer);
    const [kept] = await engine.begin({ masks: 'root ::= "first"' }, 1);
    for (let index = 0; index < 40; index += 1) {
      const [position] = await engine.begin({ masks: `root ::= "${index}" [a-z]` }, 1);
      expect(position!.forcedText()).toBe(String(index));
      position!.dispose();
    }
    expect(kept!.forcedText()).toBe('first');
    kept!.dispose();
  });

  it('[X26] compiles anew for another caller', async () => {
    const tokenizer = await tinyChatTokenizer();
    const engine = await grammarEngineFor(tokenizer);
    const { GrammarCompiler } = (await loadXgrammar()).api;
    const compile = vi.spyOn(GrammarCompiler.prototype, 'compileGrammar');
    for (const owner of ['a', 'b', 'a', 'b', undefined]) {
      const [position] = await engine.begin({ masks: 'root ::= "of one caller"', owner }, 1);
      position!.dispose();
    }
    expect(compile).toHaveBeenCalledTimes(3);
    compile.mockRestore();
  });

  it('does not let through what merged options would', async () => {
    const tokenizer = await tinyChatTokenizer();
    const schema = { enum: [25, 5, 75, 0.25, 0.5, 0.75] };
    const model = { tokenizer, toolFormat: 'hermes', reasoningFormat: 'none', reasoningOpen: false } as const;
    for (let seed = 0; seed < 40; seed += 1) {
      const output = { type: 'json-schema', name: 'x', schema, strict: true } as const;
      const state = (await compileConstraint(ask({ output }), model))!.start();
      const walk = randomWalk(tokenizer, state, { random: seededRandom(seed) });
      expect(schema.enum).toContain(JSON.parse(walk.text));
      state.dispose();
    }
  });

  it('gives each choice its own state, and no more than asked for', async () => {
    const tokenizer = await tinyChatTokenizer();
    const model = { tokenizer, toolFormat: 'hermes', reasoningFormat: 'none', reasoningOpen: false } as const;
    const compiled = await compileConstraint(ask({ n: 2, output: { type: 'json-object' } }), model);
    const [first, second] = [compiled!.start(), compiled!.start()];
    first.accept(tokenizer.encodeText('{')[0]!);
    const logits = new Float32Array(tokenizer.vocabularySize);
    second.maskLogits(logits);
    expect(logits[tokenizer.encodeText('{')[0]!]).toBe(0);
    expect(() => compiled!.start()).toThrow('More grammars');
    expect(() => first.accept(tokenizer.encodeText('x')[0]!)).toThrow('its grammar does not allow');
  });
});
