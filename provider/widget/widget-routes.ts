import { widgetEndpoints } from '../../src/contract/api/widget-endpoints.ts';
import { route } from '../http/route.ts';
import { signWidgetUserIn } from './sign-widget-user-in.ts';

/** Specification, Endpoints, Widget users. */
export const widgetRoutes = [
  route(widgetEndpoints.signIn, async ({ organization, body }, provider) => {
    const segment = provider.drawSecret();
    await provider.change(organization, (change) => signWidgetUserIn(change, body, segment));
    return { redirect_url: `${provider.baseUrl()}/login/widget/${segment}` };
  }),
];
