/** The endpoint of widget users. */
import { z } from 'zod';
import { nonEmptyString, validCpf, phoneNumber } from './body-field.ts';
import { endpointsOf } from './endpoint.ts';

/** Specification, Endpoints, Widget users. */
export const widgetEndpoints = {
  signIn: endpointsOf('Widget users')({
    operationId: 'signWidgetUserIn',
    summary: 'Sign in a user of a widget',
    method: 'post',
    path: '/v1/widgets/users/sign-in',
    body: z.object({
      widget_uid: nonEmptyString,
      external_uid: nonEmptyString,
      tax_id: validCpf.optional(),
      phone: phoneNumber.optional(),
    }),
    response: {
      status: 200,
      description: 'The address where the widget continues.',
      schema: z.object({
        redirect_url: z
          .string()
          .describe('Address under the login application. Its last segment can be used once.'),
      }),
    },
    errors: {
      400: '`external_uid` is missing, or the CPF or the phone is not valid.',
      404: 'The organization has no such widget.',
      409: 'Another CPF is registered for the user.',
    },
  }),
};
