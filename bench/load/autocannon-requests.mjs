import autocannon from 'autocannon';
import { violation } from './violation.mjs';

/** @param {import('./closed-loop.mjs').Load} load */
export async function generate({ url, connections, seconds, firstId, cycle, perSecond }) {
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
          const id = firstId + (cycle > 0 ? sent % cycle : sent);
          sent += 1;
          return { ...request, body: violation(id) };
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
