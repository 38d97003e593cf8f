/** The route by which users of a widget sign in. */
import { widgetEndpoints } from '../../src/contract/api/widget-endpoints.ts';
import type { Change } from '../change.ts';
import { HttpError } from '../http/http-error.ts';
import { route } from '../http/route.ts';
import { hashKey } from '../organizations/api-key.ts';

/** The endpoint that signs in users of a widget (specification, Endpoints, Widget users). */
export const widgetRoutes = [
  route(widgetEndpoints.signIn, async ({ organization, body }, provider) => {
    const segment = provider.createSecret();
    await provider.change(organization, (change) => signWidgetUserIn(change, body, segment));
    return { redirect_url: `${provider.baseUrl()}/login/widget/${segment}` };
  }),
];

interface WidgetSignIn {
  readonly widget_uid: string;
  readonly external_uid: string;
  readonly tax_id?: string | undefined;
  readonly phone?: string | undefined;
}

/**
 * Signs a user of a widget in and stores it by its `external_uid`. A registered
 * CPF never changes; a phone is replaced by a later one.
 *
 * @param segment the single-use path segment of the sign-in address, stored as a digest.
 * @throws HttpError 404 when the organization has no such widget, 409 when another CPF is registered.
 */
async function signWidgetUserIn(change: Change, signIn: WidgetSignIn, segment: string): Promise<void> {
  const { transaction, organization, at } = change;
  await requireWidget(change, signIn.widget_uid);
  const taxId = await resolveTaxId(change, signIn);
  const user = await transaction
    .insertInto('widget_users')
    .values({
      organization_id: organization,
      external_uid: signIn.external_uid,
      tax_id: taxId,
      phone: signIn.phone ?? null,
      created_at: at,
      updated_at: at,
    })
    .onConflict((conflict) =>
      conflict.columns(['organization_id', 'external_uid']).doUpdateSet({
        tax_id: taxId,
        updated_at: at,
        ...(signIn.phone !== undefined && { phone: signIn.phone }),
      }),
    )
    .returning('id')
    .executeTakeFirstOrThrow();
  await transaction
    .insertInto('widget_sign_ins')
    .values({
      hash: hashKey(segment),
      organization_id: organization,
      widget_uid: signIn.widget_uid,
      widget_user_id: user.id,
      created_at: at,
    })
    .execute();
}

async function requireWidget({ transaction, organization }: Change, uid: string): Promise<void> {
  const widget = await transaction
    .selectFrom('widgets')
    .select('uid')
    .where('uid', '=', uid)
    .where('organization_id', '=', organization)
    .executeTakeFirst();
  if (widget === undefined)
    throw new HttpError(404, 'Widget not found or does not belong to this organization');
}

/** Returns the CPF registered by an earlier sign-in or for the individual user; otherwise the given one. */
async function resolveTaxId(change: Change, { external_uid, tax_id }: WidgetSignIn): Promise<string | null> {
  const registered = await registeredTaxId(change, external_uid);
  if (registered !== null && tax_id !== undefined && tax_id !== registered)
    throw new HttpError(409, 'tax_id differs from the one registered for the user');
  return registered ?? tax_id ?? null;
}

async function registeredTaxId(
  { transaction, organization }: Change,
  externalUid: string,
): Promise<string | null> {
  for (const table of ['widget_users', 'users'] as const) {
    const row = await transaction
      .selectFrom(table)
      .select('tax_id')
      .where('organization_id', '=', organization)
      .where('external_uid', '=', externalUid)
      .orderBy('id')
      .executeTakeFirst();
    if (row?.tax_id != null) return row.tax_id;
  }
  return null;
}
