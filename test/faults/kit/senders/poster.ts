import { request, type Agent } from 'node:http';
import { onTestFinished } from 'vitest';

/** The response to a webhook, and how long it took. */
export interface TimedResponse {
  readonly status: number;
  readonly id: string;
  readonly ms: number;
}

/** Returns a function that posts bodies over the agent's connections. It rejects when there is no response. */
export function poster(
  url: string,
  agent: Agent,
): (body: string, more?: Readonly<Record<string, string>>) => Promise<TimedResponse> {
  onTestFinished(() => {
    agent.destroy();
  });
  return (body, more = {}) =>
    new Promise((resolve, reject) => {
      const sentAt = performance.now();
      const headers = {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        ...more,
      };
      const sending = request(url, { method: 'POST', agent, headers }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => (text += part));
        response.once('error', reject).once('end', () => {
          const { id = '' } = JSON.parse(text) as { id?: string };
          resolve({ status: response.statusCode ?? 0, id, ms: performance.now() - sentAt });
        });
      });
      sending.once('error', reject).end(body);
    });
}
