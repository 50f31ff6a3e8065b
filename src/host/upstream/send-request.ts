import type { JsonObject } from '../../protocol/json.ts'
import type { Attempt } from '../../protocol/result.ts'
import { writeJson } from '../../text/json-write.ts'
import type { Signal } from '../cancellation.ts'
import { inTurns } from '../run-in-slices.ts'
import type { Answer, Call, Source } from './transport.ts'

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
