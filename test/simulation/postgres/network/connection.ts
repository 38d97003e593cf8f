/** A connection to the database: its statements wait here until the network sends them. */
import type { SimulatedProcess } from '../world/simulated-process.ts';
import type { Ended, Failure, Statement } from '../server/messages.ts';

/** What a connection asks for. */
export interface Asked {
  readonly what: 'open' | 'end' | Statement;
  readonly resolve: (ended: Ended | null) => void;
  readonly reject: (error: Error) => void;
}

/** What a connection tells its client. */
export interface ConnectionEvents {
  readonly onLoss: (error: Error) => void;
  readonly onNotice: (notice: Failure) => void;
  readonly onNotification: (pid: number) => void;
}

export class Connection {
  readonly process: SimulatedProcess;
  /** As `application_name` says it. */
  readonly purpose: string;
  readonly events: ConnectionEvents;
  /** In the order in which they are sent. */
  queue: Asked[] = [];
  /** The server's; 0 before it is open. */
  number = 0;
  pid = 0;
  /** Its statement waits for a lock. */
  blocked: Asked | null = null;
  isStalled = false;
  isClosed = false;
  isInTransaction = false;
  isListening = false;
  lockWaitMs = 0;
  idleMs = 0;
  /** Statements that were sent. */
  sent = 0;

  constructor(process: SimulatedProcess, purpose: string, events: ConnectionEvents) {
    this.process = process;
    this.purpose = purpose;
    this.events = events;
  }

  get isReady(): boolean {
    return this.queue.length > 0 && this.blocked === null && !this.isStalled && !this.isClosed;
  }
}

const timeouts =
  /set local (lock_timeout|idle_in_transaction_session_timeout|statement_timeout) = '?(\w+)'?/gu;

/** Takes over the timeouts of a transaction, which run by the virtual time, and returns the text without them. */
export function takeTimeouts(connection: Connection, text: string): string {
  return text.replaceAll(timeouts, (_, name: string, value: string) => {
    const unit = value.endsWith('min') ? 60_000 : /\ds$/u.test(value) ? 1_000 : 1;
    const ms = Number.parseInt(value, 10) * unit;
    if (name === 'lock_timeout') connection.lockWaitMs = ms;
    if (name === 'idle_in_transaction_session_timeout') connection.idleMs = ms;
    return `set local ${name} = 0`;
  });
}

/** Follows whether a transaction is open. */
export function followTransaction(connection: Connection, text: string): void {
  if (/^\s*begin/u.test(text)) {
    connection.isInTransaction = !/commit\s*$/u.test(text);
    if (!text.includes('lock_timeout')) connection.lockWaitMs = 0;
  } else if (/^\s*(?:commit|rollback)/u.test(text)) connection.isInTransaction = false;
}
