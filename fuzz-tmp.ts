import { Ajv2020 } from 'ajv/dist/2020.js';
import * as ajvFormats from 'ajv-formats';
import * as fc from 'fast-check';
import { combinedSchema } from './test/model/constraints/support/combined-schema.js';
import { grammarOf } from './test/model/constraints/support/engine-accepts.js';
import { sampleEbnf } from './test/model/constraints/support/sample-ebnf.js';
import { seededRandom } from './test/model/constraints/support/walk.js';
const seed = Number(process.argv[2] ?? 1), N = Number(process.argv[3] ?? 3000);
const random = seededRandom(seed);
const reasons = new Map<string, number>();
let written = 0, bad = 0, slow = 0; const samples: string[] = [];
const t0 = Date.now();
for (const schema of fc.sample(combinedSchema, { numRuns: N, seed })) {
  let g: string; const t = Date.now();
  try { g = grammarOf(schema); } catch (e) { const m = (e as Error).message.replace(/`[^`]*`/, '…').slice(0, 90); reasons.set(m, (reasons.get(m) ?? 0) + 1); if (m.includes('at once') && samples.length < 12) samples.push(JSON.stringify(schema)); if (!('code' in (e as object))) console.log('CRASH', e); continue; }
  slow = Math.max(slow, Date.now() - t);
  written++;
  const ajv = new Ajv2020({ strict: false }); (ajvFormats as any).default.default?.(ajv) ?? (ajvFormats as any).default(ajv);
  const ok = ajv.compile(schema as object);
  for (let i = 0; i < 15; i++) { const text = sampleEbnf(g, random); let v; try { v = JSON.parse(text); } catch { console.log('NOTJSON', text, JSON.stringify(schema)); continue; }
    if (!ok(v)) { bad++; if (bad < 8) console.log('BAD', text, JSON.stringify(schema)); break; } }
}
console.log({ N, written, bad, slow, ms: Date.now() - t0 }, [...reasons].sort((a, b) => b[1] - a[1]).slice(0, 12));
for (const s of samples) console.log(s);
