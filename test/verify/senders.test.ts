/** Good and forged webhooks of many senders, in rotation, with skewed clocks, repeats and replays. */
import { describe, expect, test } from 'vitest';
import type { RawDelivery, VerifiedDelivery } from '../../src/event/delivery.ts';
import { manualClock } from '../../src/testing/manual-clock.ts';
import { createVerifier } from '../../src/verify/create-verifier.ts';
import { readProof } from '../../src/verify/read-proof.ts';
import { findProofs } from '../../src/verify/try/find-proof.ts';
import type { VerifyOptions } from '../../src/verify/verify-options.ts';
import { BODY, deliveryOf, NOW, SECONDS, senders, type Sender, type Sent } from './senders.ts';

function optionsOf({ verify }: Pick<Sender, 'verify'>, secrets: readonly string[]): VerifyOptions {
  const { proof, mistakes } = readProof(verify);
  if (proof === undefined) throw new Error(JSON.stringify(mistakes));
  return { ...proof, secrets, messageIdHeader: 'webhook-id' } as VerifyOptions;
}

async function verifying(
  sender: Sender,
  sent: Sent,
  {
    body = BODY,
    secrets = sender.keys.map(({ known }) => known),
    ...repeated
  }: { readonly body?: string; readonly secrets?: readonly string[] } & Pick<
    RawDelivery,
    'repeatedHeaders' | 'repeatedQuery'
  > = {},
): Promise<VerifiedDelivery> {
  const verify = createVerifier(optionsOf(sender, secrets), { clock: manualClock(NOW) });
  return verify(deliveryOf(sent, body, repeated));
}

const notVerified = (reason?: string) =>
  expect.objectContaining({ code: 'not-verified', ...(reason !== undefined && { reason }) }) as Error;

describe.each(Object.entries(senders))('%s', (_name, sender) => {
  const send = async (key: unknown, body = BODY, at = SECONDS): Promise<Sent> =>
    Promise.resolve(sender.send(key as never, body, at));
  const [first, ...others] = sender.keys;
  const good = () => send(first?.own);

  test('is verified under each of the keys', async () => {
    for (const { own } of sender.keys)
      expect(await verifying(sender, await send(own))).toMatchObject({ senderVerified: true });
  });

  test('is not verified under a key that was taken away', async () => {
    const secrets = others.map(({ known }) => known);
    await expect(verifying(sender, await good(), { secrets })).rejects.toThrow(notVerified('mismatch'));
  });

  test('is not verified without its proof', async () => {
    await expect(verifying(sender, { headers: {} })).rejects.toThrow(notVerified());
  });

  test.runIf(sender.isBodyOpen !== true)('is not verified with another body', async () => {
    for (const body of [`${BODY}\n`, BODY.replace('1', '2'), ''])
      await expect(verifying(sender, await good(), { body })).rejects.toThrow(notVerified('mismatch'));
  });

  test('is not verified when any character of its proof is changed', async () => {
    const sent = await good();
    const places = (['headers', 'query'] as const).flatMap((place) =>
      Object.entries(sent[place] ?? {}).flatMap(([name, value]) =>
        ['type', 'other'].includes(name) ? [] : [[place, name, value] as const],
      ),
    );
    for (const [place, name, value] of places)
      for (const { 0: run, index } of value.matchAll(/[\w+/=-]{3,}/g)) {
        // What the sender does not sign may change.
        if (/^(?:A+=|other=.*|v0=6ffb.*)$/.test(run)) continue;
        const at = index + Math.floor(run.length / 2);
        const changed = value.slice(0, at) + (value[at] === '1' ? '2' : '1') + value.slice(at + 1);
        const forged = { ...sent, [place]: { ...sent[place], [name]: changed } };
        await expect(verifying(sender, forged), `${name}: ${changed}`).rejects.toThrow(notVerified());
      }
  });

  test('is not verified with a header of the proof that was sent twice', async () => {
    const sent = await good();
    if (typeof sender.verify === 'function') return;
    for (const name of Object.keys(sent.headers))
      await expect(verifying(sender, sent, { repeatedHeaders: [name] })).rejects.toThrow(
        notVerified('repeated'),
      );
    for (const name of Object.keys(sent.query ?? {}).slice(0, sender.verify === 'mercado-pago' ? 1 : 0))
      await expect(verifying(sender, sent, { repeatedQuery: [name] })).rejects.toThrow(
        notVerified('repeated'),
      );
  });

  test.runIf(typeof sender.verify !== 'function')('stores no header of the proof', async () => {
    const sent = await good();
    const options = { ...optionsOf(sender, [first?.known ?? '']), storedHeaders: Object.keys(sent.headers) };
    const { headers } = await createVerifier(options, { clock: manualClock(NOW) })(deliveryOf(sent, BODY));
    const { key = '' } = { key: typeof first?.own === 'string' ? first.own : undefined };
    expect(JSON.stringify(headers)).not.toMatch(/v1|sha256=|Basic|Bearer|eyJ/i);
    if (key !== '') expect(JSON.stringify(headers)).not.toContain(key);
  });

  test.runIf(typeof sender.verify !== 'function')('is found by trying', async () => {
    const secrets = sender.keys.slice(0, 1).map(({ known }) => known);
    const delivery = deliveryOf(await good(), BODY);
    const [found] = await findProofs(delivery, secrets, manualClock(NOW));
    if (sender.isUnusual === true) return expect(found).toBeUndefined();
    expect(found).toMatchObject({ verify: expect.anything() });
    expect(found).not.toHaveProperty('near');
    const { proof } = readProof(found?.verify);
    const other = createVerifier({ ...proof, secrets, messageIdHeader: 'webhook-id' } as VerifyOptions, {
      clock: manualClock(NOW),
    });
    expect(await other(delivery)).toMatchObject({ senderVerified: true });
  });

  test.runIf(sender.isTimed)('is verified within the tolerance, and never as a replay', async () => {
    const tolerance = sender.tolerance ?? 300;
    const own = first?.own;
    // The end of validity of a token is exclusive.
    const edge = tolerance - 1;
    for (const at of [SECONDS - edge, SECONDS])
      expect(await verifying(sender, await send(own, BODY, at))).toMatchObject({ senderVerified: true });
    const late = await send(own, BODY, SECONDS - tolerance - 1);
    const isFunction = typeof sender.verify === 'function';
    await expect(verifying(sender, late)).rejects.toThrow(notVerified(isFunction ? 'mismatch' : 'too-old'));
    const early = await send(own, BODY, SECONDS + tolerance + 1);
    await expect(verifying(sender, early)).rejects.toThrow(notVerified(isFunction ? 'mismatch' : 'too-new'));
  });
});
