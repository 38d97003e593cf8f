/** Stands in for pg: its pools and clients ask the network. */
import { EventEmitter } from 'node:events';
import pg from 'pg';
import { Connection } from './connection.ts';
import { lostConnection } from './errors.ts';
import type { Network } from './network.ts';
import type { SharedTime } from '../world/cluster-time.ts';
import { currentProcess, SimulatedProcess } from '../world/simulated-process.ts';
import type { Ended, Statement } from '../server/messages.ts';

interface ClientOptions {
  readonly application_name?: string;
  readonly types?: { readonly getTypeParser: (type: number, format: 'text') => (value: string) => unknown };
  readonly max?: number;
  readonly connectionTimeoutMillis?: number;
}

type Query = string | { readonly text: string; readonly values?: readonly unknown[]; readonly name?: string };

/** Replaces pg's classes until the returned function is called. */
export function simulateDriver(network: Network, time: SharedTime): () => void {
  const real = { Pool: pg.Pool, Client: pg.Client };

  class SimulatedClient extends EventEmitter {
    readonly #connection: Connection;
    readonly #types: NonNullable<ClientOptions['types']>;
    #isLost = false;
    release: (destroy?: unknown) => void = () => undefined;

    constructor({ application_name: name = '', types }: ClientOptions) {
      super();
      this.setMaxListeners(0);
      this.#types = types ?? pg.types;
      const purpose = name.replace(/^portaria (\S+).*$/u, '$1');
      const owner = currentProcess() ?? new SimulatedProcess(0, []);
      this.#connection = new Connection(owner, purpose, {
        onLoss: (error) => {
          this.#isLost = true;
          if (this.listenerCount('error') > 0) this.emit('error', error);
          this.emit('end');
        },
        onNotice: (notice) => this.emit('notice', notice),
        onNotification: (processId) => this.emit('notification', { processId, channel: 'portaria' }),
      });
      network.add(this.#connection);
    }

    get processID(): number {
      return this.#connection.pid;
    }

    get isUsable(): boolean {
      return !this.#isLost;
    }

    async connect(): Promise<void> {
      await this.#ask('open');
    }

    async query(query: Query, given?: readonly unknown[]): Promise<unknown> {
      const { text, values = given ?? [], name } = typeof query === 'string' ? { text: query } : query;
      const ended = await this.#ask({ text, values, name });
      return resultOf(ended, this.#types);
    }

    #ask(what: 'open' | 'end' | Statement): Promise<Ended | null> {
      if (this.#connection.isClosed)
        return what === 'end' ? Promise.resolve(null) : Promise.reject(lostConnection());
      return new Promise((resolve, reject) => {
        this.#connection.queue.push({ what, resolve, reject });
      });
    }

    async end(): Promise<void> {
      await this.#ask('end');
      if (!this.#isLost) this.emit('end');
      this.#isLost = true;
    }
  }

  class SimulatedPool extends EventEmitter {
    readonly #options: ClientOptions;
    readonly #owner = currentProcess();
    readonly #idle: SimulatedClient[] = [];
    readonly #all = new Set<SimulatedClient>();
    #waiting: ((client: SimulatedClient | Error | null) => void)[] = [];
    #isEnding = false;
    #ended: () => void = () => undefined;

    constructor(options: ClientOptions) {
      super();
      this.#options = options;
    }

    async connect(): Promise<SimulatedClient> {
      for (;;) {
        if (this.#isEnding) throw new Error('Cannot use a pool after calling end on the pool');
        const idle = this.#idle.pop();
        if (idle !== undefined) return idle;
        if (this.#all.size < (this.#options.max ?? 10)) return this.#open();
        const given = await this.#wait();
        if (given instanceof Error) throw given;
        if (given !== null) return given;
      }
    }

    #wait(): Promise<SimulatedClient | Error | null> {
      return new Promise((resolve) => {
        const take = (client: SimulatedClient | Error | null): void => {
          cancel();
          resolve(client);
        };
        const cancel = time.after(this.#options.connectionTimeoutMillis ?? 5_000, () => {
          this.#waiting = this.#waiting.filter((other) => other !== take);
          resolve(new Error('timeout exceeded when trying to connect'));
        });
        this.#waiting.push(take);
      });
    }

    async #open(): Promise<SimulatedClient> {
      const client = new SimulatedClient(this.#options);
      this.#all.add(client);
      try {
        await client.connect();
      } catch (error) {
        this.#remove(client);
        throw error;
      }
      client.on('error', (error) => {
        if (!this.#idle.includes(client)) return;
        this.#remove(client);
        this.emit('error', error, client);
      });
      client.release = (destroy) => {
        this.#release(client, destroy !== undefined && destroy !== false);
      };
      this.emit('connect', client);
      return client;
    }

    #release(client: SimulatedClient, destroy: boolean): void {
      if (destroy || !client.isUsable || this.#isEnding) {
        this.#remove(client);
        void client.end();
        return;
      }
      const next = this.#waiting.shift();
      if (next === undefined) this.#idle.push(client);
      else next(client);
    }

    #remove(client: SimulatedClient): void {
      this.#all.delete(client);
      const at = this.#idle.indexOf(client);
      if (at >= 0) this.#idle.splice(at, 1);
      // There is room for another one.
      this.#waiting.shift()?.(null);
      if (this.#all.size === 0) this.#ended();
    }

    async query(query: Query, values?: readonly unknown[]): Promise<unknown> {
      const client = await this.connect();
      try {
        const result = await client.query(query, values);
        client.release();
        return result;
      } catch (error) {
        client.release(!client.isUsable);
        throw error;
      }
    }

    async end(): Promise<void> {
      this.#isEnding = true;
      if (this.#owner?.isDead === true) return;
      const all =
        this.#all.size === 0 ? Promise.resolve() : new Promise<void>((resolve) => (this.#ended = resolve));
      for (const client of [...this.#idle]) {
        this.#remove(client);
        void client.end();
      }
      await all;
    }
  }

  Object.assign(pg, { Pool: SimulatedPool, Client: SimulatedClient });
  return () => {
    Object.assign(pg, real);
  };
}

function resultOf(
  ended: Ended | null,
  types: NonNullable<ClientOptions['types']>,
): { command: string; rowCount: number | null; rows: readonly object[] } | null {
  if (ended?.result == null) return null;
  const { command, rowCount, names, rows, types: numbers } = ended.result;
  const parsers = numbers.map((type) => types.getTypeParser(type, 'text'));
  return {
    command,
    rowCount,
    rows: rows.map((row) =>
      Object.fromEntries(
        names.map((name, at) => {
          const value = row[at] ?? null;
          return [name, value === null ? null : parsers[at]?.(value)];
        }),
      ),
    ),
  };
}
