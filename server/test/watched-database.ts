import { selectLiveBoostRows } from '../src/boosts/boost-row.ts';
import type { Database } from '../src/database/database.ts';

/** A database that counts reads of boost lists, and can delay them or make them fail. */
export class WatchedDatabase {
  startedReads = 0;
  finishedReads = 0;
  /** Delays the results of reads until it resolves. */
  hold: Promise<void> | null = null;
  fault: Error | null = null;
  readonly db: Database;

  constructor(db: Database) {
    this.db = new Proxy(db, {
      get: (target, name): unknown => {
        if (name === 'query') return this.#watch(target);
        const member: unknown = Reflect.get(target, name);
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
  }

  #watch(target: Database): Database['query'] {
    return async (statement, values) => {
      if (statement.name !== selectLiveBoostRows.name) return await target.query(statement, values);
      this.startedReads++;
      const answer = await target.query(statement, values);
      this.finishedReads++;
      await this.hold;
      if (this.fault !== null) throw this.fault;
      return answer;
    };
  }
}
