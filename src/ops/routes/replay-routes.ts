/** The routes of replays. */
import { createRoute, type OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { PortariaError } from '../../kernel/errors.ts';
import { listReplays, withProgress } from '../../operate/show/list-replays.ts';
import { replaySchema } from '../../view/replay-view.ts';
import type { OpsDeps } from '../ops-deps.ts';
import { json, listErrors, pageOf, showErrors } from '../responses.ts';

const tags = ['replays'];

const list = createRoute({
  method: 'get',
  path: '/api/replays',
  operationId: 'listReplays',
  summary: 'The newest replays, with their progress',
  tags,
  request: {
    query: z.strictObject({
      limit: z.coerce.number().int().min(1).max(1000).default(50).describe('At most so many rows.'),
    }),
  },
  responses: { 200: json(pageOf(replaySchema), 'Replays.'), ...listErrors },
});

const show = createRoute({
  method: 'get',
  path: '/api/replays/{id}',
  operationId: 'showReplay',
  summary: 'A replay’s progress',
  tags,
  request: { params: z.object({ id: z.string().describe('`r` and a number.') }) },
  responses: { 200: json(replaySchema, 'The replay.'), ...showErrors },
});

export function addReplayRoutes(app: OpenAPIHono, { store }: OpsDeps): void {
  app.openapi(list, async (c) => {
    const data = await listReplays(store, c.req.valid('query').limit);
    return c.json({ data: [...data], next: null }, 200);
  });
  app.openapi(show, async (c) => {
    const { id } = c.req.valid('param');
    const replay = await store.replay(id);
    if (replay === null) throw new PortariaError('not-found', `There is no replay ${id}`);
    return c.json(await withProgress(store, replay), 200);
  });
}
