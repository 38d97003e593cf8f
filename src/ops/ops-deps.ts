/** The dependencies of the private port. */
import type { Registry as MetricsRegistry } from 'prom-client';
import type { SignOnSettings } from '../access/sign-on.ts';
import type { Access } from '../access/visitor.ts';
import type { ConsoleDeps } from '../console/console-deps.ts';

/** What the private port shows and operates: what the console does, and metrics. */
export interface OpsDeps extends Omit<ConsoleDeps, keyof Access | 'auditor' | 'erasures'> {
  readonly metrics: MetricsRegistry;
  /** Required of every request except probes; null accepts every request to a loopback name. */
  readonly token: string | null;
  /** Admits to reading the console with masked data; null when there is none. */
  readonly viewToken: string | null;
  /** Single sign-on by a proxy; absent when it is off. */
  readonly singleSignOn?: SignOnSettings | null;
  /** Whether tokens sign in to the console; true unless it is false. */
  readonly tokenSignIn?: boolean;
}
