import { isUtf8 } from 'node:buffer';
import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';

/** What one sender would sign with one secret: `v1,<base64>`. `at` is seconds since 1970. */
export type Sign = (messageId: string, at: number, body: Uint8Array) => string;

/**
 * A signer by Standard Webhooks.
 *
 * The library signs text: it would turn bytes that are no UTF-8 into
 * replacement characters and so refuse what the sender rightly signed. Such
 * bodies are signed here, by the same rule, so that they are kept and answered
 * like any other malformed body.
 */
export function standardSigner(key: Uint8Array): Sign {
  const webhook = new Webhook(key, { format: 'raw' });
  return (messageId, at, body) => {
    if (isUtf8(body)) return webhook.sign(messageId, new Date(at * 1000), Buffer.from(body).toString());
    const mac = createHmac('sha256', key)
      .update(`${messageId}.${String(at)}.`)
      .update(body);
    return `v1,${mac.digest('base64')}`;
  };
}
