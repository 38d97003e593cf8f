import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { company } from './kit/people.ts';
import { openWithSender } from './kit/sending-setup.ts';

type Deliveries = Awaited<ReturnType<Awaited<ReturnType<typeof openWithSender>>['deliveries']>>;

const ended = (count: number) => (rows: Deliveries) =>
  rows.length >= count && rows.every(({ status }) => status === 'delivered' || status === 'lost');
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const names = Array.from({ length: 40 }, (_, at) => `N${String(at + 1)}`);

/** Records 41 webhooks, and advances the clock until all have ended. */
async function play(
  chaos: Parameters<typeof openWithSender>[1],
  endpoint: Parameters<typeof openWithSender>[0] = {},
) {
  const setup = await openWithSender(endpoint, chaos);
  await setup.ours.post('/v1/companies', company);
  await setup.rename(...names);
  const sender = await setup.start();
  await setup.passUntil('all have ended', ended(41));
  return { ...setup, sender, sent: setup.receivedNames() };
}

test('sends duplicates once more, unchanged, with the same message id', async () => {
  const { receiver, sender, sent } = await play({ duplicates: 0.5 }, { secret });

  const repeats = sent.length - 41;
  expect(repeats).toBeGreaterThan(5);
  expect(sender.counts).toMatchObject({ duplicates: repeats, resign: 0, sent: sent.length });
  const bodies = new Map(receiver.received.map(({ headers, body }) => [String(headers['webhook-id']), body]));
  expect(bodies.size).toBe(41);
  for (const { headers, body } of receiver.received)
    expect(bodies.get(String(headers['webhook-id']))).toBe(body);
});

test('resigns with a new message id and a valid signature', async () => {
  const { receiver, sender, sent } = await play({ resign: 0.5 }, { secret });

  expect(sender.counts.resign).toBe(sent.length - 41);
  expect(sender.counts.resign).toBeGreaterThan(5);
  const ids = receiver.received.map(({ headers }) => String(headers['webhook-id']));
  expect(new Set(ids).size).toBe(sent.length);
  for (const { headers, body } of receiver.received) {
    const at = new Date(Number(headers['webhook-timestamp']) * 1000);
    expect(headers['webhook-signature']).toBe(
      new Webhook(secret).sign(String(headers['webhook-id']), at, body),
    );
  }
});

test('reorders webhooks without losing any', async () => {
  const { sender, sent } = await play({ reorder: 0.2 });

  expect([...sent].sort()).toEqual([company.name, ...names].sort());
  expect(sent).not.toEqual([company.name, ...names]);
  const overtaken = sent.filter((name, at) =>
    sent.slice(0, at).some((before) => order(before) > order(name)),
  );
  expect(sender.counts.reorder).toBe(overtaken.length);
});

test('delays webhooks, and sends each once', async () => {
  const { sender, sent, clock } = await play({ delay: 0.2 });

  expect(sender.counts.delay).toBeGreaterThan(3);
  expect([...sent].sort()).toEqual([company.name, ...names].sort());
  expect(clock.monotonic()).toBeGreaterThan(1_000);
});

test('sends dropped webhooks later', async () => {
  const { sender, sent, deliveries } = await play({ drops: 0.3 });

  expect(sender.counts.drops).toBeGreaterThan(5);
  expect([...sent].sort()).toEqual([company.name, ...names].sort());
  expect((await deliveries()).filter(({ attempts }) => attempts === 2)).toHaveLength(sender.counts.drops);
});

test('never sends lost webhooks, and keeps them as lost', async () => {
  const { sender, sent, deliveries } = await play({ losses: 0.3 });

  expect(sender.counts.losses).toBeGreaterThan(5);
  expect(sent).toHaveLength(41 - sender.counts.losses);
  const lost = (await deliveries()).filter(({ status }) => status === 'lost');
  expect(lost).toHaveLength(sender.counts.losses);
  expect(new Set(lost.map(({ failure }) => failure))).toEqual(new Set(['lost by chaos']));
});

test('sends truncated webhooks whole later, even if the receiver accepted the part', async () => {
  const setup = await openWithSender({ secret }, { truncation: 0.3 });
  await setup.ours.post('/v1/companies', company);
  await setup.rename(...names);
  const sender = await setup.start();
  await setup.passUntil('all have ended', ended(41));

  const parts = setup.receiver.received.filter(({ body }) => !body.endsWith('}'));
  expect(parts.length).toBeGreaterThan(5);
  expect(sender.counts.truncation).toBe(parts.length);
  const whole = setup.receiver.received.filter(({ body }) => body.endsWith('}'));
  expect(whole.map(({ headers }) => headers['webhook-id']).sort()).toEqual(
    [...new Set(setup.receiver.received.map(({ headers }) => headers['webhook-id']))].sort(),
  );
  for (const { headers, body } of parts) {
    const same = whole.find((other) => other.headers['webhook-id'] === headers['webhook-id']);
    expect(same?.body.startsWith(body)).toBe(true);
  }
});

test('holds a lane up for a burst, and then sends in order', async () => {
  const { sender, sent, clock } = await play({ bursts: 0.1 });

  expect(sent).toEqual([company.name, ...names]);
  expect(sender.counts.bursts).toBeGreaterThan(0);
  expect(clock.monotonic()).toBeGreaterThanOrEqual(500 * sender.counts.bursts);
});

test('repeats the same chaos for the same seed', async () => {
  const chaos = { duplicates: 0.2, losses: 0.1, drops: 0.2, truncation: 0.1, bursts: 0.05 };
  const [one, two] = [await play(chaos), await play(chaos)];

  expect(two.sender.counts).toEqual(one.sender.counts);
});

function order(name: string): number {
  return name === company.name ? 0 : Number(name.slice(1));
}
