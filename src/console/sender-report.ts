/** What an operator sends to the sender of webhooks that are held or were rejected: in English and in Portuguese. */
import { isNoAddress, rejectedBecause } from '../attention/rejections.ts';
import { HOUR_MS } from '../kernel/time/durations.ts';
import type { WrongByte } from '../operate/show/likely-meant.ts';
import type { Language } from '../pages/language/languages.ts';
import { spoken } from '../pages/language/pairs.ts';
import type { RejectionCount } from '../store/monitoring.ts';
import type { ProblemGroupView } from '../view/failure-view.ts';
import type { QuarantineDetailView, QuarantineView } from '../view/quarantine-view.ts';
import { instantText } from '../view/instant-text.ts';
import { quarantineWords } from './language/quarantine.ts';
import { rightForm, schemaMessage } from './language/schema-messages.ts';
import { watchWords } from './language/watch.ts';

/** Held webhooks with one problem. Texts hold no personal data unless the page is unmasked. */
export interface HeldReport {
  /** The webhook whose problem it is. */
  readonly sample: QuarantineDetailView;
  /** Its first byte that is not UTF-8. */
  readonly wrong: WrongByte | null;
  /** The newest first, as many as the report lists. */
  readonly webhooks: readonly QuarantineView[];
  /** All of them, where they are more than the sample. */
  readonly all?: Pick<ProblemGroupView, 'entries' | 'first_at' | 'last_at'>;
}

/** Writes the report in one language, as plain text. */
export function senderReport(language: Language, { sample, wrong, webhooks, all }: HeldReport): string {
  const own = spoken(quarantineWords.senderReport, language);
  const { source, received_at: receivedAt, last_repeat_at: repeatedAt } = sample;
  const [{ path, message, value } = { path: '', message: sample.message, value: null }] = sample.issues;
  const count = all?.entries ?? 1;
  const [firstAt, lastAt] = [all?.first_at ?? receivedAt, all?.last_at ?? repeatedAt ?? receivedAt];
  const facts = [
    [own.address, addressOf(source)],
    [own.kind, [...new Set(webhooks.flatMap(({ kind }) => kind ?? []))].join(', ')],
    [own.field, path || own.body],
    [own.problem, (language === 'en' ? undefined : schemaMessage(message)) ?? message],
    [own.form, rightForm(message)],
    [own.value, wrong && own.wrong(wrong)],
    [own.value, value?.replace(/^text: /u, own.text)],
    [own.first, firstAt],
    [own.last, lastAt === firstAt ? null : lastAt],
  ] as const;
  return [
    own.begin(count),
    '',
    ...facts.flatMap(([name, fact]) => (fact ? [`${name}: ${fact}`] : [])),
    '',
    own.webhooks(count),
    ...webhooks.map(({ received_at: at, kind, subject, message_id: id }) =>
      ['-', at, ` ${kind ?? '–'}`, ` ${subject ?? '–'}`, ` ${id ?? '–'}`].join(' '),
    ),
    ...(count > webhooks.length ? [own.more(count - webhooks.length)] : []),
    '',
    own.end,
  ].join('\n');
}

/**
 * Writes which webhooks were rejected, by hour and address, and where they belong. Nothing of them is stored.
 *
 * @param sources those that webhooks came from
 */
export function rejectionReport(
  language: Language,
  rejections: readonly RejectionCount[],
  sources: ReadonlySet<string>,
): string {
  const own = spoken(quarantineWords.senderReport, language);
  const { because } = spoken(watchWords, language);
  return [
    own.rejected,
    '',
    ...rejections.map((row) => {
      const address = isNoAddress(row.lastReason) ? row.source : addressOf(row.source);
      return `- ${instantText(row.hour * HOUR_MS)} ${address}: ${own.count(row.rejections)}, ${rejectedBecause(row, because)}`;
    }),
    '',
    ...(rejections.some((row) => isNoAddress(row.lastReason))
      ? [`${own.right}: ${[...sources].map(addressOf).join(', ') || addressOf('default')}`, '']
      : []),
    own.end,
  ].join('\n');
}

const addressOf = (source: string): string => `/webhooks${source === 'default' ? '' : `/${source}`}`;
