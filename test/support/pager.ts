/** The system that tells the operator: the target of `PORTARIA_ALERT_URL`. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { whenOver } from './when-over.ts';

export const alertSecret = `whsec_${Buffer.from('0123456789abcdefghijklmn').toString('base64')}`;

/** Receives alerts until the test ends. */
export async function startPager() {
  const received: { readonly headers: IncomingHttpHeaders; readonly body: string }[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      received.push({ headers: request.headers, body });
      response.writeHead(204).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  whenOver(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/alerts`;
  return {
    received,
    /** The settings with which Portaria sends alerts here. */
    settings: { PORTARIA_ALERT_URL: url, PORTARIA_ALERT_SECRET: alertSecret },
    /** `began` or `ended` and the problem of each alert, in order. */
    told: () =>
      received.map(({ body }) => {
        const { type, data } = JSON.parse(body) as { type: string; data: { problem: string } };
        return `${type.replace('portaria.problem.', '')} ${data.problem}`;
      }),
  };
}
