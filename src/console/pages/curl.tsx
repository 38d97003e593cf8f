/** The page of the curl command of an event. */
import type { ConsoleApp, PagesDeps } from '../console-deps.ts';
import { Frame } from '../frame.tsx';
import { UnmaskLink } from '../components/json.tsx';
import { may } from '../page.ts';
import { curlCommand } from '../../operate/show/curl-command.ts';

/** Adds the page with the command that sends an event again, in a field to select: that needs neither HTTPS nor JavaScript. */
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
          <>
            <textarea class="command" readonly rows={12} spellcheck={false} aria-label={words.curl}>
              {command}
            </textarea>
            <p>
              <button type="button" data-copied={words.copied} hidden>
                {words.copy}
              </button>
            </p>
          </>
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
