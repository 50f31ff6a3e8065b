import type { JsonObject } from '../protocol/json.ts'
import { writeJson } from '../text/json-write.ts'
import type { Attempt } from './attempt.ts'
import { inTurns } from './in-turns.ts'
import type { Signal } from './signal.ts'
import type { Answer, Call, Source } from './source.ts'

/** A call before its body is serialised, because the text is needed only while it is sent. */
export interface UnsentCall extends Omit<Call, 'body'> {
  readonly json: JsonObject
  /** The body may be too large to be serialised without a pause. */
  readonly isLarge: boolean
  /** Called when the body has been serialised. */
  readonly onWritten: () => void
}

/** Serialises the body, a large one in slices, and sends the call. */
export async function askUpstream(
  { json, isLarge, onWritten, ...call }: UnsentCall,
  source: Source,
  signal: Signal,
): Promise<Attempt<Answer>> {
  const body = isLarge ? Buffer.concat(await inTurns(writeJson(json))) : JSON.stringify(json)
  onWritten()
  return source({ ...call, body }, signal)
}
