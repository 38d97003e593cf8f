/** Shows pauses, and the forms that pause and resume. */
import { createHash } from 'node:crypto';
import type { FC } from 'hono/jsx';
import { FormToken } from '../../pages/document.tsx';
import { may, usePage, type Page } from '../page.ts';
import { planAddress } from '../plan-address.ts';
import type { PauseView } from '../../view/pause-view.ts';
import { CountLink, handlerAddress, subjectAddress } from './event-cells.tsx';
import { Listed } from './facts.tsx';
import { addressWith } from '../../pages/base-page.ts';
import { Act, ForOperators, Hidden, openAddress, ReasonField } from './form-fields.tsx';
import { effectsName } from '../../handle/define/machine.ts';
import type { Pause } from '../../store/pauses.ts';
import type { FailureGroup } from '../../store/plans.ts';
import { Time } from '../../pages/time.tsx';
import { MINUTE_MS } from '../../kernel/time/durations.ts';

/** A pause, and how many deliveries wait for it. */
export interface ShownPause {
  readonly pause: PauseView;
  readonly waiting: { readonly deliveries: number; readonly more: boolean };
  /** Those of them that have failed before. */
  readonly tried: number;
}

/** The pauses, with a button that ends each. */
export const PauseTable: FC<{ readonly pauses: readonly ShownPause[] }> = ({ pauses }) => {
  const page = usePage();
  const { words } = page;
  return (
    <Listed
      {...{ id: 'pauses', title: words.pauses.title, none: words.pauses.nothing, rows: pauses }}
      columns={[
        { head: words.columns.what, cell: (shown) => <Sentence {...shown} /> },
        {
          head: words.pauses.ends,
          cell: ({ pause: { until, dead_letter: failed } }) => {
            if (until !== null) return <Time iso={until} as="relative" />;
            return failed === null ? words.pauses.untilResumed : words.pauses.untilRetried;
          },
        },
        {
          head: words.columns.waiting,
          as: 'number',
          cell: ({ pause, waiting: { deliveries, more }, tried }) => (
            <>
              <CountLink {...{ count: deliveries, more }} href={waitingAddress(pause)} />
              {words.pauses.triedOf(tried)}
            </>
          ),
        },
        may(page, 'operate') && { head: words.columns.action, cell: (shown) => <Resume {...shown} /> },
      ]}
    />
  );
};

/** The events that wait for a pause. */
function waitingAddress({ handler, source, subject }: PauseView): string {
  const filter = new URLSearchParams({ status: 'pending' });
  // A machine's pause covers its effects.
  if (handler !== null) filter.set('handler', `${handler},${effectsName(handler)}`);
  if (source !== null) filter.set('source', source);
  if (subject !== null) filter.set('subject', subject);
  return `/events?${filter.toString()}`;
}

const Sentence: FC<ShownPause> = ({ pause, waiting }) => {
  const page = usePage();
  return (
    <>
      {pauseSentence(page, pause, waiting.deliveries)}{' '}
      {pause.subject !== null && (
        <a href={subjectAddress(pause.subject)}>
          {page.words.problems.action(subjectAddress(pause.subject))}
        </a>
      )}
      {pause.acknowledged_at === null && <p class="soft">{page.words.pauses.notTaken}</p>}
    </>
  );
};

/** A pause for which nothing waits ends at once; another one has a page that says what starts. */
const Resume: FC<ShownPause> = ({ pause, waiting }) => {
  const { url, words } = usePage();
  if (waiting.deliveries === 0 && pause.dead_letter === null)
    return <ResumeForm pause={pause} back={`${url.pathname}${url.search}`} label={words.pauses.resume} />;
  return <WaysOn pause={pause} as="button" />;
};

/** The ways out of a pause, each with a page of its own. Behind a failed delivery, a retry skips nothing. */
const WaysOn: FC<{ readonly pause: PauseView; readonly as?: string }> = ({ pause, as }) => {
  const { pauses: words, groups } = usePage().words;
  const { dead_letter: failed } = pause;
  return (
    <>
      {failed !== null && (
        <a class={as} href={planAddress('retry', { ids: failed })}>
          {groups.retry}
        </a>
      )}{' '}
      <a class={as} href={pauseAddress(pause)}>
        {failed === null ? words.resumePlan : words.passPlan}
      </a>
    </>
  );
};

/** The deliveries of a whole handler that have failed before. Those of other pauses are not counted. */
export function triedOf({ handler, source, subject }: Pause, groups: readonly FailureGroup[]): number {
  if (handler === null || source !== null || subject !== null) return 0;
  const names = [handler, effectsName(handler)];
  return groups.reduce((sum, group) => sum + (names.includes(group.handler) ? group.failing : 0), 0);
}

/** What an operator has read of a pause. Another one may pause the same again, for a reason of their own. */
export function readOf({ reason, paused_by: by, until }: PauseView): string {
  return createHash('sha256')
    .update(JSON.stringify([reason, by, until]))
    .digest('base64url');
}

/** Ends a pause, and leads back to an address. */
export const ResumeForm: FC<{
  readonly pause: PauseView;
  readonly back: string;
  readonly label: string;
  /** Whether another action of the page comes first. */
  readonly isSecond?: boolean;
}> = ({ pause, back, label, isSecond = false }) => {
  const page = usePage();
  return (
    <form method="post" action="/handlers/resume">
      <FormToken page={page} />
      <Hidden fields={Object.entries({ back, pause: pause.id, read: readOf(pause) })} />
      <button class={isSecond ? '' : 'primary'}>{label}</button>
    </form>
  );
};

/** The page of a handler with the form open that pauses it. */
export const pauseFormAddress = (handler: string): string => openAddress(handlerAddress(handler), 'pause');

/** A form that pauses, closed until it is needed. It asks for a reason. */
export const PauseForm: FC<{
  /** What the closed form says. */
  readonly open: string;
  /** The parts of the scope that the page knows. */
  readonly given?: Readonly<Partial<Record<'handler' | 'source' | 'subject', string>>>;
  /** The part that the visitor chooses, and from what. */
  readonly choose?: { readonly part: 'handler' | 'source'; readonly names: readonly string[] };
}> = ({ open, given = {}, choose }) => {
  const page = usePage();
  const { pauses: words, columns } = page.words;
  const part = given.subject === undefined ? (choose?.part ?? 'handler') : 'subject';
  return (
    <ForOperators>
      <Act id="pause" title={open}>
        <form method="post" action="/handlers/pause" class="stack">
          <FormToken page={page} />
          <Hidden fields={Object.entries({ back: addressWith(page.url, { open: null }), ...given })} />
          {choose !== undefined && (
            <label>
              <span>{columns[choose.part]}</span>
              <select name={choose.part} required>
                {choose.names.map((name) => (
                  <option>{name}</option>
                ))}
              </select>
            </label>
          )}
          <ReasonField label={words.reason} />
          <label>
            <span>{columns.until}</span>
            <select name="until">
              {Object.entries(words.periods).map(([period, text]) => (
                <option value={period}>{text}</option>
              ))}
            </select>
          </label>
          <p class="soft">
            {words.explain[part]} {words.running}
          </p>
          <button class="primary">{words.confirm}</button>
        </form>
      </Act>
    </ForOperators>
  );
};

/** A line for each pause that holds back what a page shows. */
export const PauseLines: FC<{ readonly pauses: readonly PauseView[] }> = ({ pauses }) => {
  const page = usePage();
  return (
    <>
      {pauses.map((pause) => (
        <p class="notice warn">
          {pauseSentence(page, pause)} {may(page, 'operate') && <WaysOn pause={pause} />}
        </p>
      ))}
    </>
  );
};

/** The page of a pause, which says what a resume starts. */
export function pauseAddress({ id }: Pick<PauseView, 'id'>): string {
  return `/handlers/pauses/${id}`;
}

/**
 * What is paused, by whom, since when and why.
 *
 * @param waiting the events that wait for it; undefined where they are not counted
 */
export function pauseSentence(page: Page, pause: PauseView, waiting?: number): string {
  const { words, format, now } = page;
  const { handler, subject, dead_letter: delivery } = pause;
  if (delivery !== null && handler !== null && subject !== null) {
    const ms = now - Date.parse(pause.paused_at);
    const unit = ms < MINUTE_MS ? 1_000 : MINUTE_MS;
    const time = format.duration(Math.max(1_000, Math.floor(ms / unit) * unit));
    return words.pauses.behind({ handler, subject, delivery, time, waiting });
  }
  const since = format.relative(pause.paused_at, now);
  return words.pauses.summary(
    scopeWords(page, pause),
    words.frame.visitor(pause.paused_by),
    since,
    pause.reason,
  );
}

/** What a pause covers, in words that begin a sentence: `Handler ledger, subject company:12`. */
function scopeWords({ words }: Pick<Page, 'words'>, { handler, source, subject }: PauseView): string {
  const { scope } = words.pauses;
  const text = [
    ...(handler === null ? [] : [`${scope.handler} ${handler}`]),
    ...(source === null ? [] : [`${scope.source} ${source}`]),
    ...(subject === null ? [] : [`${scope.subject} ${subject}`]),
  ].join(', ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
