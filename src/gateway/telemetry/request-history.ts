import type { RequestContext } from '../exchange/request-context.ts'
import type { RequestRecord } from './request-record.ts'

/** Keeps the last requests. */
export interface RequestHistory {
  /** Starts the record of a request. Later requests replace the oldest ones. */
  begin(context: RequestContext): RequestRecord
  /** Keeps what is shown of a request that has ended, and drops its record. */
  end(record: RequestRecord): void
}
