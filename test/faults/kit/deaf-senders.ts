import { fixture } from '../../support/fixtures.ts';
import type { Behaviour } from './crowd.ts';

/** Says nothing it is asked for: each field is of the wrong type, so that the answer is as long as one can be. */
const nonsense = Object.fromEntries(
  Object.keys(fixture('traffic-violation.created').data).map((field) => [field, { wrong: true }]),
);

function webhook(turn: number): string {
  const body = JSON.stringify({ type: 'traffic-violation.created', data: { ...nonsense, turn } });
  const head = ['POST /webhooks HTTP/1.1', 'Host: localhost', `Content-Length: ${String(body.length)}`];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

/** Sends so many webhooks at once every so many milliseconds, as long as they are taken, and never reads an answer. */
export function deafSender(atOnce: number, everyMs: number): Behaviour {
  return (socket) => {
    let sent = 0;
    socket.pause();
    const timer = setInterval(() => {
      // What the other side does not take must not pile up here.
      if (!socket.writable || socket.writableLength > 0) return;
      socket.write(Array.from({ length: atOnce }, () => webhook((sent += 1))).join(''));
    }, everyMs);
    socket.once('close', () => {
      clearInterval(timer);
    });
  };
}

/** Sends webhooks as fast as they are taken, many times more than are answered at a time, and never reads an answer. */
export const eagerSender: Behaviour = (socket) => {
  const many = Array.from({ length: 1_000 }, (_, turn) => webhook(turn)).join('');
  const more = (): void => {
    while (!socket.destroyed && socket.writable && socket.write(many));
  };
  socket.pause().on('drain', more);
  more();
};
