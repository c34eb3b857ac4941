import { deleteConnection, getConnection, postConnection } from './connection.ts';
import type { Endpoint } from './endpoint.ts';
import { getChanges, getSites } from './inventory.ts';

/** Specification 4, line by line. Routes, checks and the OpenAPI document are all made from this table. */
export const ENDPOINTS: readonly Endpoint[] = [
  getConnection,
  postConnection,
  deleteConnection,
  getSites,
  getChanges,
];
