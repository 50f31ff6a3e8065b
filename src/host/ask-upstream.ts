import type { JsonObject } from '../protocol/json.ts'
import { writeJson } from '../text/json-write.ts'
import type { Attempt } from './attempt.ts'
import { inTurns } from './in-turns.ts'
import type { Signal } from './signal.ts'
import type { Answer, Call, Source } from './source.ts'

/** A call whose body is not written yet: as text it is only needed while it is sent. */
export interface UnsentCall extends Omit<Call, 'body'> {
  readonly json: JsonObject
  /** It may be too large to be written in one go. */
  readonly isLarge: boolean
  /** It was written. */
  readonly onWritten: () => void
}

/** Writes the body, a large one in slices, and sends the call. */
export async function askUpstream(
  { json, isLarge, onWritten, ...call }: UnsentCall,
  source: Source,
  signal: Signal,
): Promise<Attempt<Answer>> {
  const body = isLarge ? Buffer.concat(await inTurns(writeJson(json))) : JSON.stringify(json)
  onWritten()
  return source({ ...call, body }, signal)
}
