/** Where a problem that a check has found shows its cause. */
import type { ProblemFacts } from '../../attention/problem.ts';
import { handlerAddress } from '../components/event-cells.tsx';

/** The page that shows the cause of a problem. */
export function causeAddress(facts: ProblemFacts): string {
  const events = (filters: Readonly<Record<string, string>>): string =>
    `/events?${new URLSearchParams(filters).toString()}`;
  switch (facts.about) {
    case 'rejections':
      return '/senders#rejections';
    case 'observed':
      return events({ source: facts.source, flag: 'unverified' });
    case 'unknown-kinds':
      return events({ source: facts.source, flag: 'unrecognized' });
    case 'overdue':
      return events({ kind: facts.pattern });
    case 'unregistered-handlers':
    case 'stalled':
      return facts.handler === null ? '/handlers' : handlerAddress(facts.handler);
    case 'silence':
    case 'missed-webhooks':
      return '/senders#arrivals';
    case 'drift':
    case 'reconcile-late':
      return '/senders#provider';
    case 'moved-server':
    case 'backup-late':
    case 'disk-low':
      return '/system';
  }
}
