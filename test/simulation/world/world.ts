/** A simulated machine: a process on a database, their time and their faults, and what is known of them. */
import type { HandlerContext } from '../../../src/handle/define/handler-context.ts';
import { PortariaError } from '../../../src/kernel/errors.ts';
import type { Logger } from '../../../src/kernel/logger.ts';
import { seededRandom } from '../../../src/kernel/random.ts';
import { kindsOf, mixedWith, otherKindsOf, simulatedHandlers, type CallHost } from '../actors/handlers.ts';
import { handlerNames } from '../actors/names.ts';
import type { Planned } from '../actors/planned.ts';
import { Provider } from '../actors/provider.ts';
import { posted } from '../actors/senders.ts';
import { Target } from '../actors/target.ts';
import { Breakers } from '../checker/breakers.ts';
import type { Call } from '../checker/calls.ts';
import { Deliveries } from '../checker/deliveries.ts';
import { Identity, type KnownEvent, type Sent } from '../checker/identity.ts';
import { takeResolutions } from '../checker/resolutions.ts';
import { Rates } from '../checker/rates.ts';
import { requireTurn } from '../checker/turns.ts';
import type { Seen } from '../checker/seen.ts';
import type { Rows } from '../checker/rows.ts';
import { violated } from '../checker/violation.ts';
import type { Mood, Sending, Setup } from '../story.ts';
import { simulateBuiltins } from './builtins.ts';
import type { Database, DatabaseHost } from './database.ts';
import type { Disk } from './disk-faults.ts';
import { openReceiver, type Receiver } from './receiver.ts';
import { openFile, openMemory } from './sqlite-database.ts';
import { Telling } from './telling.ts';
import { createToldLog, type Heard } from './told-log.ts';
import { VirtualTime } from './virtual-time.ts';

/** What worlds differ in. */
export interface WorldParts {
  readonly time: VirtualTime;
  readonly openDatabase: (host: DatabaseHost) => Database;
}

/** Longer than a write waits to be repeated. */
const CALM_MS = 20_000;

export class World extends Telling implements CallHost {
  readonly seed: number;
  readonly identity = new Identity();
  readonly deliveries: Deliveries;
  readonly breakers: Breakers;
  readonly rates: Rates;
  readonly database: Database;
  receiver: Receiver | null = null;
  /** Names of the handlers that the process has. */
  handlers: readonly string[] = [];
  process = 0;
  isStopping = false;
  concurrency = 0;
  /** Whether it left a delivery to the next process, because its outcome could not be stored. */
  isUnrecorded = false;
  /** Webhooks that have no response yet, oldest first. */
  unanswered: Sent[] = [];
  webhooks = 0;
  calls = 0;
  folds = 0;
  commands = 0;
  faults = 0;
  jumps = 0;
  /** The call that has blocked the process. */
  stalled: Call | null = null;
  /** How many processes deliveries have blocked since they were dead letters so many times. */
  readonly stalls = new Map<string, { readonly times: number; readonly dead: number }>();
  /** How often handlers have got other kinds. */
  upgrades = 0;
  /** Handlers that a process was without. */
  readonly missed = new Set<string>();
  /** When a pause began or ended, or ends by itself, by the wall clock. */
  pausedAt = -Infinity;
  readonly target = new Target(this);
  readonly provider = new Provider(this);
  readonly plans: Planned[] = [];
  readonly jobs: (Planned & { readonly id: string })[] = [];
  /** Jobs that have ended, with how much they had acted on. */
  readonly endedJobs = new Map<string, { readonly state: string; readonly acted: number }>();
  readonly held = new Set<string>();
  readonly seen: Seen = { delivery: 0, events: 0, commits: -1, pruned: 0, atAll: 0 };
  /** E-mail addresses that an operator has begun to erase. */
  readonly erasures = new Set<string>();
  #failed = { times: 0, at: -Infinity };
  readonly #counts = new Map<string, number>();
  #kinds = kindsOf;
  readonly #moods = new Map<string, Mood>();
  readonly #restore: (() => void)[] = [];

  constructor(seed: number, parts?: WorldParts) {
    const { time, openDatabase } = parts ?? {
      time: new VirtualTime(),
      openDatabase: seed % 4 === 0 ? openFile : openMemory,
    };
    super(time);
    this.seed = seed;
    this.#restore.push(simulateBuiltins(this.time, seededRandom(seed + 1), this.target.fetch));
    this.database = openDatabase({
      die: () => {
        this.die();
      },
      isDead: () => this.time.isFrozen,
    });
    this.breakers = new Breakers((handler) => this.isClosed(handler));
    this.rates = new Rates(this);
    this.deliveries = new Deliveries({
      seed,
      rests: () => this.time.rests,
      highest: () => this.time.highest,
      now: () => this.time.now(),
      jumps: () => this.jumps,
      monotonic: () => this.time.monotonic(),
      isStopping: (process) => this.isStoppingProcess(process),
      isLost: (call) => this.isLost(call),
      isClosed: (handler) => this.isClosed(handler),
    });
  }

  /** Whether no commit has failed for some time, and so nothing has waited to be repeated. */
  isCalm(): boolean {
    const now = this.time.monotonic();
    if (this.disk.failures !== this.#failed.times) this.#failed = { times: this.disk.failures, at: now };
    return now - this.#failed.at > CALM_MS;
  }

  protected isStoppingProcess(process: number): boolean {
    return process === this.process && this.isStopping;
  }

  protected isLost({ process }: Call): boolean {
    return process !== this.process || this.time.isFrozen;
  }

  /** Whether the breaker of a handler is closed. */
  protected isClosed(handler: string): boolean {
    const open = this.receiver?.portaria.dispatcher.status().openBreakers ?? [];
    return open.every((one) => one.handler !== handler);
  }

  get disk(): Disk {
    return this.database.disk;
  }

  get rows(): Rows {
    return this.database.rows;
  }

  // The process

  async open({ handlers: mask, otherKinds, acceptsUnknown }: Setup, concurrency: number): Promise<void> {
    this.process += 1;
    this.breakers.reset();
    this.isUnrecorded = false;
    this.concurrency = concurrency;
    for (const name of handlerNames) if (!this.#has(mask, name)) this.missed.add(name);
    const kinds = otherKinds ? otherKindsOf : kindsOf;
    if (kinds !== this.#kinds) this.upgrades += 1;
    this.#kinds = kinds;
    this.identity.asksProvider = true;
    this.identity.acceptsUnknown = acceptsUnknown;
    const handlers = simulatedHandlers(this, mask, this.#kinds);
    this.handlers = handlerNames.filter((name) => this.#has(mask, name));
    this.note(`process ${String(this.process)} with ${this.handlers.join(', ')}`);
    const opening = openReceiver({
      ...{ database: this.database.address, handlers, concurrency, clock: this.time, log: this.log() },
      ...{ acceptsUnknown, client: this.provider.client() },
      random: seededRandom(this.seed + this.process),
      onFatal: () => {
        this.die();
      },
    });
    const opened = await this.time.until(opening);
    if (opened === null) return;
    if ('error' in opened) throw violated('starts', String(opened.error));
    this.receiver = opened.value;
  }

  #has(mask: number, name: (typeof handlerNames)[number]): boolean {
    return (mask >> handlerNames.indexOf(name)) % 2 === 1;
  }

  async start(): Promise<void> {
    if (this.receiver === null) return;
    const started = await this.time.until(this.receiver.start());
    if (started !== null && 'error' in started && !isExpected(started.error))
      throw violated('starts', String(started.error));
  }

  die(): void {
    if (this.time.isFrozen) return;
    this.note('dies');
    this.reach('the process dies');
    this.time.freeze();
  }

  block(call: Call): void {
    this.stalled = call;
    this.reach('a handler blocks');
    this.die();
  }

  /** Ends what is left of a process that died. */
  async bury(): Promise<void> {
    const dead = this.receiver;
    this.receiver = null;
    await this.time.run();
    const closing = dead?.portaria.store.close().catch(() => undefined);
    await this.time.thaw();
    await closing;
    this.disk.heal();
  }

  end(call: Call, how: Call['how']): void {
    if (call.process !== this.process || this.time.isFrozen) return;
    this.note(`${call.delivery} ends: ${how ?? ''}`);
    this.tryCheck(() => {
      call.how = how;
      call.endedAt = this.time.monotonic();
      this.breakers.end(call, this.identity.events[call.event - 1]?.sent.subject ?? '');
      this.deliveries.end(call, how);
      this.rates.end(call);
    });
    this.reach(`call ${call.how ?? ''}`);
  }

  // What handlers see

  begin(handler: string, event: { readonly id: string }, context: HandlerContext): Call | null {
    if (this.time.isFrozen) return null;
    const of = { process: this.process, handlers: this.handlers };
    const call = this.beginCall(of, handler, this.numberOf(event.id), context);
    this.tryCheck(() => {
      this.breakers.begin(call);
      this.deliveries.requireRoom(this.concurrency);
      requireTurn(this, call);
      this.rates.begin(call);
      this.deliveries.newest.requireNewest(call, this.isCalm() && !call.isAsked);
    });
    return call;
  }

  /** The number of an event in the order in which the model knows them. */
  numberOf(id: string): number {
    return Number(id.replace(/^.*-/u, ''));
  }

  protected beginCall(
    of: { readonly process: number; readonly handlers: readonly string[] },
    handler: string,
    number: number,
    context: HandlerContext,
  ): Call {
    this.calls += 1;
    this.tryCheck(() => {
      takeResolutions(this);
    });
    const delivery = (context.log as unknown as { fields: { delivery: string } }).fields.delivery;
    const { attempt, replay: isReplay, idempotencyKey } = context;
    const effect = idempotencyKey.split('/')[2] ?? '';
    const resolution = this.identity.events[number - 1]?.resolution ?? null;
    const isAsked = resolution !== null && !isReplay && effect === '';
    const call: Call = {
      ...{ process: of.process, handler, delivery, effect, event: number, attempt, isReplay, isAsked },
      ...{
        nth: this.#count(`${handler} ${String(number)}`),
        startedAt: this.time.monotonic(),
        faults: this.disk.isFaulty ? -1 : this.faults,
        endedAt: null,
        waitMs: 0,
        closesRate: false,
        how: null,
      },
    };
    this.note(`${delivery} runs ${handler} of event ${String(number)}, attempt ${String(attempt)}`);
    this.tryCheck(() => {
      const known = this.identity.events[number - 1];
      if (known === undefined)
        throw violated('acknowledged', `event ${String(number)} runs, and nobody sent it`);
      if (!of.handlers.includes(handler.replace('/effects', '')))
        throw violated('handlers', `${handler} runs, which this process does not have`);
      this.deliveries.begin(call, known);
    });
    return call;
  }

  #count(of: string): number {
    const count = (this.#counts.get(of) ?? 0) + 1;
    this.#counts.set(of, count);
    return count;
  }

  moodOf(handler: string): Mood {
    return this.#moods.get(handler.replace('/effects', '')) ?? 'good';
  }

  setMood(handler: string, mood: Mood): void {
    this.#moods.set(handler, mood);
  }

  /** By what the call is about, not by numbers of rows: with fewer steps, the other calls still do the same. */
  draw({ handler, event, nth }: Call, salt: number): number {
    const about = `${handler} ${this.identity.events[event - 1]?.sent.content ?? ''} ${String(nth)}`;
    return seededRandom(mixedWith(this.seed, about) * 7 + salt)();
  }

  // What senders see

  send(sending: Sending): void {
    const { receiver } = this;
    if (receiver === null) return;
    this.webhooks += 1;
    const { raw, sent } = posted(sending, this.webhooks, this.time.now());
    this.unanswered.push(sent);
    const answered = (): void => {
      this.unanswered = this.unanswered.filter((other) => other !== sent);
    };
    receiver.portaria.receive(raw).then(
      (receipt) => {
        if (this.time.isFrozen || receiver !== this.receiver) return;
        answered();
        this.note(`${sent.subject} ${receipt.status} ${receipt.id ?? ''}`);
        this.reach(`webhook ${receipt.status}`);
        this.tryCheck(() => {
          const before = this.identity.predict(sent);
          takeResolutions(this);
          const event = this.identity.received(sent, receipt, before);
          if (event !== null) this.storedEvent(event);
        });
      },
      (error: unknown) => {
        if (this.time.isFrozen || receiver !== this.receiver) return;
        answered();
        const code = PortariaError.is(error) ? error.code : String(error);
        this.note(`${sent.subject} refused: ${code}`);
        this.reach(`webhook refused: ${code}`);
        this.tryCheck(() => {
          const unverified = this.identity.predict(sent).is === 'unverified';
          if (unverified !== (code === 'not-verified') || (!unverified && !isExpected(error)))
            throw violated('verdict', `a webhook was refused: ${code}`, sent);
        });
      },
    );
  }

  storedEvent(event: KnownEvent): void {
    this.reach(`verdict ${event.verdict}`);
    this.provider.stored(event);
    this.isCalm();
    this.deliveries.stored(event, this.handlers, this.#kinds);
  }

  close(): void {
    this.database.close();
    for (const restore of this.#restore.toReversed()) restore();
  }

  #heard(about: Heard): void {
    const { event_name: name, handler = '', delivery = '', reason = '' } = about;
    if (this.time.isFrozen) return;
    if (name === 'breaker.opened') {
      this.deliveries.breakerOpened(handler);
      // A process that stops gives up runs that have timed out and go on.
      if (!this.isStopping)
        this.tryCheck(() => {
          this.breakerOpened(handler, about.open_ms ?? 0);
        });
    }
    if (name === 'delivery.dead') this.deliveries.isDead(delivery);
    if (name === 'delivery.dead' && reason.startsWith('not run again'))
      this.tryCheck(() => {
        this.deliveries.gaveUp(delivery);
      });
  }

  protected breakerOpened(handler: string, ms: number): void {
    this.breakers.opened(handler, ms, this.time.monotonic());
  }

  protected log(): Logger {
    return createToldLog((about, message, level) => {
      this.#heard(about);
      if (message.startsWith('the outcome was not recorded: the delivery will run again after the next'))
        this.isUnrecorded = true;
      this.trace(`${level} ${message} ${JSON.stringify(about)}`);
    });
  }
}

/** Whether the simulated disk or the end of the process may have caused an error. */
export function isExpected(error: unknown): boolean {
  return PortariaError.is(error, 'store-full', 'store-busy', 'store-failed', 'stopping');
}
