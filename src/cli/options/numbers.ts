import { InvalidArgumentError } from 'commander';

export function parseCount(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('Write a whole number, 1 or more.');
  return Number(text);
}

/** For rates: 0.5 is one every two seconds. */
export function parseRate(text: string): number {
  const rate = Number(text);
  if (!(rate > 0 && Number.isFinite(rate))) throw new InvalidArgumentError('Write a number above 0.');
  return rate;
}

export function parseWhole(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Write a whole number, 0 or more.');
  return Number(text);
}

export function parsePort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new InvalidArgumentError('Write a port, 0 to 65535.');
  return Number(text);
}
