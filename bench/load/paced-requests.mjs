import { openPacedConnection } from './paced-connection.mjs';

/** Milliseconds for requests that are in flight at the end. */
const GRACE_MS = 10_000;

/**
 * Sends requests at a fixed rate, evenly spaced, whether or not earlier ones have
 * responses. The wait for a free connection is part of the latency. (autocannon
 * sends the requests of a second at once, and wrk has no rate.)
 *
 * The first requests are not measured: this program is slow until it is compiled,
 * and its connections are new.
 *
 * @param {import('./paced.mjs').PacedLoad} load
 */
export async function generate({ url, perSecond, connections, warmUpSeconds, seconds, firstId }) {
  /** @type {number[]} */
  let latencies = [];
  /** @type {{ id: number, askedAt: number }[]} */
  const queue = [];
  /** @type {((request: { id: number, askedAt: number }) => void)[]} */
  const idle = [];
  let failures = 0;
  let underWay = 0;
  let nextId = firstId;

  await Promise.all(Array.from({ length: connections }, open));
  await spread(warmUpSeconds);
  await settled();
  latencies = [];
  const tookSeconds = await spread(seconds);
  const unsent = queue.splice(0).length;
  const answered = latencies.length;
  await settled();

  const sorted = Float64Array.from(latencies).sort();
  return {
    requests: latencies.length,
    answered,
    seconds: tookSeconds,
    p50: sorted[Math.floor(sorted.length * 0.5)] ?? 0,
    p99: sorted[Math.floor(sorted.length * 0.99)] ?? 0,
    failures: failures + underWay,
    unsent,
  };

  /**
   * @param {number} length seconds
   * @returns {Promise<number>} seconds it took
   */
  function spread(length) {
    const startedAt = performance.now();
    let asked = 0;
    return new Promise((resolve) => {
      const ticker = setInterval(() => {
        const now = performance.now();
        const elapsed = Math.min((now - startedAt) / 1_000, length);
        for (const due = Math.floor(elapsed * perSecond); asked < due; asked += 1) {
          ask({ id: nextId, askedAt: now });
          nextId += 1;
        }
        if (elapsed < length) return;
        clearInterval(ticker);
        resolve((performance.now() - startedAt) / 1_000);
      }, 1);
    });
  }

  async function settled() {
    for (const until = performance.now() + GRACE_MS; underWay > 0 && performance.now() < until;) {
      await new Promise((resolve) => void setTimeout(resolve, 5));
    }
  }

  /** @param {{ id: number, askedAt: number }} request */
  function ask(request) {
    const send = idle.pop();
    if (send === undefined) queue.push(request);
    else send(request);
  }

  async function open() {
    let askedAt = 0;
    const connection = await openPacedConnection(url, {
      onAnswer(isSuccess) {
        underWay -= 1;
        if (isSuccess) latencies.push(performance.now() - askedAt);
        else failures += 1;
        const next = queue.shift();
        if (next === undefined) idle.push(send);
        else send(next);
      },
      // Servers may close a connection that waits too long for its first request.
      onClose() {
        const at = idle.indexOf(send);
        if (at >= 0) idle.splice(at, 1);
      },
    });
    /** @param {{ id: number, askedAt: number }} request */
    function send(request) {
      askedAt = request.askedAt;
      underWay += 1;
      connection.send(request.id);
    }
    idle.push(send);
  }
}
