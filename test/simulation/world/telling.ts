/** What a story tells: its hash, what it has reached, and the first promise that was broken. */
import { createHash } from 'node:crypto';
import { violated, Violation } from '../checker/violation.ts';
import type { VirtualTime } from './virtual-time.ts';

/** Set `SIMULATION_TRACE` to read along. */
// oxlint-disable-next-line node/no-process-env
const isTraced = process.env['SIMULATION_TRACE'] !== undefined;

export class Telling {
  readonly time: VirtualTime;
  /** What was reached, and how often. */
  readonly reached = new Map<string, number>();
  readonly #hash = createHash('sha256');
  #violation: Violation | null = null;

  constructor(time: VirtualTime) {
    this.time = time;
  }

  /** Notes what happened: it is part of the story's hash. */
  note(what: string): void {
    this.#hash.update(`${String(this.time.monotonic())} ${what}\n`);
    this.trace(what);
  }

  protected trace(what: string): void {
    // oxlint-disable-next-line eslint/no-console
    if (isTraced) console.log(this.time.monotonic(), what);
  }

  get hash(): string {
    return this.#hash.copy().digest('hex').slice(0, 16);
  }

  reach(what: string): void {
    this.reached.set(what, (this.reached.get(what) ?? 0) + 1);
  }

  /** Keeps the first violation: it may be found inside the process, which would take it for an error of its own. */
  fail(error: unknown): void {
    this.#violation ??=
      error instanceof Violation
        ? error
        : violated('no error', String(error instanceof Error ? error.stack : error));
  }

  requireNoViolation(): void {
    if (this.#violation !== null) throw this.#violation;
  }

  tryCheck(check: () => void): void {
    try {
      check();
    } catch (error) {
      this.fail(error);
    }
  }
}
