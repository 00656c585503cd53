/** Which models cannot run on this device, or hardly: what `inference.estimate` says of them. @module */
import type { EstimateReason } from '../../core/models/model-estimate.js';
import { listStored } from '../../store/list-stored.js';
import { estimateModel } from './estimate-model.js';
import { type Check, type CheckResult, problem, warning } from './finding.js';

/** Nothing of models that fit, and of WebGPU, which has a check of its own. Hubs are not asked: of their models only what is stored has a size. */
export const modelFits: Check = async ({ models, hub }) => {
  const sources = { models, load: { pageURL: document.baseURI, ...(hub !== undefined && { hub }) } };
  const stored = await listStored(sources).catch(() => []);
  const isOwn = (url: string): boolean => new URL(url).origin === location.origin;
  const found = models.map(async ({ id, fallback }) => {
    const { reasons, verdict } = await estimateModel(id, sources, { stored: async () => stored, mayAsk: isOwn });
    const told = reasons.filter(({ code }) => code !== 'webgpu');
    const level = verdict === 'no' && fallback === undefined ? problem : warning;
    return told.length === 0 ? [] : [tell(level, id, told)];
  });
  // A list that cannot be had is told by the check of the files.
  const settled = await Promise.allSettled(found);
  return settled.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
};

function tell(level: typeof problem, id: string, reasons: readonly EstimateReason[]): CheckResult {
  const [messages, cures] = [reasons.map(({ message }) => message), reasons.flatMap(({ cure }) => cure ?? [])];
  return level(`\`${id}\`: ${messages.join(' ')}`, cures.join(' '));
}
