/** The dependencies of plans and jobs. */
import type { Registry } from '../handle/load/registry.ts';
import type { Random } from '../kernel/random.ts';
import type { Clock } from '../kernel/time/clock.ts';
import type { ReleaseDeps } from '../operate/change/release-quarantine.ts';
import type { Post } from './replay/send-events.ts';
import type { RepairSubject } from '../reconcile/repair-subject.ts';
import type { Store } from '../store/store.ts';

/** What plans and jobs read and change: the same in the console, the operators' API and the command line. */
export interface JobDeps extends Pick<ReleaseDeps, 'parse' | 'identify'> {
  readonly store: Store;
  readonly registry: Registry;
  readonly clock: Clock;
}

/** What the serving process runs jobs with. */
export interface RunDeps extends JobDeps {
  /** Called when something was enqueued. */
  readonly wake: () => void;
  readonly random: Random;
  /** Posts events to the URL of a replay. */
  readonly postTo: (url: string) => Post;
  readonly repair: RepairSubject;
  /** Receives a sentence for the log. */
  readonly warn: (message: string) => void;
}
