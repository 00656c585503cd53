/** `12 kB`, `6.9 MB`, `1.2 GB`; nothing said for an unknown size. */
export function formatBytes(bytes: number | undefined): string {
  if (!bytes) return '?';
  if (bytes < 1e5) return `${Math.ceil(bytes / 1000)} kB`;
  if (bytes >= 1e8 && bytes < 1e9) return `${Math.round(bytes / 1e6)} MB`;
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}
