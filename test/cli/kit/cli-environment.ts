import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { runCli } from '../../../src/cli/run-cli.ts';
import type { Environment } from '../../../src/config/read-settings.ts';
import { createDispatcher } from '../../../src/dispatch/dispatcher.ts';
import type { VerifiedDelivery } from '../../../src/event/delivery.ts';
import { createIdentify } from '../../../src/identify/identify.ts';
import { loadRegistry } from '../../../src/load-registry.ts';
import { createParse } from '../../../src/parse/parse.ts';
import { openPostgresStore } from '../../../src/store/postgres/open-postgres-store.ts';
import { openSqliteStore } from '../../../src/store/sqlite/open-sqlite-store.ts';
import type { Store } from '../../../src/store/store.ts';
import { writeEmptyStore } from '../../support/empty-store.ts';
import { silentLogger } from '../../support/silent-logger.ts';
import { verifiedDelivery } from '../../support/verified-delivery.ts';
import {
  capturedTerminal,
  fastClock,
  type CapturedTerminal,
  type TerminalOptions,
} from './captured-terminal.ts';
import { specification } from '../../../src/contract/specification.ts';

const parse = createParse(specification);
const identify = createIdentify(specification, (id) => id);

const NOW = '2026-11-21T04:00:00.000Z';

export interface Run {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** The lines of standard output, parsed as JSON. */
  readonly rows: readonly Record<string, unknown>[];
}

export type Envelope = { readonly type: string; readonly data: unknown };

interface SeedOptions {
  readonly source?: string;
  readonly receivedAt?: number;
  readonly messageId?: string;
  /** True by default if there is a message id. */
  readonly messageIdTrusted?: boolean;
}

/**
 * A temporary folder with a database and handlers, and a command line that works on them. Removed after the test.
 *
 * @param address a database in PostgreSQL, in the place of a file in the folder
 */
export function cliEnvironment(handlers: Readonly<Record<string, string>> = {}, address?: string) {
  const folder = mkdtempSync(join(tmpdir(), 'portaria-cli-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const database = address ?? join(folder, 'portaria.db');
  const handlersFolder = join(folder, 'handlers');
  mkdirSync(handlersFolder);
  for (const [name, code] of Object.entries(handlers))
    writeFileSync(join(handlersFolder, `${name}.mjs`), `import { defineHandler } from 'portaria';\n${code}`);
  const clock = fastClock(NOW);
  const env: Record<string, string> = {
    PORTARIA_DATABASE: database,
    PORTARIA_HANDLERS: handlersFolder,
    PORTARIA_PORT: '0',
    PORTARIA_OPS_PORT: '0',
    // It would watch the thread of the tests.
    PORTARIA_STALL_TIMEOUT_MS: '0',
    PORTARIA_DISK_LOW: '0%,0MiB',
  };

  function begin(
    args: readonly string[],
    options: Partial<Pick<TerminalOptions, 'input' | 'interactive' | 'columns' | 'colors' | 'random'>> & {
      env?: Environment;
    } = {},
  ): { readonly terminal: CapturedTerminal; readonly ended: Promise<Run> } {
    const terminal = capturedTerminal({ cwd: folder, clock, ...options, env: { ...env, ...options.env } });
    const ended = runCli(args, terminal).then((code) => runOf(code, terminal));
    return { terminal, ended };
  }

  /** Starts `serve` beside the commands. Returns what stops it; the end of the test does, too. */
  async function serve(): Promise<() => Promise<Run>> {
    const { terminal, ended } = begin(['serve']);
    const stop = () => {
      terminal.interrupt();
      return ended;
    };
    onTestFinished(async () => void (await stop()));
    await terminal.printed('Try it');
    return stop;
  }

  async function withStore<T>(use: (store: Store) => Promise<T>): Promise<T> {
    if (address === undefined && !existsSync(database)) writeEmptyStore(database);
    const store =
      address === undefined
        ? await openSqliteStore({ path: database, role: 'owner', clock, random: () => 0 })
        : await openPostgresStore({ url: address, role: 'owner', clock });
    try {
      return await use(store);
    } finally {
      await store.close();
    }
  }

  return {
    folder,
    database,
    handlersFolder,
    clock,
    env,
    begin,
    run: (...args: string[]) => begin(args).ended,
    serve,
    withStore,
    /** Stores bodies (strings or envelopes) as the receiver does. */
    seed: (bodies: readonly (Envelope | string)[], options: SeedOptions = {}) =>
      withStore(async (store) => {
        const registry = await loadRegistry({ handlersFolder, forward: null });
        // Stored concurrently, in order, so that they share commits.
        const received = bodies.map((body) => {
          const parsed = parse(delivery(body, clock.now(), options));
          return parsed.stage === 'rejected'
            ? store.quarantine(parsed)
            : store.accept(identify(parsed), registry.routesFor(parsed));
        });
        await Promise.all(received);
      }),
    /** Runs every pending delivery. */
    dispatch: () =>
      withStore(async (store) => {
        const registry = await loadRegistry({ handlersFolder, forward: null });
        const telemetry = { emit: () => undefined };
        const deps = {
          store,
          registry,
          clock,
          random: () => 0,
          telemetry,
          log: silentLogger,
          concurrency: 4,
        };
        const dispatcher = createDispatcher(deps);
        await dispatcher.start();
        await dispatcher.idle();
        await dispatcher.stop(1000);
      }),
  };
}

function runOf(code: number, { written: { out, err } }: CapturedTerminal): Run {
  return {
    code,
    out,
    err,
    get rows() {
      return out
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    },
  };
}

function delivery(body: Envelope | string, now: number, options: SeedOptions): VerifiedDelivery {
  return verifiedDelivery(typeof body === 'string' ? body : JSON.stringify(body), {
    source: options.source ?? 'default',
    receivedAt: options.receivedAt ?? now,
    headers: { 'content-type': 'application/json' },
    messageId: options.messageId ?? null,
    messageIdTrusted: options.messageIdTrusted ?? options.messageId !== undefined,
  });
}

/** A small valid envelope of a kind without versions. */
export const violation = (id: number, status = 'pending'): Envelope => ({
  type: 'traffic-violation.created',
  data: { id, status },
});

/** A small valid envelope of a kind with versions. */
export const company = (id: number, updatedAt: string, name = 'Serra Azul'): Envelope => ({
  type: 'company.updated',
  data: { id, name, updated_at: updatedAt },
});
