import { fixture } from '../../../support/webhooks/fixtures.ts';
import type { Behaviour } from './crowd.ts';

/** A payload whose fields all have the wrong type, so that the response is as long as possible. */
const invalidData = Object.fromEntries(
  Object.keys(fixture('traffic-violation.created').data).map((field) => [field, { wrong: true }]),
);

function webhook(number: number): string {
  const body = JSON.stringify({ type: 'traffic-violation.created', data: { ...invalidData, number } });
  const head = ['POST /webhooks HTTP/1.1', 'Host: localhost', `Content-Length: ${String(body.length)}`];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

/** Sends a burst of webhooks every `everyMs` milliseconds while the server reads, and never reads a response. */
export function nonReadingSender(burst: number, everyMs: number): Behaviour {
  return (socket) => {
    let sent = 0;
    socket.pause();
    const timer = setInterval(() => {
      // Bytes that the server does not read must not pile up here.
      if (!socket.writable || socket.writableLength > 0) return;
      socket.write(Array.from({ length: burst }, () => webhook((sent += 1))).join(''));
    }, everyMs);
    socket.once('close', () => {
      clearInterval(timer);
    });
  };
}

/** Sends webhooks as fast as the server reads, and never reads a response. */
export const fastNonReadingSender: Behaviour = (socket) => {
  const many = Array.from({ length: 1_000 }, (_, number) => webhook(number)).join('');
  const more = (): void => {
    while (!socket.destroyed && socket.writable && socket.write(many));
  };
  socket.pause().on('drain', more);
  more();
};
