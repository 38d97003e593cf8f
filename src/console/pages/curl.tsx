/** The page of the curl command of an event. */
import type { ConsoleApp, PagesDeps } from '../console-deps.ts';
import { Frame } from '../frame.tsx';
import { CopiedText } from '../components/form-fields.tsx';
import { UnmaskLink } from '../components/json.tsx';
import { may } from '../page.ts';
import { curlCommand } from '../../operate/show/curl-command.ts';

/** Adds the page with the command that sends an event again, in a field to select. */
export function addCurlPage(app: ConsoleApp, { store, pageOf, webhookAddress }: PagesDeps): void {
  app.get('/events/:id/curl', async (c) => {
    const page = await pageOf(c);
    const id = c.req.param('id');
    const { command, masked, needsSecret } = await curlCommand(store, id, {
      ...{ unmask: page.unmask, contract: page.contract, address: webhookAddress },
    });
    const words = page.words.payload;
    return c.html(
      <Frame page={page} current="events" title={words.curlTitle(id)}>
        <h1>{words.curlTitle(id)}</h1>
        <p class="lead">
          <a href={`/events/${id}${page.unmask ? '?unmask=true' : ''}`}>{words.back}</a>
        </p>
        <p>{words.curlRepeat}</p>
        {masked && command !== null && <p class="soft">{words.curlMasked}</p>}
        {needsSecret && command !== null && <p class="soft">{words.curlSecret}</p>}
        {command === null ? (
          <p class="empty">{words.curlNone}</p>
        ) : (
          <CopiedText label={words.curl} rows={12} text={command} />
        )}
        {may(page, 'unmask') && (
          <p class="actions">
            <UnmaskLink masked={masked} />
          </p>
        )}
      </Frame>,
    );
  });
}
