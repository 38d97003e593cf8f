import { Agent } from 'node:http';
import { expect } from 'vitest';
import type { Store } from '../../../src/store/store.ts';
import { fixture } from '../../support/fixtures.ts';
import { serve, type RunningPortaria } from '../../support/running-portaria.ts';
import { recording, workshop } from '../../support/workshop.ts';
import { printFigures } from './figures.ts';
import { readBeside, wrongWith } from './kept.ts';
import { poster, type Body, type TimedAnswer } from './poster.ts';
import { allHandled } from './statistics.ts';

/** In milliseconds, on however busy a machine: what takes long holds up everybody else for as long. */
const SLOWEST_MS = 5_000;
/** Bodies that {@link Target.takeAll} has on their way at a time. */
const CONNECTIONS = 32;

/** A running Portaria whose handler looks at all it gets, and for damage done to the process. */
export interface Target {
  readonly env: Readonly<Record<string, string>>;
  readonly running: RunningPortaria;
  readonly store: Store;
  /** Posts it and checks the answer against the store. */
  take(body: Body): Promise<TimedAnswer>;
  /** The same of many, not one after the other; the answers in the order of the bodies. */
  takeAll(bodies: readonly Body[]): Promise<readonly TimedAnswer[]>;
  /** All was handled, nothing broke, and it still takes an honest webhook. Prints the figures. */
  close(what: string, figures?: Readonly<Record<string, number>>): Promise<void>;
}

export async function startTarget(): Promise<Target> {
  const place = workshop();
  place.writeHandler(
    'looks.ts',
    `${recording(place)}
    export default defineHandler({
      name: 'looks',
      on: '*',
      stale: true,
      retry: { attempts: 1 },
      breaker: { failures: 100_000 },
      handle(event) {
        JSON.stringify(event);
        const plain: Record<string, unknown> = {};
        if ('polluted' in plain || Object.getPrototypeOf(event.data ?? 0)?.polluted !== undefined)
          throw new Error('a prototype was polluted');
      },
    });`,
  );
  const env = {
    PORTARIA_DATABASE: place.database,
    PORTARIA_HANDLERS: place.handlers,
    PORTARIA_MAX_BODY: '2097152',
  };
  const running = await serve(env);
  const store = await readBeside(place.database);
  const post = poster(running.url, new Agent({ keepAlive: true, maxSockets: CONNECTIONS }));
  const statuses = new Map<number, number>();
  let slowestMs = 0;

  async function take(body: Body): Promise<TimedAnswer> {
    const answer = await post(body);
    slowestMs = Math.max(slowestMs, answer.ms);
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    const wrong = await wrongWith(store, body, answer);
    if (wrong !== undefined)
      throw new Error(
        `${wrong}: ${Buffer.from(body as string)
          .toString('latin1')
          .slice(0, 500)}`,
      );
    return answer;
  }

  return {
    env,
    running,
    store,
    take,
    async takeAll(bodies) {
      const answers: TimedAnswer[] = [];
      for (let at = 0; at < bodies.length; at += CONNECTIONS)
        answers.push(...(await Promise.all(bodies.slice(at, at + CONNECTIONS).map(take))));
      return answers;
    },
    async close(what, figures = {}) {
      const { dead } = (await allHandled(running)).deliveries;
      const count = (...of: number[]): number =>
        of.reduce((sum, status) => sum + (statuses.get(status) ?? 0), 0);
      printFigures(what, {
        bodies: count(...statuses.keys()),
        taken: count(202),
        repeats: count(200),
        refused: count(400, 422),
        dead,
        slowestMs: Math.round(slowestMs),
        ...figures,
      });
      expect(dead).toBe(0);
      expect((await post(JSON.stringify(fixture('charge.created')))).status).toBeLessThan(203);
      expect(slowestMs).toBeLessThan(SLOWEST_MS);
      expectNoTrouble(running);
    },
  };
}

/** Nothing of what was sent is an error of Portaria's own. */
export function expectNoTrouble(running: RunningPortaria): void {
  expect(running.written()).not.toMatch(/"level":[56]0|"status":5\d\d/u);
}
