/** What the packaged PostgreSQL says of itself, when the operator must know it: a crash, a file that it cannot write. */
export class ServerMessage extends Error {
  override name = 'ServerMessage';
}
