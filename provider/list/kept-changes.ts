/** Of each table, the records of so many changes are known; lists that are further behind are read anew. */
export const KEPT_CHANGES = 1024;
