import { eventKinds } from '../../../../src/contract/catalogue.ts';
import { fixture } from '../../../support/webhooks/fixtures.ts';
import type { Draws } from '../../kit/seed.ts';
import { escapedJson, hostileCharacters, injections } from './texts.ts';

const EVERY_CHARACTER = hostileCharacters.join('');

/**
 * Envelopes of every kind in which one string after the other is hostile, and envelopes with hostile
 * kinds, ids and keys. No two are equal.
 */
export function* hostileEnvelopes({ between }: Draws): Generator<string> {
  let number = 0;
  const next = (): string => {
    number += 1;
    return `${String(number)} ${injections[number % injections.length] ?? ''} ${EVERY_CHARACTER}`;
  };
  /** The string as JSON, with or without escapes for every character. */
  const spelled = (text: string): string => (between(0, 1) === 0 ? JSON.stringify(text) : escapedJson(text));

  for (const kind of eventKinds) {
    const whole = JSON.stringify(fixture(kind).data);
    for (const { index, 0: text, 1: colon } of whole.matchAll(/"(?:[^"\\]|\\.)*"(:?)/gu))
      if (colon === '')
        yield `{"type":"${kind}","data":${whole.slice(0, index)}${spelled(next())}${whole.slice(index + text.length)}}`;
    const more = `${whole.slice(0, -1)},${spelled(next())}:${spelled(next())}}`;
    yield `{"type":"${kind}","data":${more}}`;
  }
  for (const injection of injections) {
    yield `{"type":${spelled(`${injection.slice(0, 150)}.made`)},"data":{"id":${spelled(next())}}}`;
    yield `{"type":"odd.${String(number)}","data":{"id":${spelled(injection)},"text":${spelled(next())}}}`;
  }
  // A kind may not hold control characters, but any other character.
  for (const character of hostileCharacters)
    yield `{"type":${spelled(`odd.${character}.made`)},"data":{"id":"${String((number += 1))}"}}`;
}
