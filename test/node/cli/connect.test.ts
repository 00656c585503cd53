import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { connect } from '../../../src/node/cli/connect.js';
import { PROGRAMS } from '../../../src/node/cli/connected-programs.js';

const MODELS = [
  { id: 'ears', context_length: 448, vendor_metadata: { capabilities: ['transcription'] } },
  { id: 'it"s', context_length: 32_768, vendor_metadata: { capabilities: ['chat', 'completion'] } },
];

let server: Server;
let url: string;
const home = mkdtempSync(join(tmpdir(), 'inpage-connect-'));

beforeAll(async () => {
  server = createServer((_, response) => response.end(JSON.stringify({ data: MODELS })));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  vi.stubEnv('HOME', home);
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

describe('inpage connect', () => {
  it.each(Object.keys(PROGRAMS))('%s: names base and model', async (program) => {
    const text = await printed(program);
    expect(text).toContain(url.replace('/v1', ''));
    expect(program === 'open-webui' || /it\\?"s/.test(text)).toBe(true);
  });

  it('writes only when told to, and keeps what is there', async () => {
    await printed('opencode');
    const file = join(home, '.config/opencode/opencode.json');
    expect(() => readFileSync(file)).toThrow('ENOENT');
    await printed('opencode', { write: true });
    const first = JSON.parse(readFileSync(file, 'utf8'));
    expect(first.provider.inpage.options.baseURL).toBe(url);
    await printed('codex', { write: true });
    const toml = readFileSync(join(home, '.codex/config.toml'), 'utf8');
    expect(toml).toContain('model = "it\\"s"');
    expect(toml).toContain('wire_api = "responses"');
    await expect(printed('codex', { write: true, key: 'k', url: `${url}/` })).resolves.toBeDefined();
    await expect(printed('codex', { write: true, model: 'ears' })).rejects.toThrow('is there already');
  });

  it('says what else is to be done when it has written the file', async () => {
    expect(await printed('pi', { write: true })).toContain('--provider inpage');
    expect(await printed('codex', { write: true })).toContain('export INPAGE_API_KEY');
    const settings = await printed('claude-code', { write: true });
    expect(settings).not.toContain('export');
    const { env } = JSON.parse(readFileSync(join(home, '.claude/settings.json'), 'utf8'));
    expect(env).toMatchObject({ ANTHROPIC_MODEL: 'it"s', CLAUDE_CODE_MAX_CONTEXT_TOKENS: '32768' });
  });

  it('says what is wrong', async () => {
    await expect(printed('emacs')).rejects.toThrow('is not a known program');
    await expect(printed('codex', { model: 'nobody' })).rejects.toThrow('Its models: ears, it"s.');
    await expect(printed('goose', { write: true })).rejects.toThrow('no configuration file');
    await expect(printed('codex', { url: 'http://127.0.0.1:9/v1' })).rejects.toThrow('--compatibility hosted');
  });
});
