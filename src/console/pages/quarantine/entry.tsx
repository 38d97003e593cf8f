/** The page of a quarantined webhook. */
import type { FC } from 'hono/jsx';
import { KindOf, Seen } from '../../components/entry-table.tsx';
import { SubjectLink } from '../../components/event-cells.tsx';
import { Json, UnmaskLink } from '../../components/json.tsx';
import { Quoted } from '../../components/foreign-text.tsx';
import { State } from '../../../pages/state.tsx';
import { Table } from '../../../pages/table.tsx';
import { Time } from '../../../pages/time.tsx';
import { FormToken } from '../../../pages/document.tsx';
import { providerEnvelope } from '../../../contract/contract.ts';
import type { JsonValue } from '../../../kernel/json/json.ts';
import { parseJson } from '../../../kernel/json/parse-json.ts';
import { issueSteps } from '../../../view/payload/offending-value.ts';
import type { tryRelease } from '../../../jobs/make-plan.ts';
import type { AuditEntry } from '../../../store/audit.ts';
import { instantText } from '../../../view/instant-text.ts';
import { errorText } from '../../../view/payload/unmasking.ts';
import type { QuarantineDetailView } from '../../../view/quarantine-view.ts';
import { Frame } from '../../frame.tsx';
import { saysAbsent } from '../../language/schema-messages.ts';
import type { WrongByte } from '../../../operate/show/likely-meant.ts';
import { may, usePage, type Page } from '../../page.ts';
import { senderReport } from '../../sender-report.ts';
import { DiscardForm, SenderReport } from './forms.tsx';

export interface ShownEntry {
  readonly entry: QuarantineDetailView;
  /** The first byte that is not UTF-8. */
  readonly wrong: WrongByte | null;
  readonly isGuess: boolean;
  readonly isAcceptedLater: boolean;
}

export const EntryPage: FC<
  ShownEntry & {
    readonly page: Page;
    /** What its release would do; null for one that is not held. */
    readonly tried: Awaited<ReturnType<typeof tryRelease>> | null;
  }
> = ({ page, entry, wrong, isGuess, isAcceptedLater, tried }) => {
  const isValid = tried && tried.entries.passing > 0;
  const behind = tried?.overtaken.shown.map(({ handler }) => handler) ?? [];
  const words = page.words.quarantine;
  const isHeld = entry.status === 'held';
  return (
    <Frame page={page} current="quarantine" title={words.entry(entry.id)}>
      <h1>
        <Quoted text={entry.message} />
      </h1>
      <p class="lead">
        <span class="mono">
          {entry.id} · <KindOf kind={entry.kind} isGuess={isGuess} /> ·{' '}
          {entry.subject !== null && (
            <>
              <SubjectLink subject={entry.subject} /> ·{' '}
            </>
          )}
          {entry.source} · <Time iso={entry.received_at} />
        </span>{' '}
        · {words.seen}{' '}
        <Seen
          times={entry.repeats + 1}
          firstAt={entry.received_at}
          lastAt={entry.last_repeat_at ?? entry.received_at}
        />
      </p>
      <p>
        {isValid === false ? (
          words.cannot(1)
        ) : (
          <State
            tone={behind.length > 0 ? 'warn' : 'ok'}
            word={isValid === null ? words.released : words.valid}
          />
        )}{' '}
        {behind.length > 0
          ? words.behind(behind.join(', '), behind.length, entry.subject ?? '')
          : isAcceptedLater && <State tone="ok" word={words.later} />}{' '}
        {entry.event_id !== null && (
          <>
            {words.becameEvent} <a href={`/events/${entry.event_id}`}>{entry.event_id}</a>
          </>
        )}
      </p>
      <div class="actions">
        {may(page, 'operate') && isValid === true && (
          <form method="post" action="/quarantine/release">
            <FormToken page={page} />
            <input type="hidden" name="entry" value={entry.id} />
            <button class={behind.length > 0 ? '' : 'primary'}>{words.release}</button>
          </form>
        )}
        <UnmaskLink masked={entry.masked} />
      </div>
      {isHeld && (
        <SenderReport
          write={(language) => senderReport(language, { sample: entry, wrong, webhooks: [entry] })}
        />
      )}
      {isHeld && <DiscardForm id="discard" count={1} fields={[['entry', entry.id]]} />}
      {entry.issues.length > 0 && <Issues {...entry} />}
      <h2>
        {words.body}{' '}
        <span class="soft">
          {page.words.event.bytes(page.format.bytes(entry.body_bytes), entry.masked)}{' '}
          {wrong?.character != null && `(${words.latin1})`}
        </span>
      </h2>
      <div class="sheet">
        <Body entry={entry} />
      </div>
    </Frame>
  );
};

/** What is known of an entry that the quarantine no longer has. */
export const GonePage: FC<{
  readonly page: Page;
  readonly id: string;
  readonly discard: AuditEntry | undefined;
}> = ({ page, id, discard }) => {
  const { quarantine: words, frame } = page.words;
  return (
    <Frame page={page} current="quarantine" title={words.entry(id)} refresh={0}>
      <h1>{words.gone(id)}</h1>
      <p class="lead">
        {discard === undefined ? (
          words.goneWhy
        ) : (
          <>
            {words.goneBy(frame.visitor(discard.actor ?? '–'))} <Time iso={instantText(discard.at)} />
            {discard.reason !== null && `: ${errorText(discard.reason, { unmask: false })}`}
          </>
        )}{' '}
        <a href={`/audit?action=discardQuarantine${discard === undefined ? '' : `&subject=${id}`}`}>
          {frame.names.audit}
        </a>
      </p>
    </Frame>
  );
};

const Issues: FC<Pick<QuarantineDetailView, 'issues' | 'masked'>> = ({ issues, masked }) => {
  const { quarantine: words, columns, event } = usePage().words;
  const noValue = (message: string): string =>
    saysAbsent(message) ? event.absent : masked ? words.hidden : words.inBody;
  return (
    <>
      <h2>{words.issues}</h2>
      <Table
        rows={issues}
        columns={[
          { head: columns.field, as: 'code', cell: ({ path }) => path },
          { head: columns.problem, cell: ({ message }) => <Quoted text={message} /> },
          {
            head: words.value,
            as: 'code',
            cell: ({ value, message }) => value ?? <span class="soft">{noValue(message)}</span>,
          },
        ]}
      />
    </>
  );
};

const Body: FC<{ readonly entry: QuarantineDetailView }> = ({ entry }) => {
  const { words, contract } = usePage();
  if (entry.body === null) return <p class="soft">{words.quarantine.notJson}</p>;
  const value = jsonOrText(entry.body);
  if (typeof value === 'string') return <pre>{value}</pre>;
  // Where another envelope has its data, only a function knows.
  const isKnown = contract.envelopeOf(entry.source) === providerEnvelope;
  const marked = entry.issues.map(
    ({ path, value: sent }) => [['', 'data', ...issueSteps(path)].join('/'), sent] as const,
  );
  return <Json value={value} marked={new Map(isKnown ? marked : [])} />;
};

function jsonOrText(text: string): JsonValue {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}
