import type { ModelFacts } from '../../../models/facts.ts'
import type { JsonRecord } from '../../../protocol/json.ts'
import type { Request } from '../../../protocol/request.ts'
import { openSummary } from '../../../responses/compaction/compaction.ts'
import { unwrapEnvelope } from '../../../responses/encrypted-content.ts'
import { isNonEmptyString, isObject, toArray } from '../../../text/json.ts'
import type { EditContext } from '../../passthrough-contract.ts'
import type { Quirks } from '../../quirks.ts'
import { audioRefusal } from '../upstream/audio.ts'
import { toCallId } from '../upstream/call-ids.ts'
import { hasLateRules } from '../upstream/input/late-rules.ts'
import { formatName } from '../upstream/strict-format.ts'
import { openText } from './sealed-texts.ts'

// Conditions of hub rules (`HubRules` in `wires/passthrough-contract.ts`) that several wires have.

export const isPresent = (value: unknown): boolean => value !== undefined && value !== null

/** The objects in the lists of these members. */
export function memberObjects(entry: JsonRecord, ...names: readonly string[]): readonly JsonRecord[] {
  let found = NO_OBJECTS
  for (const name of names) {
    const list = toArray(entry[name])
    if (list.length > 0) found = [...found, ...list.filter(isObject)]
  }
  return found
}

const NO_OBJECTS: readonly JsonRecord[] = []

/** Whether the vendor accepts the id of a call as it is. */
export const acceptsCallId = (id: unknown, { callIds }: Quirks): boolean =>
  !isNonEmptyString(id) || toCallId(id, callIds) === id

export const refusesFiles = ({ files }: Quirks): boolean => files !== undefined && files !== 'file'

export const hasRefusedAudio = ({ type, input_audio: audio }: JsonRecord, quirks: Quirks): boolean =>
  type === 'input_audio' && isObject(audio) && audioRefusal(audio.format, quirks) !== null

/** Whether a format for a schema has no name, or one that the upstream refuses. */
export const hasRefusedName = (format: unknown, quirks: Quirks): boolean =>
  isObject(format) &&
  (isObject(format.schema) || format.type === 'json_schema') &&
  (!isNonEmptyString(format.name) || formatName(format.name, quirks) !== format.name)

/** Whether a text is encrypted content that this gateway issued, and that no edit opens: no upstream can read it. */
const isIssuedText = (text: string, open: EditContext['open']): boolean =>
  (unwrapEnvelope(text) !== undefined && openText(text, open) === undefined) || openSummary(text) !== undefined

/**
 * Whether a value contains encrypted content of this gateway that `open` does not open as a text, or an object that
 * `isIssued` recognises.
 */
export function hasIssued(
  value: unknown,
  isIssued: (object: JsonRecord) => boolean,
  open: EditContext['open'],
): boolean {
  const waiting: unknown[] = [value]
  while (waiting.length > 0) {
    const next = waiting.pop()
    if (typeof next === 'string' ? isIssuedText(next, open) : isObject(next) && isIssued(next)) return true
    if (Array.isArray(next)) for (const inner of next) waiting.push(inner)
    else if (isObject(next)) for (const name of Object.keys(next)) waiting.push(next[name])
  }
  return false
}

/** Whether the vendor or the model refuses the system messages of this body where they are. */
export const movesRules = (
  body: JsonRecord,
  { lateSystem }: Quirks,
  _: Request,
  { oneSystem }: Pick<ModelFacts, 'oneSystem'>,
): boolean => (lateSystem !== undefined || oneSystem === true) && hasLateRules(memberObjects(body, 'messages'))
