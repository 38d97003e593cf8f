import type { Random } from '../../src/kernel/random.ts';
import type { Place } from './brazilian-places.ts';
import { givenNames, particles, surnames } from './brazilian-names.ts';
import { characters, DIGITS, pick } from './pick.ts';

/** Of the people, those with a second given name. */
const SECOND_NAME_SHARE = 0.3;
/** Of the surnames that can have a particle, those that do. */
const PARTICLE_SHARE = 0.6;

/** `José Carlos da Silva Rocha`: one or two given names, two surnames. */
export function inventName(random: Random): string {
  const first = pick(random, givenNames);
  const second = pick(random, givenNames);
  const names = [first, ...(random() < SECOND_NAME_SHARE && second !== first ? [second] : [])];
  const last = pick(random, surnames);
  const particle = random() < PARTICLE_SHARE ? (particles[last] ?? []) : [];
  return [...names, pick(random, surnames), ...particle, last].join(' ');
}

/** An address of a domain that is nobody's (RFC 2606). @param number makes it differ from those of the same name. */
export function emailOf(name: string, number: number, domain: string): string {
  const words = plainWords(name);
  return `${words[0] ?? 'contato'}.${words.at(-1) ?? 'frota'}${String(number)}@${domain}`;
}

/** Letters a to z, a word for each word. */
function plainWords(text: string): string[] {
  return text
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/[^a-z ]/gu, '')
    .split(' ')
    .filter((word) => word !== '');
}

/**
 * A mobile phone with the area code of a place, digits only. It begins with 90 and
 * is nobody's: that is what collect calls are dialled with, so no number can.
 */
export function inventPhone(random: Random, { areaCode }: Pick<Place, 'areaCode'>): string {
  return `${areaCode}90${characters(random, DIGITS.slice(1), 1)}${characters(random, DIGITS, 6)}`;
}
