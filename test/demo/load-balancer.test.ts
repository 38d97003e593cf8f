/** The load balancer before several receivers of the demo. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createLoadBalancer } from '../../demo/environment/load-balancer.mjs';

/** A receiver that accepts webhooks, and one that closes each connection without a response. */
async function receiver(name: string, responds = true) {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    request.setEncoding('utf8').on('data', (text: string) => bodies.push(text));
    request.on('end', () => {
      if (responds) response.writeHead(202, { 'x-receiver': name }).end(name);
      else response.destroy();
    });
  });
  return { url: await listen(server), bodies };
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/webhooks`;
}

const send = (balancer: ReturnType<typeof createLoadBalancer>, text: string) =>
  balancer.forward({ 'content-length': String(text.length) }, Buffer.from(text));

test('sends webhooks to the receivers in turn, and returns what they respond', async () => {
  const one = await receiver('one');
  const other = await receiver('other');
  const balancer = createLoadBalancer([one.url, other.url]);

  for (const text of ['a', 'b', 'c', 'd']) {
    const { response, passedOn } = await send(balancer, text);
    expect(response).toMatchObject({ status: 202, headers: { 'x-receiver': String(response?.body) } });
    expect(passedOn).toBe(0);
  }

  expect([one.bodies, other.bodies]).toEqual([
    ['b', 'd'],
    ['a', 'c'],
  ]);
  expect(balancer.taken).toEqual([2, 2]);
});

test('passes a webhook on when a receiver does not respond, and then asks that one last', async () => {
  const down = await receiver('down', false);
  const up = await receiver('up');
  const balancer = createLoadBalancer([up.url, down.url]);

  const passedOn: number[] = [];
  for (const text of ['a', 'b', 'c']) passedOn.push((await send(balancer, text)).passedOn);

  expect(passedOn).toEqual([1, 0, 0]);
  expect(up.bodies).toEqual(['a', 'b', 'c']);
  expect(down.bodies).toEqual(['a']);
  expect(balancer.taken).toEqual([3, 0]);
});

test('has no response when no receiver responds', async () => {
  const [one, other] = [await receiver('one', false), await receiver('other', false)];
  const balancer = createLoadBalancer([one.url, other.url]);

  expect(await send(balancer, 'a')).toEqual({ response: null, passedOn: 1 });
});
