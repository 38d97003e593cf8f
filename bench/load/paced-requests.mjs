import { connect } from 'node:net';
import { violation } from './violation.mjs';

/** How long what is under way at the end may still take, in milliseconds. */
const GRACE_MS = 10_000;

const HEAD_END = '\r\n\r\n';

/**
 * So many requests a second, spread evenly over time, whether or not earlier
 * ones were answered; those that find no free connection wait for one, and that
 * wait is part of their latency. (autocannon sends a second's worth at once,
 * and wrk has no rate.)
 *
 * @param {import('./paced.mjs').PacedLoad} load
 */
export async function generate({ url, perSecond, connections, seconds, firstId }) {
  const { hostname, port, pathname } = new URL(url);
  /** @type {number[]} */
  const latencies = [];
  /** @type {{ id: number, askedAt: number }[]} */
  const queue = [];
  /** @type {((request: { id: number, askedAt: number }) => void)[]} */
  const idle = [];
  let failures = 0;
  let underWay = 0;

  await Promise.all(Array.from({ length: connections }, openConnection));
  const startedAt = performance.now();
  let asked = 0;
  await new Promise((resolve) => {
    const ticker = setInterval(() => {
      const now = performance.now();
      const elapsed = Math.min((now - startedAt) / 1_000, seconds);
      for (const due = Math.floor(elapsed * perSecond); asked < due; asked += 1) {
        ask({ id: firstId + asked, askedAt: now });
      }
      if (elapsed < seconds) return;
      clearInterval(ticker);
      resolve(undefined);
    }, 1);
  });
  const unsent = queue.splice(0).length;
  const answered = latencies.length;
  const tookSeconds = (performance.now() - startedAt) / 1_000;
  for (const until = performance.now() + GRACE_MS; underWay > 0 && performance.now() < until;) {
    await new Promise((resolve) => void setTimeout(resolve, 5));
  }

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

  /** @param {{ id: number, askedAt: number }} request */
  function ask(request) {
    const send = idle.pop();
    if (send === undefined) queue.push(request);
    else send(request);
  }

  /** @returns {Promise<void>} */
  function openConnection() {
    return new Promise((resolve, reject) => {
      const socket = connect({ host: hostname, port: Number(port), noDelay: true });
      let received = '';
      let askedAt = 0;
      /** @param {{ id: number, askedAt: number }} request */
      const send = (request) => {
        askedAt = request.askedAt;
        underWay += 1;
        const body = violation(request.id);
        socket.write(
          `POST ${pathname} HTTP/1.1\r\nhost: ${hostname}\r\ncontent-type: application/json\r\n` +
            `content-length: ${String(Buffer.byteLength(body))}${HEAD_END}${body}`,
        );
      };
      socket.setEncoding('latin1').on('data', (text) => {
        received += text;
        if (!isWhole(received)) return;
        underWay -= 1;
        if (received.startsWith('HTTP/1.1 20')) latencies.push(performance.now() - askedAt);
        else failures += 1;
        received = '';
        const next = queue.shift();
        if (next === undefined) idle.push(send);
        else send(next);
      });
      socket.once('error', reject).once('connect', () => {
        idle.push(send);
        resolve();
      });
      // A server may end a connection that waits for its first request too long: most do, with so many of them.
      socket.once('close', () => {
        const at = idle.indexOf(send);
        if (at >= 0) idle.splice(at, 1);
      });
    });
  }
}

/**
 * Whether an answer with a length, or a chunked one, is there to its end.
 *
 * @param {string} text one byte a character
 */
function isWhole(text) {
  const head = text.indexOf(HEAD_END);
  if (head < 0) return false;
  const length = /content-length: *(\d+)/iu.exec(text.slice(0, head))?.[1];
  return length === undefined ? text.endsWith(`0${HEAD_END}`) : text.length >= head + 4 + Number(length);
}
