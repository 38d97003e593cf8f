import { z } from 'zod';
import { appeal, appealStatuses } from '../record/appeal.ts';
import { newAppeal } from './appeal-body.ts';
import { defineEndpoint, numericId } from './endpoint.ts';
import { valueAmong } from './filter-value.ts';
import { pageNumber, pageSize } from './page.ts';

const part = 'Appeals';
/** Which of the two is not shown, so both are (specification, Authentication 2). */
const keyHeaders = ['x-api-key', 'api-x-token'] as const;
const ALL = 'all';

/** Its pages are shaped as nowhere else (specification, Conventions 4; Limits). */
const appealPage = z.object({
  page: z.int().describe('The page, from 1.'),
  page_size: z.int().describe('Most appeals on a page.'),
  total: z.int().describe('Appeals on all pages.'),
  total_pages: z.int().describe('How many pages there are.'),
  data: z.array(appeal),
});

/** What creation answers. */
export const createdAppeal = z.object(
  appeal.pick({ id: true, user_id: true, status: true, created_at: true, updated_at: true }).shape,
);

/** Specification, Endpoints, Appeals. */
export const appealEndpoints = {
  list: defineEndpoint({
    operationId: 'listAppeals',
    summary: 'Appeals of the organization',
    part,
    method: 'get',
    path: '/v1/appeals',
    query: z.object({
      page: pageNumber.prefault('1').describe('The first page is 1.'),
      page_size: pageSize.prefault('10').describe('Appeals on a page.'),
      status: valueAmong([ALL, ...appealStatuses])
        .default(ALL)
        .describe('Only those with this status; all is every one.'),
    }),
    keyHeaders,
    answer: { status: 200, description: 'A page of appeals.', schema: appealPage },
  }),
  read: defineEndpoint({
    operationId: 'readAppeal',
    summary: 'One appeal, without `data` around it',
    part,
    method: 'get',
    path: '/v1/appeals/{id}',
    params: z.object({ id: numericId }),
    keyHeaders,
    answer: { status: 200, description: 'The appeal.', schema: appeal },
    failures: { 404: 'There is no such appeal.' },
  }),
  create: defineEndpoint({
    operationId: 'createAppeal',
    summary: 'Appeal for a driver',
    part,
    method: 'post',
    path: '/v1/appeals',
    body: newAppeal,
    bodyType: 'form',
    keyHeaders,
    answer: {
      status: 200,
      description: 'The new appeal, in brief and without `data` around it.',
      schema: createdAppeal,
    },
    failures: { 404: 'There is no such driver or traffic violation.' },
  }),
};
