import { noConsoleUser, noUser, type SampleRequest, type SampleRequests } from './sample-request.ts';

const ofUser: SampleRequest = async (setup) => ({ id: await setup.user() });
const ofConsoleUser: SampleRequest = async (setup) => ({ id: (await setup.consoleUser()).id });

/** Sample requests of users, console users and the widget. */
export const userRequests: SampleRequests = {
  'get /v1/users': {
    200: async (setup) => {
      await setup.user();
      return {};
    },
  },
  'get /v1/users/{id}': { 200: ofUser, 404: noUser() },
  'get /v1/users/{id}/drivers-license': {
    200: async (setup) => ({ id: await setup.withLicense() }),
    403: async (setup) => ({ id: await setup.deactivated(await setup.withLicense()) }),
    404: noUser(),
  },
  'post /v1/users': {
    201: async (setup) => ({
      body: {
        name: 'A',
        tax_id: setup.cpf(),
        email: 'a@example.com',
        phone: '+5541987654321',
        external_uid: 'a',
      },
    }),
    400: async () => ({ body: { name: 'A', tax_id: '52998224724' } }),
    409: async (setup) => {
      const tax_id = setup.cpf();
      await setup.posted('/v1/users', { name: 'A', tax_id });
      return { body: { name: 'A', tax_id } };
    },
  },
  'put /v1/users/{id}': {
    200: async (setup) => ({ id: await setup.user(), body: { email: 'b@example.com' } }),
    400: async (setup) => ({ id: await setup.user(), body: {} }),
    404: noUser({ body: { name: 'B' } }),
  },
  'delete /v1/users/{id}': { 200: ofUser, 404: noUser() },
  'post /v1/users/{id}/sne': {
    201: async (setup) => ({ id: await setup.withLogin('user') }),
    404: noUser(),
    409: async (setup) => ({ id: await setup.registered('user') }),
    422: ofUser,
  },
  'delete /v1/users/{id}/sne': {
    200: async (setup) => ({ id: await setup.registered('user') }),
    404: noUser(),
    422: async (setup) => ({ id: await setup.withLogin('user') }),
  },
  'post /v1/users/{id}/activate': { 200: ofUser, 404: noUser() },
  'post /v1/users/{id}/deactivate': { 200: ofUser, 404: noUser() },
  'get /v1/console/users': {
    200: async (setup) => {
      await setup.consoleUser();
      return {};
    },
  },
  'get /v1/console/users/{id}': { 200: ofConsoleUser, 404: noConsoleUser() },
  'get /v1/console/users/{id}/companies': { 200: ofConsoleUser, 404: noConsoleUser() },
  'post /v1/console/users/sign-in': {
    200: async (setup) => {
      const { tax_id } = await setup.consoleUser();
      return { body: { name: 'A', email: 'a@example.com', external_uid: 'a', companies: [{ tax_id }] } };
    },
    400: async () => ({ body: { email: 'a@example.com', companies: [] } }),
  },
  'delete /v1/console/users/{id}/companies': {
    200: async (setup) => {
      const { id, tax_id } = await setup.consoleUser();
      return { id, body: { companies: [tax_id] } };
    },
    400: async (setup) => ({ id: (await setup.consoleUser()).id, body: { companies: [] } }),
    404: noConsoleUser({ body: { companies: ['11222333000181'] } }),
  },
  'delete /v1/console/users/{id}': { 200: ofConsoleUser, 404: noConsoleUser() },
  'post /v1/widgets/users/sign-in': {
    200: async (setup) => ({
      body: { widget_uid: setup.ours.widget, external_uid: 'a', phone: '+5541987654321' },
    }),
    400: async (setup) => ({ body: { widget_uid: setup.ours.widget } }),
    404: async (setup) => ({
      body: { widget_uid: setup.theirs.widget, external_uid: 'a' },
      message: 'Widget not found or does not belong to this organization',
    }),
    409: async (setup) => {
      const first = { widget_uid: setup.ours.widget, external_uid: 'a', tax_id: setup.cpf() };
      await setup.ours.post('/v1/widgets/users/sign-in', first);
      return { body: { ...first, tax_id: setup.cpf() } };
    },
  },
};
