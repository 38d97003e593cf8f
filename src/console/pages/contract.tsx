/** The page of the contract, and the routes to its kinds, samples and AsyncAPI document. */
import type { FC } from 'hono/jsx';
import { Described } from '../components/foreign-text.tsx';
import type { ConsoleApp, ConsoleContext, PagesDeps } from '../console-deps.ts';
import { addForm } from '../forms.ts';
import { Frame } from '../frame.tsx';
import { addDetails } from '../../access/audited-request.ts';
import { usePage } from '../page.ts';
import type { KindContract } from '../../contract/kind-contract.ts';
import type { Receipt } from '../../event/receipt.ts';
import { PortariaError } from '../../kernel/errors.ts';
import type { JsonObject } from '../../kernel/json/json.ts';
import { asyncApiWithSamples } from '../../operate/contract/fixtures.ts';
import { kindsNamed } from '../../operate/contract/kind-detail.ts';
import { kindAddress, KindPage, originText, type Typed } from './kind.tsx';

interface ListedKind {
  readonly kind: KindContract;
  readonly handlers: readonly string[];
}

/** Adds the kinds that the process knows, the page of each with a sample to send, and the AsyncAPI document. */
export function addContractPages(app: ConsoleApp, deps: PagesDeps): void {
  const { registry, pageOf, samples, version } = deps;
  const { contract } = registry;
  /** Made once: the contract of a process does not change. */
  let document: JsonObject | undefined;
  // The order of the coverage is that of the kinds.
  const listed = (): readonly ListedKind[] => {
    const coverage = registry.coverage();
    return contract.kinds.map((kind, at) => ({ kind, handlers: coverage[at]?.handlers ?? [] }));
  };

  /** @throws PortariaError `not-found` */
  function kindOf(c: ConsoleContext) {
    const name = c.req.param('kind') ?? '';
    const source = c.req.query('source') || null;
    const found = kindsNamed(contract, name);
    const kind = found.find((each) => each.source === source) ?? found[0];
    if (kind === undefined) throw new PortariaError('not-found', `The contract has no kind ${name}`);
    return { kind, others: found.filter((each) => each !== kind) };
  }

  app.get('/contract', async (c) => {
    const page = await pageOf(c);
    const { contract: words, frame } = page.words;
    const kinds = listed();
    const handled = kinds.filter(({ handlers }) => handlers.length > 0);
    return c.html(
      <Frame page={page} current="contract" title={frame.names.contract}>
        <h1>{frame.names.contract}</h1>
        <p class="lead">{words.lead(kinds.length, handled.length)}</p>
        <p>
          <a class="button" href="/contract/asyncapi.json" download="portaria-asyncapi.json">
            {words.asyncapi}
          </a>
        </p>
        <div class="families">
          {[...Map.groupBy(kinds, ({ kind }) => kind.family)].map(([family, own]) => (
            <section>
              <h2 class="mono">{family}</h2>
              <ul>
                {own.map((each) => (
                  <KindLine {...each} />
                ))}
              </ul>
            </section>
          ))}
        </div>
        <p class="soft">{words.drift}</p>
      </Frame>,
    );
  });

  app.get('/contract/asyncapi.json', (c) => {
    c.header('content-disposition', 'attachment; filename="portaria-asyncapi.json"');
    return c.json((document ??= asyncApiWithSamples(contract, version)));
  });

  async function showKind(c: ConsoleContext, typed?: Typed): Promise<Response> {
    const { kind, others } = kindOf(c);
    const asked = await pageOf(c);
    // The address of a form is no page to come back to.
    const page = { ...asked, url: new URL(kindAddress(kind), asked.url) };
    const handlers = listed().find((each) => each.kind === kind)?.handlers ?? [];
    return c.html(<KindPage {...{ page, samples, kind, others, handlers, typed }} />);
  }

  app.get('/contract/:kind', (c) => showKind(c));

  addForm(app, '/contract/:kind/send', { action: 'sendSample' }, async (c) => {
    const { kind } = kindOf(c);
    const fields = c.get('fields');
    // The page keeps what was typed, which no address could.
    const back = (result: Pick<Typed, 'sent' | 'id'>) =>
      showKind(c, { ...result, body: fields.get('body') ?? '', source: fields.get('source') });
    // The page says why there is no form.
    if (samples == null) return showKind(c);
    if (deps.notReady().length > 0) return back({ sent: 'notReady', id: null });
    // The source of a custom kind; for any other kind the chosen one.
    const source = kind.source ?? (fields.get('source') || 'default');
    if (kind.source === null && !samples.sources.includes(source))
      throw new PortariaError('not-found', `No source is named ${JSON.stringify(source)}`);
    const receipt = await samples.send({ kind, source, body: fields.get('body') ?? '' });
    const { id } = receipt;
    addDetails(c, { kind: kind.kind, source, ...(id !== null && { event: id }) });
    return back(resultOf(receipt));
  });
}

/** What the page says of a sample that was sent. */
function resultOf({ status, id }: Receipt): Pick<Typed, 'sent' | 'id'> {
  if (status !== 'rejected' && id !== null) return { sent: status, id };
  return { sent: id === null ? 'dropped' : 'rejected', id };
}

/** A kind: what it says, and who handles it. Its source and its file are named where they are not the provider's. */
const KindLine: FC<ListedKind> = ({ kind, handlers }) => {
  const page = usePage();
  const own = [kind.source, kind.origin === 'specification' ? null : originText(kind, page)];
  return (
    <li>
      <a class="mono" href={kindAddress(kind)}>
        {kind.kind}
      </a>{' '}
      <span class="soft">
        <Described text={kind.title} /> {own.filter((each) => each !== null).join(', ')}
      </span>
      {handlers.length > 0 && <span class="mono"> → {handlers.join(', ')}</span>}
    </li>
  );
};
