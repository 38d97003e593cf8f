import type { Random } from '../../src/kernel/random.ts';

/** One of them, each as likely as the others. */
export function pick<T>(random: Random, among: readonly [T, ...T[]]): T {
  return among[Math.floor(random() * among.length)] ?? among[0];
}

/** A whole number, both ends included. */
export function between(random: Random, least: number, most: number): number {
  return least + Math.floor(random() * (most - least + 1));
}

/** So many characters of an alphabet. */
export function characters(random: Random, alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet[Math.floor(random() * alphabet.length)] ?? '').join('');
}

export const DIGITS = '0123456789';
export const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
