/** The text at `/` of the private port: its addresses. */
import type { OpsDeps } from './ops-deps.ts';

/** What the private port has, as a person finds it: each address, and what it shows. */
const addresses = [
  ['/', 'in a browser: the console'],
  ['/healthz', 'whether the process is alive'],
  ['/readyz', 'whether it accepts and delivers webhooks'],
  ['/metrics', 'metrics for Prometheus'],
  ['/openapi.json', 'every request of the API below, as OpenAPI 3.1'],
  ['/api/stats', 'counts of events, deliveries and quarantine entries'],
  ['/api/events', 'the log of events'],
  ['/api/deliveries', 'each event for each handler, and its outcome'],
  ['/api/quarantine', 'bodies that are malformed or do not match the contract'],
  ['/api/machines', 'the states of machines'],
  ['/api/replays', 'replays and their progress'],
  ['/api/handlers', 'the handlers of this process'],
  ['/api/dispatch', 'what runs now, and open breakers'],
  ['/api/audit', 'what operators did'],
] as const;

/** The text at `/`. It needs no token, so it holds nothing of this installation but its version. */
export function indexPage({ version, token }: Pick<OpsDeps, 'version' | 'token'>): string {
  const width = Math.max(...addresses.map(([path]) => path.length));
  const access =
    token === null
      ? 'Requests must name localhost, 127.0.0.1 or [::1].'
      : 'All but /healthz and /readyz need Authorization: Bearer <PORTARIA_OPS_TOKEN>.';
  return [
    `Portaria ${version}, private port for operators`,
    '',
    ...addresses.map(([path, what]) => `${path.padEnd(width)}  ${what}`),
    '',
    access,
    '',
  ].join('\n');
}
