/** What the page and its workers take, as the browser counts it. */

interface MemoryMeasurement {
  bytes: number;
}

type MeasuringPerformance = Performance & { measureUserAgentSpecificMemory?: () => Promise<MemoryMeasurement> };

/** @returns undefined where the browser does not say: it must have the interface, and the page must be isolated */
export async function measureMemory(): Promise<number | undefined> {
  const { measureUserAgentSpecificMemory } = performance as MeasuringPerformance;
  if (!measureUserAgentSpecificMemory || !crossOriginIsolated) return undefined;
  try {
    return (await measureUserAgentSpecificMemory.call(performance)).bytes;
  } catch {
    return undefined;
  }
}
