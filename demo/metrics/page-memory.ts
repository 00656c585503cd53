/** What the page and its workers take, as the browser counts it. */

/** Bytes. */
export interface PageMemory {
  page: number;
  workers: number;
}

interface Breakdown {
  bytes: number;
  attribution: { scope: string }[];
}

type MeasuringPerformance = Performance & {
  measureUserAgentSpecificMemory?: () => Promise<{ breakdown: Breakdown[] }>;
};

/** @returns a sentence where the browser does not measure: it must have the interface, and the page must be isolated */
export async function measureMemory(): Promise<PageMemory | string> {
  const { measureUserAgentSpecificMemory } = performance as MeasuringPerformance;
  if (!crossOriginIsolated) return 'not measured: the page is not cross-origin isolated';
  if (!measureUserAgentSpecificMemory) return 'not measured: only Chromium-based browsers support this';
  try {
    const { breakdown } = await measureUserAgentSpecificMemory.call(performance);
    const isWorker = ({ attribution }: Breakdown): boolean => attribution.some(({ scope }) => scope !== 'Window');
    const sum = (parts: Breakdown[]): number => parts.reduce((total, { bytes }) => total + bytes, 0);
    return {
      page: sum(breakdown.filter((part) => !isWorker(part))),
      workers: sum(breakdown.filter(isWorker)),
    };
  } catch (error) {
    // So say browsers that put several sites into one process.
    if ((error as Error).name === 'SecurityError') return 'not measured: this browser does not allow it here';
    return `not measured: ${String(error)}`;
  }
}
