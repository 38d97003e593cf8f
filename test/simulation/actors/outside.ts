/** What those outside of the process, whom it calls, need of the world. */
import type { Identity } from '../checker/identity.ts';
import type { VirtualTime } from '../world/virtual-time.ts';

export interface Outside {
  readonly time: VirtualTime;
  readonly seed: number;
  readonly process: number;
  readonly identity: Identity;
  /** E-mail addresses that an operator has begun to erase. */
  readonly erasures: ReadonlySet<string>;
  note(what: string): void;
  reach(what: string): void;
  tryCheck(check: () => void): void;
}
