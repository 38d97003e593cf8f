/** Where a lane's webhooks go. */
export interface SendingEndpoint {
  readonly id: number;
  readonly url: string;
  readonly secret: string | null;
  readonly message_prefix: string;
}
