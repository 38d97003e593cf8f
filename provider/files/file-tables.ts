export interface FileTables {
  file_keys: {
    organization_id: number;
    /** What the addresses of the organization's files are signed with. */
    secret: string;
  };
}
