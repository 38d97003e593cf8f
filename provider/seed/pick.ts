/** Draws values of generated records. */
import type { Random } from '../../src/kernel/random.ts';

/** Picks a value at random, all with the same probability. */
export function pick<T>(random: Random, values: readonly [T, ...T[]]): T {
  return values[Math.floor(random() * values.length)] ?? values[0];
}

/** Returns the value for a record's number (from 0): all values in turn, then again from the first. */
export function cycle<T>(values: readonly [T, ...T[]], number: number): T {
  return values[number % values.length] as T;
}

/** Draws an integer between two bounds, both included. */
export function between(random: Random, min: number, max: number): number {
  return min + Math.floor(random() * (max - min + 1));
}

/** Draws a string of characters of an alphabet. */
export function characters(random: Random, alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet[Math.floor(random() * alphabet.length)] ?? '').join('');
}

export const DIGITS = '0123456789';
export const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
