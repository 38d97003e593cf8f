import autocannon from 'autocannon';
import { violation, violationOf } from './violation.mjs';

/** @param {import('./closed-loop.mjs').Load} load */
export async function generate({ url, connections, seconds, firstId, cycle, perSecond, subjects }) {
  let sent = 0;
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    ...(perSecond > 0 ? { overallRate: perSecond } : {}),
    requests: [
      {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        setupRequest(request) {
          const number = sent;
          sent += 1;
          const body =
            subjects > 0
              ? violationOf(firstId + (number % subjects), firstId + number)
              : violation(firstId + (cycle > 0 ? number % cycle : number));
          return { ...request, body };
        },
      },
    ],
  });
  return {
    requests: result['2xx'],
    seconds: result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    failures: result.errors + result.timeouts + result.non2xx,
  };
}
