import { eventKinds } from '../../../../src/contract/catalogue.ts';
import { fixture } from '../../../support/fixtures.ts';
import type { Draws } from '../../kit/seed.ts';
import { escapedJson, hostileCharacters, injections } from './texts.ts';

const EVERY_CHARACTER = hostileCharacters.join('');

/**
 * Envelopes of all kinds with a hostile text in the place of each text in turn, and of kinds, ids and keys
 * that are hostile themselves. No two are alike.
 */
export function* hostileEnvelopes({ between }: Draws): Generator<string> {
  let turn = 0;
  const next = (): string => {
    turn += 1;
    return `${String(turn)} ${injections[turn % injections.length] ?? ''} ${EVERY_CHARACTER}`;
  };
  /** With its text as it is, or all of it escaped. */
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
    yield `{"type":"odd.${String(turn)}","data":{"id":${spelled(injection)},"text":${spelled(next())}}}`;
  }
  // Of a kind, control characters are refused, and all others are not.
  for (const character of hostileCharacters)
    yield `{"type":${spelled(`odd.${character}.made`)},"data":{"id":"${String((turn += 1))}"}}`;
}
