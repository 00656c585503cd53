import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { connect } from '../../../src/tools/cli/connect.js';
import { PROGRAMS } from '../../../src/tools/cli/connected-programs.js';
import { readArguments } from '../../../src/tools/cli/read-arguments.js';

const EARS = { id: 'ears', context_length: 448, vendor_metadata: { capabilities: ['transcription'] } };
const CHAT = {
  id: `it"s $(touch made) \\ 'x'`,
  context_length: 32_768,
  vendor_metadata: { capabilities: ['chat', 'completion'], limits_known: true },
};

let server: Server;
let url: string;
let answer: unknown;
const home = mkdtempSync(join(tmpdir(), 'inpage-connect-'));

beforeAll(async () => {
  server = createServer((_, response) => response.end(typeof answer === 'string' ? answer : JSON.stringify(answer)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  vi.stubEnv('HOME', home);
});
beforeEach(() => {
  answer = { data: [EARS, CHAT] };
});
afterAll(() => {
  vi.unstubAllEnvs();
  server.close();
  rmSync(home, { recursive: true });
});
afterEach(() => vi.restoreAllMocks());

async function printed(program: string, values: Record<string, string | boolean> = {}): Promise<string> {
  let text = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((piece) => ((text += String(piece)), true));
  await connect.run([program], { url, ...values });
  return text;
}

/** What a POSIX shell makes of words. */
function inShell(words: string): string[] {
  const script = `cd "$1" && set -- ${words} && printf '%s\\n' "$@"`;
  return execFileSync('sh', ['-c', script, 'sh', home], { encoding: 'utf8' }).trimEnd().split('\n');
}

describe('inpage connect', () => {
  it.each(Object.keys(PROGRAMS))('%s: names base and model', async (program) => {
    const text = await printed(program);
    expect(text).toContain(url.replace('/v1', ''));
    expect(program === 'open-webui' || /it\\?"s/.test(text)).toBe(true);
  });

  it('writes no file, whatever it is told', async () => {
    expect(() => readArguments('inpage connect', connect, ['codex', '--write'])).toThrow('--write');
    for (const program of Object.keys(PROGRAMS)) await printed(program);
    for (const name of [
      '.codex',
      '.claude',
      '.config',
      '.continue',
      '.pi',
      '.qwen',
      '.aider.conf.yml',
      'litellm.yaml',
      'made',
    ])
      expect(existsSync(join(home, name))).toBe(false);
  });

  it('quotes a name for TOML, YAML, JSON and shells', async () => {
    const { id } = CHAT;
    const quoted = JSON.stringify(id);
    expect(await printed('codex')).toContain(`model = ${quoted}\n`);
    expect(await printed('continue')).toContain(`    model: ${quoted}\n`);
    const json = (await printed('opencode')).replace(/^# .*\n/, '');
    expect(JSON.parse(json)).toMatchObject({ model: `inpage/${id}`, provider: { inpage: { models: { [id]: {} } } } });
    const goose = await printed('goose');
    expect(inShell(/^export (GOOSE_MODEL=.*)$/m.exec(goose)![1]!)).toEqual([`GOOSE_MODEL=${id}`]);
    const cline = await printed('cline', { key: `k' ; touch made ; '` });
    for (const line of cline.match(/^ {2}cline .*$/gm)!) expect(inShell(line).at(-1)).toBe(id);
    expect(cline.match(/^ {2}cline auth .*$/m)!.map(inShell)[0]).toContain(`k' ; touch made ; '`);
    const grok = await printed('grok-cli');
    expect(inShell(/^export (GROK_MODEL=.*)$/m.exec(grok)![1]!)).toEqual([`GROK_MODEL=${id}`]);
    const nanocoder = await printed('nanocoder');
    const file = JSON.parse(/^\{[^]*^\}$/m.exec(nanocoder)![0]) as object;
    expect(file).toMatchObject({ nanocoder: { providers: [{ name: 'inpage', baseUrl: url, models: [id] }] } });
    const pi = await printed('pi');
    expect(inShell(/Start it with: (.*)$/m.exec(pi)![1]!)).toEqual(['pi', '--provider', 'inpage', '--model', id]);
    expect(existsSync(join(home, 'made'))).toBe(false);
  });

  it('quotes it for what Python programs read, too', async () => {
    const { id } = CHAT;
    const quoted = JSON.stringify(id);
    expect(await printed('python')).toContain(`model=${quoted}`);
    const litellm = await printed('litellm');
    expect(litellm).toContain(`model: ${JSON.stringify(`openai/${id}`)}\n`);
    expect(litellm).toContain(`export OPENAI_API_BASE='${url}'`);
    const llm = await printed('llm');
    expect(llm).toContain(`model_id: ${quoted}\n`);
    expect(inShell(/Start it with: (.*)$/m.exec(llm)![1]!)).toEqual(['llm', '-m', id, '--key', 'none', 'Hi']);
    const aider = await printed('aider');
    expect(aider).toContain('edit-format: whole\n');
    expect(JSON.parse(/^\{[^]*^\}$/m.exec(aider)![0])).toEqual({
      [`openai/${id}`]: { max_input_tokens: 32_768, max_output_tokens: 8192, litellm_provider: 'openai', mode: 'chat' },
    });
  });

  it('points Open WebUI at models of other tasks, where there are some', async () => {
    const vectors = { id: 'vectors', context_length: 256, vendor_metadata: { capabilities: ['embeddings'] } };
    const voice = { id: 'voice', context_length: 256, vendor_metadata: { capabilities: ['speech'] } };
    answer = { data: [EARS, CHAT, vectors, voice] };
    const all = await printed('open-webui');
    for (const line of [
      "RAG_EMBEDDING_ENGINE='openai'",
      "RAG_EMBEDDING_MODEL='vectors'",
      `RAG_OPENAI_API_BASE_URL='${url}'`,
      "AUDIO_STT_MODEL='ears'",
      "AUDIO_TTS_MODEL='voice'",
      `AUDIO_TTS_OPENAI_API_BASE_URL='${url}'`,
    ])
      expect(all).toContain(`export ${line}\n`);
    expect(all).toContain('`truncate: true`');
    answer = { data: [CHAT] };
    expect(await printed('open-webui')).not.toMatch(/RAG|AUDIO/);
  });

  it.each([
    ['a text for a number', { ...CHAT, context_length: '4096\n\n[mcp_servers.evil]\ncommand = "sh"' }],
    ['a fraction', { ...CHAT, context_length: 0.5 }],
    ['a number below one', { ...CHAT, context_length: -1 }],
    ['a name of two lines', { ...CHAT, id: 'a\nmcpServers: []' }],
    ['an escape sequence', { ...CHAT, id: '\u001b]0;title\u0007' }],
    ['letters in another order', { ...CHAT, id: 'a\u202egro' }],
    ['half a character', { ...CHAT, id: '\ud800' }],
    ['a flag', { ...CHAT, id: '--yolo' }],
    ['an object for a name', { ...CHAT, id: { toString: 'x' } }],
    ['a very long name', { ...CHAT, id: 'a'.repeat(501) }],
    ['a variable', { ...CHAT, id: 'a$SECRET' }],
    ['a variable in braces', { ...CHAT, id: '${SECRET}' }],
    ['a secret', { ...CHAT, id: '${{ secrets.KEY }}' }],
    ['a file', { ...CHAT, id: '{file:~/.ssh/id_rsa}' }],
    ['a variable as opencode names it', { ...CHAT, id: '{env:SECRET}' }],
    ['a variable as litellm names it', { ...CHAT, id: 'os.environ/SECRET' }],
  ])('%s in the list of models is printed by no program', async (_, model) => {
    for (const list of [[model], [EARS, CHAT, model]]) {
      answer = { data: list };
      for (const program of Object.keys(PROGRAMS))
        await expect(printed(program)).rejects.toThrow(
          /has a wrong value at `data\.\d\.(id|context_length)`\. Is another/,
        );
    }
  });

  it('another answer than a list of models is refused', async () => {
    for (answer of ['<html>', 'null', '[]', '{"data":{}}'])
      await expect(printed('codex')).rejects.toThrow('list of models');
  });

  it('prints the limits of a model that was loaded, and none that the service only assumes', async () => {
    const limits = /context_window|MAX_(PROMPT|OUTPUT)|CONTEXT|contextLength|contextWindow|max_?tokens|"limit"|32768/i;
    expect(await printed('codex')).toContain('model_context_window = 32768\n');
    expect(await printed('claude-code')).toContain("CLAUDE_CODE_MAX_CONTEXT_TOKENS='32768'");
    expect(await printed('copilot')).toContain(
      "MAX_PROMPT_TOKENS='24576'\nexport COPILOT_PROVIDER_MAX_OUTPUT_TOKENS='8192'",
    );
    expect(await printed('nanocoder')).toContain('"contextWindow": 32768');
    for (const limits_known of [false, undefined]) {
      answer = { data: [{ ...CHAT, vendor_metadata: { ...CHAT.vendor_metadata, limits_known } }] };
      for (const program of Object.keys(PROGRAMS)) {
        const text = await printed(program);
        expect(text).toMatch(/^# The context length of .* is known once it is loaded/);
        expect(text.replace(/^# The context length.*\n/, '')).not.toMatch(limits);
      }
    }
  });

  it('says what is wrong', async () => {
    answer = { data: [EARS, { ...CHAT, id: 'chat' }] };
    await expect(printed('emacs')).rejects.toThrow('is not a known program');
    await expect(printed('codex', { model: 'nobody' })).rejects.toThrow('Its models: ears, chat.');
    await expect(printed('codex', { url: 'http://127.0.0.1:9/v1' })).rejects.toThrow('--compatibility hosted');
    await expect(printed('codex', { url: `${url}\n[evil]` })).rejects.toThrow('--url');
    await expect(printed('codex', { key: 'a\nb' })).rejects.toThrow('--key');
  });
});
