/** What made models that see are shown. */
/** A picture of one grey. */
export interface Picture {
  width: number;
  height: number;
  /** 0 to 255. */
  grey: number;
}

/** Wide and tall; what each class makes of them is written below. */
export const PICTURES = [
  { width: 84, height: 56, grey: 204 },
  { width: 56, height: 112, grey: 153 },
] as const satisfies readonly Picture[];
