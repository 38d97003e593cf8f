/** The program that rehearses the handlers of its environment, and writes what they do. */
import { createReadStream, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { Worker } from 'node:worker_threads';
import { loadConfig } from '../../../config/load-config.ts';
import { createIdentify } from '../../../identify/identify.ts';
import { PortariaError } from '../../../kernel/errors.ts';
import { failureReason } from '../../../kernel/failure-reason.ts';
import { seededRandom } from '../../../kernel/random.ts';
import { loadProviderApi } from '../../../load-provider-api.ts';
import { loadRegistry } from '../../../load-registry.ts';
import { createParse } from '../../../parse/parse.ts';
import { openStore } from '../../../store/open-store.ts';
import type { Store } from '../../../store/store.ts';
import { processTerminal } from '../../terminal/process-terminal.ts';
import { requireDatabase } from '../../with-store.ts';
import { importLines } from '../events/import-lines.ts';
import { enterEventTime, scope, type Own } from '../../../rehearse/event-time.ts';
import { closeNetwork } from '../../../rehearse/no-network.ts';
import type { ApartRehearsal, Said } from '../../../rehearse/protocol.ts';
import { rehearseEvents } from '../../../rehearse/rehearse-events.ts';

// A handler that blocks this process does not see its parent end.
const endWithParent = `setInterval(() => process.ppid === ${String(process.ppid)} || process.kill(process.pid, 'SIGKILL'), 250)`;
new Worker(endWithParent, { eval: true }).unref();
const told = JSON.parse(await text(process.stdin)) as ApartRehearsal;
// On lines of their own: handlers may write there, too.
const say = (said: Said): void => void writeSync(3, `\n${told.mark}${JSON.stringify(said)}\n`);
const terminal = processTerminal();
const { clock } = terminal;
// As in `serve`, what a handler leaves uncaught ends nothing.
terminal.onUncaught(() => undefined);
enterEventTime();
closeNetwork(told.answers);

try {
  const config = loadConfig({ ...terminal.env, ...told.secrets }, terminal.cwd);
  if (told.from === null) requireDatabase(config);
  const registry = await loadRegistry(config);
  const { contract } = registry;
  const api = await loadProviderApi(
    { ...config, reconcile: { ...config.reconcile, everyMs: null } },
    { clock, random: Math.random, telemetry: { emit: () => undefined } },
  );
  // Envelopes are foreign code: they run outside of the store's scope, without a network.
  const dataOf: typeof contract.dataOf = (...args) => scope.exit(() => contract.dataOf(...args));
  const options = { dataOf, clock, mustExist: true };
  const store = withNetwork(
    await scope.run('own', () =>
      told.from === null
        ? openStore(config, { ...options, role: 'guest' })
        : // The same ids in each process: events get their randomness from them.
          openStore(
            { database: ':memory:', databaseDirect: null },
            { ...options, role: 'owner', random: seededRandom(0) },
          ),
    ),
  );
  let unread = 0;
  if (told.from !== null) {
    const lines = importLines(createInterface({ input: createReadStream(told.from), crlfDelay: Infinity }), {
      parse: createParse(contract, config.onUnknownValue),
      identify: createIdentify(contract, (id) => id),
      inbox: store,
      routesFor: () => [],
      now: () => clock.now(),
      eraser: null,
      source: 'default',
      fromLine: 1,
      signal: new AbortController().signal,
      onEnd: () => undefined,
    });
    for await (const { outcome } of lines) {
      if (outcome === 'quarantined' || outcome === 'unreadable') unread += 1;
      say({ works: true });
    }
  }
  const { events, pruned } = await rehearseEvents(
    { store, registry, client: api?.client ?? null, clock, say },
    told,
  );
  say({ ends: { events, pruned, unread, personalNames: [...contract.personalNames] } });
} catch (error) {
  const isKnown = PortariaError.is(error);
  const { code, message, problems } = isKnown
    ? error
    : new PortariaError('handler-invalid', failureReason(error));
  say({ error: { code, message, problems } });
}
terminal.exit(0);

/** The store alone has the network: its database may be elsewhere. */
function withNetwork(store: Store): Store {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]): unknown =>
        scope.run('own', () => Reflect.apply(member as Own, target, args));
    },
  });
}
