/**
 * What lies between the processes and the database. All statements of all processes wait here, and one at a time is sent:
 * which one, the seed says. So the seed chooses how transactions of several processes overlap.
 */
import type { Random } from '../../../../src/kernel/random.ts';
import { lostConnection, serverError } from './errors.ts';
import { followTransaction, takeTimeouts, type Asked, type Connection } from './connection.ts';
import { StatementFaults, type StatementFault } from './faults.ts';
import type { Answer, Ended, Statement } from '../server/messages.ts';
import type { Server } from '../server/server.ts';
import type { SharedTime } from '../world/cluster-time.ts';
import { running, type SimulatedProcess } from '../world/simulated-process.ts';

/** Of so many statements one waits on its way. */
const STALLED_OF = 60;
const STALLS_MS = [1, 5, 40, 300, 1_500];

/** What the world hears of the network. */
export interface NetworkListener {
  /** A statement has run, whether its answer arrives or not. */
  onRun(connection: Connection, text: string, ended: Ended): void;
  /** The process has to die now. */
  onDeath(process: SimulatedProcess): void;
  note(what: string): void;
}

export class Network {
  readonly faults = new StatementFaults();
  /** Whether statements may wait on their way. */
  isSlow = false;
  statements = 0;
  readonly #connections = new Set<Connection>();
  readonly #server: Server;
  readonly #time: SharedTime;
  readonly #random: Random;
  readonly #listener: NetworkListener;
  #clock = NaN;

  constructor(deps: { server: Server; time: SharedTime; random: Random; listener: NetworkListener }) {
    this.#server = deps.server;
    this.#time = deps.time;
    this.#random = deps.random;
    this.#listener = deps.listener;
    deps.time.network = () => this.#step();
  }

  add(connection: Connection): void {
    this.#connections.add(connection);
  }

  /** Whether nothing is on its way, and nothing waits for a lock. */
  get isQuiet(): boolean {
    return [...this.#connections].every(({ queue, blocked }) => queue.length === 0 && blocked === null);
  }

  /** Sends the statement of one connection; false when none has any. */
  #step(): boolean {
    const ready = [...this.#connections].filter(({ isReady }) => isReady);
    const chosen = ready[Math.floor(this.#random() * ready.length)];
    if (chosen === undefined) return false;
    if (this.isSlow && this.#random() * STALLED_OF < 1) this.#stall(chosen);
    else this.#take(chosen);
    return true;
  }

  #stall(connection: Connection): void {
    connection.isStalled = true;
    const ms = STALLS_MS[Math.floor(this.#random() * STALLS_MS.length)] ?? 1;
    this.#later(ms, () => {
      connection.isStalled = false;
    });
  }

  /** A timer of the world, whichever process the code runs in. */
  #later(ms: number, callback: () => void): void {
    running.run(null, () => this.#time.after(ms, callback));
  }

  #take(connection: Connection): void {
    const asked = connection.queue.shift();
    if (asked === undefined) return;
    if (asked.what === 'open') this.#open(connection, asked);
    else if (asked.what === 'end') {
      this.#close(connection);
      this.#tell(connection, () => {
        asked.resolve(null);
      });
    } else this.#send(connection, asked, asked.what);
  }

  #open(connection: Connection, asked: Asked): void {
    if (connection.process.isIsolated) {
      connection.isClosed = true;
      this.#connections.delete(connection);
      this.#tell(connection, () => {
        asked.reject(serverError('connect ECONNREFUSED', 'ECONNREFUSED'));
      });
      return;
    }
    const { opened } = this.#server.ask({ do: 'open' });
    connection.number = opened?.connection ?? 0;
    connection.pid = opened?.pid ?? 0;
    this.#tell(connection, () => {
      asked.resolve(null);
    });
  }

  #send(connection: Connection, asked: Asked, { text, values, name }: Statement): void {
    const { process } = connection;
    this.statements += 1;
    connection.sent += 1;
    const fault = this.faults.due(process, text);
    if (fault !== null) this.#listener.note(`${fault.fault} at ${text.slice(0, 40)}`);
    if (fault?.after === false && fault.fault !== 'fail') {
      this.#lose(connection, asked, fault);
      return;
    }
    const sent =
      fault?.fault === 'fail' ? failing(fault) : { text: takeTimeouts(connection, text), values, name };
    followTransaction(connection, text);
    this.#setClock();
    connection.blocked = asked;
    this.#deliver(
      this.#server.ask({ do: 'send', connection: connection.number, statement: sent }),
      fault?.fault === 'fail' ? null : fault,
      connection,
    );
    if (fault?.fault === 'fail' && fault.code === '57P01') this.cut(connection);
    if (connection.blocked === asked) this.#waitForLock(connection, asked);
    else this.#endWhenIdle(connection);
  }

  /** What the statements have answered, also those that had waited for a lock. */
  #deliver(answer: Answer, fault: StatementFault | null = null, faulty: Connection | null = null): void {
    for (const ended of answer.ended) {
      const connection = [...this.#connections].find(({ number }) => number === ended.connection);
      const asked = connection?.blocked;
      if (connection === undefined || asked == null || typeof asked.what === 'string') continue;
      connection.blocked = null;
      if (ended.failure === null) this.#notify(connection, asked.what.text);
      this.#listener.onRun(connection, asked.what.text, ended);
      if (fault !== null && connection === faulty) {
        this.#lose(connection, asked, fault);
        continue;
      }
      this.#tell(connection, () => {
        for (const notice of ended.notices) connection.events.onNotice(notice);
        if (ended.failure === null) asked.resolve(ended);
        else asked.reject(serverError(ended.failure.message, ended.failure.code));
      });
      this.#endWhenIdle(connection);
    }
    // The statement still waits: the fault comes now.
    if (fault !== null && faulty?.blocked != null) this.#lose(faulty, faulty.blocked, fault);
  }

  /** The server would send notifications when it likes: the network sends them, in its own order. */
  #notify(from: Connection, text: string): void {
    if (text.startsWith('listen ')) from.isListening = true;
    if (!text.includes('notify ')) return;
    for (const connection of this.#connections)
      if (connection.isListening)
        this.#tell(connection, () => {
          connection.events.onNotification(from.pid);
        });
  }

  #tell(connection: Connection, tell: () => void): void {
    this.#time.bring(connection.process, tell);
  }

  /** The database has the time of the world. */
  #setClock(): void {
    const now = this.#time.now();
    if (now === this.#clock) return;
    this.#clock = now;
    this.#server.rows(`select setval('simulation.clock', $1)`, now);
  }

  #waitForLock(connection: Connection, asked: Asked): void {
    if (connection.lockWaitMs === 0) return;
    this.#later(connection.lockWaitMs, () => {
      if (connection.blocked !== asked) return;
      this.#listener.note(`a lock is waited for in vain`);
      const answer = this.#server.ask({ do: 'cancel', connection: connection.number });
      const ended = answer.ended.map((one) =>
        one.connection === connection.number && one.failure?.code === '57014'
          ? { ...one, failure: { message: 'canceling statement due to lock timeout', code: '55P03' } }
          : one,
      );
      this.#deliver({ ...answer, ended });
    });
  }

  /** PostgreSQL ends a session that is idle within a transaction for too long. */
  #endWhenIdle(connection: Connection): void {
    const { sent, idleMs } = connection;
    if (!connection.isInTransaction || idleMs === 0 || connection.queue.length > 0) return;
    this.#later(idleMs, () => {
      if (connection.sent !== sent || connection.isClosed || connection.queue.length > 0) return;
      this.#listener.note('a session was idle in its transaction');
      this.cut(connection, serverError('terminating connection due to idle-in-transaction timeout', '25P03'));
    });
  }

  #lose(connection: Connection, asked: Asked, { fault }: StatementFault): void {
    connection.blocked = asked;
    if (fault === 'die') this.#listener.onDeath(connection.process);
    else this.cut(connection);
  }

  /** The connection ends, and what it was asked for has no answer. */
  cut(connection: Connection, error = lostConnection()): void {
    const unanswered =
      connection.blocked === null ? connection.queue : [connection.blocked, ...connection.queue];
    if (!this.#close(connection)) return;
    this.#tell(connection, () => {
      for (const asked of unanswered) {
        if (asked.what === 'end') asked.resolve(null);
        else asked.reject(error);
      }
      connection.events.onLoss(error);
    });
  }

  /** All connections of a process end; those of all without one. */
  cutAll(process: SimulatedProcess | null): void {
    for (const connection of this.#connections)
      if (process === null || connection.process === process) this.cut(connection);
  }

  #close(connection: Connection): boolean {
    if (connection.isClosed) return false;
    connection.isClosed = true;
    connection.blocked = null;
    connection.queue = [];
    this.#connections.delete(connection);
    if (connection.number > 0) this.#deliver(this.#server.ask({ do: 'drop', connection: connection.number }));
    return true;
  }
}

/** Fails as the server would, also within the transaction. */
function failing({ code }: StatementFault): Statement {
  const text = `do $$ begin raise exception 'simulated' using errcode = '${code}'; end $$`;
  return { text, values: [], name: undefined };
}
