/** All families of models that are known. @module */
import { apertus } from './apertus.js';
import { apriel } from './apriel.js';
import { commandR7b } from './command-r7b.js';
import { cohere2Moe } from './cohere2-moe.js';
import { commandR } from './command-r.js';
import { deepseek } from './deepseek.js';
import { deepseekV31 } from './deepseek-v31.js';
import { deepseekV32 } from './deepseek-v32.js';
import { exaoneDeep } from './exaone-deep.js';
import { functionary } from './functionary.js';
import { functionGemma } from './functiongemma.js';
import { gemma4 } from './gemma4.js';
import { gigaChat3 } from './gigachat3.js';
import { gigaChat31 } from './gigachat31.js';
import { glm45 } from './glm-45.js';
import { granite } from './granite.js';
import { granite20b } from './granite-20b.js';
import { granite33 } from './granite-33.js';
import { harmony } from './harmony.js';
import { hermes } from './hermes.js';
import { hunyuan } from './hunyuan.js';
import { internlm2 } from './internlm2.js';
import { jsonList } from './json-list.js';
import { kimiK2 } from './kimi-k2.js';
import { lfm2 } from './lfm2.js';
import { llama3 } from './llama3.js';
import { longcat } from './longcat.js';
import { miniCpm } from './minicpm.js';
import { minimaxM2 } from './minimax-m2.js';
import { mistral } from './mistral.js';
import type { ModelFamily } from './format/model-family.js';
import { nemotron } from './nemotron.js';
import { nemotronMini } from './nemotron-mini.js';
import { none } from './none.js';
import { olmo3 } from './olmo3.js';
import { phi4Mini } from './phi4-mini.js';
import { pythonic } from './pythonic.js';
import { qwen3Coder } from './qwen3-coder.js';
import { seedOss } from './seed-oss.js';
import { step3 } from './step3.js';
import { thinkBrackets } from './think-brackets.js';
import { thinkTags } from './think-tags.js';

/** Templates are shown to them in this order: of two that recognize one, the first is taken. */
export const MODEL_FAMILIES = [
  harmony,
  gemma4,
  functionGemma,
  seedOss,
  minimaxM2,
  kimiK2,
  deepseek,
  deepseekV31,
  deepseekV32,
  step3,
  gigaChat3,
  gigaChat31,
  functionary,
  apertus,
  apriel,
  cohere2Moe,
  commandR7b,
  commandR,
  internlm2,
  longcat,
  mistral,
  miniCpm,
  lfm2,
  olmo3,
  phi4Mini,
  granite,
  granite20b,
  granite33,
  nemotron,
  nemotronMini,
  hunyuan,
  jsonList,
  qwen3Coder,
  glm45,
  hermes,
  llama3,
  pythonic,
  thinkTags,
  thinkBrackets,
  exaoneDeep,
  none,
] satisfies readonly ModelFamily[];

/** How models call that were never taught tools: their prompt explains it. */
export const EXPLAINED_FORMAT = hermes.name;
