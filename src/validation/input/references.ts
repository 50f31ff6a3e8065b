import type { JsonRecord } from '../../protocol/json.ts'
import { isObject } from '../../text/json.ts'
import { typeOf } from '../items.ts'

/**
 * References to stored items. This service stores none, but `@ai-sdk/openai` sends references unless `store` is false.
 * A reference in an answer whose other items are present can be dropped. A reference that replaces a whole answer, or a
 * call whose output was sent, leaves a gap in the conversation.
 */
export interface References {
  /** Indices in `input` of the references that are dropped. */
  readonly dropped: readonly number[]
  /** The index of a reference that leaves a gap; null if there is none. */
  readonly missing: number | null
}

const NONE: References = { dropped: [], missing: null }

const isReference = (item: JsonRecord): boolean => typeOf(item) === 'item_reference'

/** Returns whether a model produced the item: a message, reasoning or a call. */
const isAnswer = (item: JsonRecord): boolean => {
  const type = typeOf(item)
  if (type === 'message') return item.role === 'assistant'
  return type === 'reasoning' || (typeof type === 'string' && type.endsWith('_call'))
}

/** One answer of the model, with the outputs of its calls. */
interface Answer {
  readonly references: number[]
  readonly outputs: unknown[]
  /** The number of its messages and calls that are in the request. */
  present: number
}

const newAnswer = (): Answer => ({ references: [], outputs: [], present: 0 })

/** Splits a history into answers of the model. Each ends at the next item that the model did not produce. */
function toAnswers(input: readonly unknown[], isKnown: (item: JsonRecord) => boolean): readonly Answer[] {
  const answers: Answer[] = []
  let now = newAnswer()
  let isOver = true
  input.forEach((item, at) => {
    if (!isObject(item)) return
    if (!isReference(item) && !isAnswer(item)) {
      if (item.call_id !== undefined) now.outputs.push(item.call_id)
      isOver = true
      return
    }
    if (isOver) {
      now = newAnswer()
      answers.push(now)
      isOver = false
    }
    if (isReference(item)) {
      if (!isKnown(item)) now.references.push(at)
    } else if (item.type !== 'reasoning') now.present += 1
  })
  return answers
}

export function readReferences(input: unknown): References {
  if (!Array.isArray(input)) return NONE
  if (!input.some((item) => isObject(item) && isReference(item))) return NONE
  const items = input.filter(isObject)
  const own = items.filter((item) => !isReference(item))
  const ids = new Set(own.map(({ id }) => id))
  const calls = new Set(own.filter(isAnswer).map(({ call_id }) => call_id))
  const answers = toAnswers(input, ({ id }) => ids.has(id))
  const unresolved = answers.find(
    ({ references, present, outputs }) =>
      references.length > 0 && (present === 0 || outputs.some((call) => !calls.has(call))),
  )
  const dropped = input.flatMap((item, at) => (isObject(item) && isReference(item) ? [at] : []))
  return { dropped, missing: unresolved?.references.at(-1) ?? null }
}
