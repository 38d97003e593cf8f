const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** `1.4 MiB`. */
export function readableBytes(bytes: number): string {
  const power = bytes < 1024 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), UNITS.length - 1);
  const value = bytes / 1024 ** power;
  return `${power === 0 ? String(value) : value.toFixed(1)} ${UNITS[power]!}`;
}
