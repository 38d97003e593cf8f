/** The routes of driver indications. */
import { indicationEndpoints } from '../../src/contract/api/indication-endpoints.ts';
import { route } from '../http/route.ts';
import { readAccessibleViolation } from '../traffic-violations/traffic-violation.ts';
import { cancelIndication, createIndication } from './change-indication.ts';
import { indications, readAccessibleIndication } from './indication.ts';
import { readSigningDocument } from './read-signing-document.ts';

/** The endpoints of driver indications (specification, Endpoints). */
export const indicationRoutes = [
  route(indicationEndpoints.listOf, async ({ organization, params }, { query }) => {
    await readAccessibleViolation(query, organization, params.id);
    return { data: await indications.of(query, organization, 'traffic_violation_id', params.id) };
  }),
  route(indicationEndpoints.read, async ({ organization, params }, { query }) => ({
    data: indications.json(await readAccessibleIndication(query, organization, params), 'response'),
  })),
  route(indicationEndpoints.create, async ({ organization, params, body }, provider) => ({
    data: await provider.change(organization, (change) =>
      createIndication(change, params.id, body, provider),
    ),
  })),
  route(indicationEndpoints.cancel, async ({ organization, params }, provider) => {
    await provider.change(organization, (change) => cancelIndication(change, params));
    return null;
  }),
  route(indicationEndpoints.readDocument, async ({ organization, params }, provider) => ({
    data: await readSigningDocument(provider, organization, params),
  })),
];
