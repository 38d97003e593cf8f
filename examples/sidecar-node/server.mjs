/**
 * An application behind Portaria: it receives forwarded events, verifies their
 * signature (Standard Webhooks) and prints them. Plain Node.js without a package.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const { PORT = '3000', WEBHOOK_SECRET = '' } = process.env;
const key = Buffer.from(WEBHOOK_SECRET.replace(/^whsec_/, ''), 'base64');
if (key.length === 0) throw new Error('Set WEBHOOK_SECRET to the value of PORTARIA_FORWARD_SECRET');
const TOLERANCE_SECONDS = 300;

const server = createServer((request, response) => {
  // Portaria retries on 500 and on a broken connection.
  respond(request, response).catch(() => response.writeHead(500).end());
});

async function respond(request, response) {
  if (request.url === '/healthz') return response.writeHead(200).end();
  if (request.method !== 'POST' || request.url !== '/webhooks') return response.writeHead(404).end();

  const body = Buffer.concat(await request.toArray());
  if (!isSigned(request.headers, body)) return response.writeHead(401).end();

  // The id is the same for each attempt: store it to ignore repeats.
  const { type, data } = JSON.parse(body.toString());
  console.log(String(request.headers['webhook-id']), type, JSON.stringify(data));
  response.writeHead(204).end();
}

function isSigned(headers, body) {
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map(
    (name) => headers[`webhook-${name}`] ?? '',
  );
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= TOLERANCE_SECONDS)) return false;
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
  return signatures.split(' ').some((signature) => {
    const given = Buffer.from(signature.replace(/^v1,/, ''), 'base64');
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

server.listen(Number(PORT), () => console.log(`application on port ${server.address().port}`));
process.once('SIGTERM', () => server.close());
