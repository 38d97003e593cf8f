/** Several processes on one database, what each of them may do, and what is known of all. */
import type { HandlerContext } from '../../../../src/handle/define/handler-context.ts';
import { PortariaError } from '../../../../src/kernel/errors.ts';
import { seededRandom } from '../../../../src/kernel/random.ts';
import { simulatedHandlers } from '../../actors/handlers.ts';
import { handlerNames } from '../../actors/names.ts';
import { posted } from '../../actors/senders.ts';
import type { Call } from '../../checker/calls.ts';
import { violated } from '../../checker/violation.ts';
import type { Sending } from '../../story.ts';
import { isExpected, World } from '../../world/world.ts';
import type { Connection } from '../network/connection.ts';
import { simulateDriver } from '../network/driver.ts';
import { Network } from '../network/network.ts';
import type { Ended } from '../server/messages.ts';
import type { Server } from '../server/server.ts';
import { Arrivals } from './arrivals.ts';
import { LeaseChecks } from './lease-checks.ts';
import { openPostgresDatabase } from './postgres-database.ts';
import { EventNumbers, readEvents } from './postgres-rows.ts';
import { SharedTime } from './cluster-time.ts';
import { startProcess, stopReceiver } from './start-process.ts';
import { currentProcess, running, SimulatedProcess } from './simulated-process.ts';

/** Numbers are drawn before commits: one of so many later ones may be committed first. */
const MAX_OVERTAKEN = 500;

export type SimulationServer = Server & { readonly url: string };

interface Parts {
  readonly time: SharedTime;
  readonly network: Network;
  readonly server: SimulationServer;
  readonly numbers: EventNumbers;
}

export function createPostgresWorld(seed: number, server: SimulationServer): PostgresWorld {
  const time = new SharedTime();
  const listener = {
    onRun: (connection: Connection, text: string, ended: Ended) => {
      world.ran(connection, text, ended);
    },
    onDeath: (process: SimulatedProcess) => {
      world.kill(process);
    },
    note: (what: string) => {
      world.note(what);
    },
  };
  const network = new Network({ server, time, random: seededRandom(seed + 3), listener });
  const world: PostgresWorld = new PostgresWorld(seed, {
    time,
    network,
    server,
    numbers: new EventNumbers(),
  });
  return world;
}

export class PostgresWorld extends World {
  declare readonly time: SharedTime;
  readonly network: Network;
  readonly processes: SimulatedProcess[] = [];
  readonly #server: SimulationServer;
  readonly #numbers: EventNumbers;
  readonly #arrivals: Arrivals;
  readonly #leases: LeaseChecks;
  readonly #restoreDriver: () => void;
  #lastEvent = 0;

  constructor(seed: number, { time, network, server, numbers }: Parts) {
    super(seed, {
      time,
      openDatabase: () => openPostgresDatabase({ server, network, url: server.url }, numbers),
    });
    this.network = network;
    this.#server = server;
    this.#numbers = numbers;
    this.#arrivals = new Arrivals(this.identity, numbers);
    this.#restoreDriver = simulateDriver(network, time);
    this.#leases = new LeaseChecks({
      processes: this.processes,
      now: () => time.monotonic(),
      living: () => server.rows<{ holder: number }>('select holder::float8 as holder from leases'),
      onLoss: (process) => {
        this.note(`process ${String(process.number)} has lost its lease`);
        this.reach('a lease ends');
        for (const call of this.deliveries.active)
          if (call.process === process.number) process.lost.add(call);
        this.deliveries.died();
      },
    });
  }

  get living(): readonly SimulatedProcess[] {
    return this.processes.filter(({ isDead }) => !isDead);
  }

  /** Operators and senders use this process. */
  aim(process: SimulatedProcess): void {
    this.receiver = process.receiver;
    this.handlers = process.handlers;
  }

  /** Starts a process; null when it could not. */
  async openProcess(mask: number, concurrency: number): Promise<SimulatedProcess | null> {
    this.process += 1;
    const number = this.process;
    const names = handlerNames.filter((_, at) => (mask >> at) % 2 === 1);
    const process = new SimulatedProcess(number, names);
    this.note(`process ${String(number)} with ${names.join(', ')}`);
    this.processes.push(process);
    const options = { handlers: simulatedHandlers(this, mask), concurrency, log: this.log() };
    const isRunning = await running.run(process, () => startProcess(this, process, options));
    if (!isRunning) this.kill(process);
    return isRunning ? process : null;
  }

  kill(process: SimulatedProcess): void {
    if (process.isDead) return;
    this.note(`process ${String(process.number)} dies`);
    this.reach('the process dies');
    this.#end(process);
  }

  #end(process: SimulatedProcess): void {
    process.isDead = true;
    this.network.cutAll(process);
    this.#arrivals.died(process);
    this.deliveries.died();
  }

  /** Ends a process in order. */
  async stopProcess(process: SimulatedProcess, graceMs: number): Promise<void> {
    process.isStopping = true;
    await running.run(process, () => stopReceiver(this, process, graceMs));
    this.reach('restart');
    this.note(`process ${String(process.number)} has stopped`);
    if (!process.isDead) this.#end(process);
  }

  // What the model knows of processes

  protected override isStoppingProcess(number: number): boolean {
    return this.processes[number - 1]?.isStopping === true;
  }

  protected override isLost(call: Call): boolean {
    const process = this.processes[call.process - 1];
    return process === undefined || process.isDead || process.lost.has(call);
  }

  protected override isClosed(handler: string): boolean {
    return this.living.every(({ receiver }) =>
      (receiver?.portaria.dispatcher.status().openBreakers ?? []).every((open) => open.handler !== handler),
    );
  }

  /** Each process has breakers of its own, and the model of breakers knows of one process. */
  protected override breakerOpened(): void {
    return;
  }

  override numberOf(id: string): number {
    return this.#numbers.of(super.numberOf(id));
  }

  override begin(handler: string, event: { readonly id: string }, context: HandlerContext): Call | null {
    const process = currentProcess();
    if (process === null || process.isDead) return null;
    this.tryCheck(() => {
      this.#leases.requireLease(process, handler);
    });
    const of = { process: process.number, handlers: process.handlers };
    return this.beginCall(of, handler, this.numberOf(event.id), context);
  }

  override end(call: Call, how: Call['how']): void {
    if (this.processes[call.process - 1]?.isDead !== false) return;
    this.note(`${call.delivery} ends: ${how ?? ''}`);
    this.tryCheck(() => {
      this.deliveries.end(call, how);
    });
    this.reach(`call ${call.how ?? ''}`);
  }

  override die(): void {
    const process = currentProcess();
    if (process !== null) this.kill(process);
  }

  // What the network has run

  ran(connection: Connection, text: string, ended: Ended): void {
    this.tryCheck(() => {
      this.#leases.ran(connection, text, ended);
      if (text === 'commit' && ended.result?.command === 'COMMIT' && connection.purpose === 'accept')
        this.#committed(connection.process);
    });
  }

  #committed(process: SimulatedProcess): void {
    const rows = readEvents(this.#server, this.#lastEvent - MAX_OVERTAKEN).filter(
      ({ row }) => !this.#numbers.has(row),
    );
    for (const event of this.#arrivals.stored(rows, process)) {
      this.reach(`verdict ${event.verdict}`);
      this.deliveries.stored(event, process.handlers);
    }
    for (const { id, row, handler } of this.#readDeliveries(Math.min(...rows.map(({ row }) => row)))) {
      const event = this.identity.events[this.#numbers.of(row) - 1];
      if (event !== undefined) this.deliveries.find(id, event, handler, false);
    }
    this.#lastEvent = Math.max(this.#lastEvent, ...rows.map(({ row }) => row));
  }

  /** Those of handlers, of events from a number on. */
  #readDeliveries(from: number) {
    if (from === Infinity) return [];
    return this.#server.rows<{ id: string; row: number; handler: string }>(
      `select 'd' || id as id, event_id::float8 as row, handler from deliveries
        where event_id >= $1 and replay_id = 0 and effect = ''`,
      from,
    );
  }

  override send(sending: Sending): void {
    const process = currentProcess();
    const receiver = process?.receiver;
    if (process === null || receiver == null) return;
    this.webhooks += 1;
    const { raw, sent } = posted(sending, this.webhooks, process.now());
    this.#arrivals.send(sent, process);
    const answered = (what: string, check: () => void): void => {
      if (process.isDead) return;
      this.note(`${sent.subject} ${what}`);
      this.reach(`webhook ${what.replace(/ \S+-\d+$/u, '')}`);
      this.tryCheck(check);
    };
    receiver.portaria.receive(raw).then(
      (receipt) => {
        answered(`${receipt.status} ${receipt.id ?? ''}`.trim(), () => {
          this.#arrivals.answered(sent, receipt);
        });
      },
      (error: unknown) => {
        const code = PortariaError.is(error) ? error.code : String(error);
        answered(`refused: ${code}`, () => {
          const unverified = this.identity.predict(sent).is === 'unverified';
          if (unverified !== (code === 'not-verified') || (!unverified && !isExpected(error)))
            throw violated('verdict', `a webhook was refused: ${String(error)}`, sent);
          this.#arrivals.refused(sent);
        });
      },
    );
  }

  /** Whether a webhook has no response yet. */
  get isWaiting(): boolean {
    return this.#arrivals.waiting.length > 0;
  }

  /** Webhooks that have no response yet are looked at. */
  noteUnanswered(): void {
    this.unanswered = [...this.#arrivals.waiting];
  }

  override close(): void {
    for (const process of this.living) {
      process.isDead = true;
      this.network.cutAll(process);
    }
    this.network.cutAll(null);
    this.#restoreDriver();
    super.close();
  }
}
