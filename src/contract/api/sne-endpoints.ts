/** The endpoints of the SNE. */
import { z } from 'zod';
import { sne } from '../record/sne.ts';
import { one } from './response.ts';

/** The response to a sign-up to the SNE, for companies and users. */
export const signUpResponse = {
  status: 201,
  description: 'The sign-up is under way.',
  schema: one(z.object(sne.pick({ status: true, sign_up_date: true }).shape)),
} as const;

/** The response to a cancellation of the SNE. */
export const cancelResponse = {
  status: 200,
  description: 'The cancellation is under way.',
  schema: one(z.object(sne.pick({ status: true, cancel_date: true }).shape)),
} as const;

export const signUpErrors = {
  409: 'The SNE is active or pending already.',
  422: 'There is no login with status success.',
} as const;

export const cancelErrors = {
  422: 'The SNE is not active, or there is no login with status success.',
} as const;
