import { Agent } from 'node:http';
import { expect } from 'vitest';
import type { Store } from '../../../../src/store/store.ts';
import { fixture } from '../../../support/webhooks/fixtures.ts';
import { serve, type RunningPortaria } from '../../../support/running-portaria.ts';
import { recording, createWorkspace } from '../../../support/workspace.ts';
import { printFigures } from '../figures.ts';
import { openBeside, problemWith } from '../check-stored.ts';
import { poster, type Body, type TimedResponse } from '../senders/poster.ts';
import { allHandled } from '../statistics.ts';

/** The number of bodies that {@link Target.postAll} has in flight. */
const CONNECTIONS = 32;

/** A running Portaria under attack. Its handler reads every event and checks the process for prototype pollution. */
export interface Target {
  readonly env: Readonly<Record<string, string>>;
  readonly running: RunningPortaria;
  readonly store: Store;
  /** Posts a body and checks the response against the store. */
  post(body: Body): Promise<TimedResponse>;
  /** Posts many bodies concurrently. Returns the responses in the order of the bodies. */
  postAll(bodies: readonly Body[]): Promise<readonly TimedResponse[]>;
  /** Checks that every event was handled, nothing broke and a valid webhook is accepted. Prints the figures. */
  close(what: string, figures?: Readonly<Record<string, number>>): Promise<void>;
}

export async function startTarget(): Promise<Target> {
  const workspace = createWorkspace();
  workspace.writeHandler(
    'reads.ts',
    `${recording(workspace)}
    export default defineHandler({
      name: 'reads',
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
    PORTARIA_DATABASE: workspace.database,
    PORTARIA_HANDLERS: workspace.handlers,
    PORTARIA_MAX_BODY: '2097152',
  };
  const running = await serve(env);
  const store = await openBeside(workspace.database);
  const send = poster(running.url, new Agent({ keepAlive: true, maxSockets: CONNECTIONS }));
  const statuses = new Map<number, number>();
  let slowestMs = 0;

  async function post(body: Body): Promise<TimedResponse> {
    const response = await send(body);
    slowestMs = Math.max(slowestMs, response.ms);
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
    const problem = await problemWith(store, body, response);
    if (problem !== undefined)
      throw new Error(
        `${problem}: ${Buffer.from(body as string)
          .toString('latin1')
          .slice(0, 500)}`,
      );
    return response;
  }

  return {
    env,
    running,
    store,
    post,
    async postAll(bodies) {
      const responses: TimedResponse[] = [];
      for (let at = 0; at < bodies.length; at += CONNECTIONS)
        responses.push(...(await Promise.all(bodies.slice(at, at + CONNECTIONS).map(post))));
      return responses;
    },
    async close(what, figures = {}) {
      const { dead } = (await allHandled(running)).deliveries;
      const count = (...of: number[]): number =>
        of.reduce((sum, status) => sum + (statuses.get(status) ?? 0), 0);
      printFigures(what, {
        bodies: count(...statuses.keys()),
        accepted: count(202),
        repeats: count(200),
        rejected: count(400, 422),
        dead,
        slowestMs: Math.round(slowestMs),
        ...figures,
      });
      expect(dead).toBe(0);
      expect((await send(JSON.stringify(fixture('charge.created')))).status).toBeLessThan(203);
      expectNoErrors(running);
    },
  };
}

/** Checks that Portaria logged no error and sent no 5xx response. */
export function expectNoErrors(running: RunningPortaria): void {
  expect(running.written()).not.toMatch(/"level":[56]0|"status":5(?!01)\d\d/u);
}
