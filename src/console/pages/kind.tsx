/** The page of one kind of the contract. */
import { basename } from 'node:path';
import type { FC } from 'hono/jsx';
import { Notice } from '../../pages/list.tsx';
import { Table } from '../../pages/table.tsx';
import { eventsAddress } from '../components/event-cells.tsx';
import { Facts } from '../components/facts.tsx';
import { Described } from '../components/foreign-text.tsx';
import type { PagesDeps } from '../console-deps.ts';
import { FormToken } from '../../pages/document.tsx';
import { Frame } from '../frame.tsx';
import { may, usePage, type Page } from '../page.ts';
import type { KindContract } from '../../contract/kind-contract.ts';
import { isJsonObject } from '../../kernel/json/json.ts';
import { sampleOrNull } from '../../operate/contract/fixtures.ts';
import { fieldDetails, versionRuleOf, type FieldDetail } from '../../operate/contract/kind-detail.ts';
import { sampleToSend } from '../../operate/contract/send-sample.ts';

/** Values of an enumeration that are listed. */
const MAX_VALUES = 30;

interface KindProps {
  readonly page: Page;
  readonly samples: PagesDeps['samples'];
  readonly kind: KindContract;
  /** Kinds of the same name from other senders. */
  readonly others: readonly KindContract[];
  readonly handlers: readonly string[];
  readonly typed?: Typed | undefined;
}

/** A sample as it was typed and sent, and what became of it. */
export interface Typed {
  readonly body: string;
  readonly source: string | null;
  readonly sent: keyof Page['words']['contract']['outcomes'];
  /** The event or the quarantined webhook. */
  readonly id: string | null;
}

/** The page of one kind: what it says, its fields, and its sample. */
export const KindPage: FC<KindProps> = ({ page, samples, kind, others, handlers, typed }) => {
  const { contract: words, columns } = page.words;
  const sample = sampleOrNull(page.contract, kind);
  const data = sample && page.contract.dataOf(kind.source ?? 'default', sample.body);
  const id = isJsonObject(data) ? kind.subjectId(data) : undefined;
  const rule = versionRuleOf(kind);
  const fields = fieldDetails(kind);
  return (
    <Frame page={page} current="contract" title={kind.kind}>
      <h1 class="mono">{kind.kind}</h1>
      <p class="lead">
        <Described text={kind.title} />. <Described text={kind.description} />
      </p>
      {others.length > 0 && (
        <p>
          {words.several}{' '}
          {others.map((other) => (
            <>
              <a href={kindAddress(other)}>{other.source ?? words.everySource}</a>{' '}
            </>
          ))}
        </p>
      )}
      <div class="cols">
        <section>
          <div class="sheet">
            <Facts
              facts={[
                [columns.source, kind.source ?? words.everySource],
                [words.origin, originText(kind, page)],
                kind.section !== null && [words.section, kind.section],
                [columns.subject, <span class="mono">{kind.family}:…</span>],
                [
                  columns.version,
                  rule.by === 'fields' ? (
                    <>
                      {words.byFields} <code>{rule.fields.map((field) => `data.${field}`).join(', ')}</code>
                    </>
                  ) : (
                    words[rule.by === 'function' ? 'byFunction' : 'byArrival']
                  ),
                ],
                [
                  page.words.frame.names.handlers,
                  <span class="mono">{handlers.join(', ') || words.nobody}</span>,
                ],
              ]}
            />
            <p>
              <a href={eventsAddress(kind.kind)}>{words.events}</a>
              {' · '}
              <a href={`${eventsAddress(kind.kind)}&flag=unknown-value`}>{words.beyond}</a>
            </p>
          </div>
          <h2>{columns.sample}</h2>
          {sample === null ? (
            <p class="soft">{words.noSample}</p>
          ) : (
            <>
              {isJsonObject(data) && id !== undefined && (
                <p class="soft">{words.sampleOf(`${kind.family}:${String(id)}`, kind.version(data))}</p>
              )}
              {/* The form has the sample, too. */}
              {(samples == null || !may(page, 'operate')) && (
                <div class="sheet sample" tabindex={0} role="region" aria-label={columns.sample}>
                  <pre>{JSON.stringify(sample.body, null, 2)}</pre>
                </div>
              )}
            </>
          )}
        </section>
        <SendForm samples={samples} kind={kind} typed={typed} />
      </div>
      <h2>{words.fields}</h2>
      {fields.length === 0 ? <p class="soft">{words.noFields}</p> : <FieldsTable fields={fields} />}
    </Frame>
  );
};

const FieldsTable: FC<{ readonly fields: readonly FieldDetail[] }> = ({ fields }) => {
  const { contract: words, columns } = usePage().words;
  return (
    <Table
      rows={fields}
      columns={[
        { head: columns.field, as: 'code', cell: ({ path }) => path },
        {
          head: words.type,
          cell: ({ type, nullable }) => (
            <>
              {type} {nullable && <span class="soft">{words.nullable}</span>}
            </>
          ),
        },
        {
          head: words.required,
          cell: ({ required, personal }) => (
            <>
              {required ? words.yes : <span class="soft">{words.optional}</span>}
              {personal && <br />}
              {personal && <b>{words.personal}</b>}
            </>
          ),
        },
        {
          head: columns.meaning,
          cell: ({ description, values, open }) => (
            <>
              {description !== null && <Described text={description} />}
              {values.length > 0 && (
                <p class="values">
                  <span class="soft">{words.values}: </span>
                  <span class="mono">
                    {values.slice(0, MAX_VALUES).join(', ')}
                    {values.length > MAX_VALUES && ` +${String(values.length - MAX_VALUES)}`}
                  </span>
                  {open && <span class="soft"> ({words.grows})</span>}
                </p>
              )}
            </>
          ),
        },
      ]}
    />
  );
};

/** Those of what was stored; for anything else it is bad. */
const tones: Partial<Readonly<Record<Typed['sent'], 'ok' | 'warn'>>> = {
  accepted: 'ok',
  stale: 'warn',
  unrecognized: 'warn',
  duplicate: 'warn',
};

/** The form that sends a sample, or why there is none. */
const SendForm: FC<Pick<KindProps, 'samples' | 'kind' | 'typed'>> = ({ samples, kind, typed }) => {
  const page = usePage();
  const words = page.words.contract;
  const sample = sampleToSend(page.contract, kind);
  return (
    <section id="send">
      <h2>{words.send}</h2>
      {typed !== undefined && (
        <Notice tone={tones[typed.sent] ?? 'bad'}>
          {words.outcomes[typed.sent]}{' '}
          {typed.id !== null && (
            <a href={`/${typed.sent === 'rejected' ? 'quarantine' : 'events'}/${typed.id}`}>{typed.id}</a>
          )}
        </Notice>
      )}
      {samples == null ? (
        <p class="soft">{words.sendOff}</p>
      ) : !may(page, 'operate') ? (
        <p class="soft">{words.sendForbidden}</p>
      ) : (
        <form method="post" action={kindAddress(kind, '/send')} class="stack">
          <FormToken page={page} />
          <p class="soft">{words.sendWhat}</p>
          <label>
            <span>{words.body}</span>
            <textarea name="body" rows={10} spellcheck={false} class="mono">
              {typed?.body ?? (sample === null ? '' : JSON.stringify(sample.body, null, 2))}
            </textarea>
          </label>
          {kind.source === null && (
            <label>
              <span>{words.sendAs}</span>
              <select name="source">
                {samples.sources.map((source) => (
                  <option value={source} selected={source === typed?.source}>
                    {source}
                  </option>
                ))}
              </select>
            </label>
          )}
          <p>
            <button class="primary">{words.sendButton}</button>
          </p>
        </form>
      )}
      {sample !== null && (
        <p class="soft">
          {words.cli} <code>{sample.command}</code>
        </p>
      )}
    </section>
  );
};

/** Who defines a kind: the specification, or the name of a file. Its folder is no concern of a reader. */
export function originText({ origin }: KindContract, { words }: Page): string {
  return origin === 'specification' ? words.contract.specification : basename(origin);
}

/** The address of a kind's page, or of its form. */
export function kindAddress({ kind, source }: Pick<KindContract, 'kind' | 'source'>, form = ''): string {
  const query = source === null ? '' : `?source=${encodeURIComponent(source)}`;
  return `/contract/${encodeURIComponent(kind)}${form}${query}`;
}
