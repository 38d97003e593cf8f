/** A message id for people, who are told when it decides nothing. */
export function messageIdText({
  message_id: id,
  message_id_trusted: trusted,
}: {
  readonly message_id: string | null;
  readonly message_id_trusted: boolean;
}): string {
  if (id === null) return 'none';
  return trusted ? id : `${id} (not signed: the content decides)`;
}
