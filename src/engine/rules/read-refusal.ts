import { withoutLeads } from '../../wires/shared/upstream/error-messages.ts'
import type { Lesson, RefusalRow, RefusedRequest } from './refusal.ts'
import { REFUSALS } from './refusals.ts'

const ROWS: readonly RefusalRow[] = Object.values(REFUSALS).flat()

/** Words that some servers put before the vendor's own sentence. */
const PREAMBLE =
  /^(?:the model returned the following errors?: |HTTP \d{3}: |litellm\.\w{1,40}: |\w{1,40}Error: |\w{1,40}Exception(?: - |: )|provider returned error: ){0,4}/i

/** UTF-16 units: vendors name the fault first. */
const LONGEST = 1000

function lessonsOf({ sentence, scope, teaches }: RefusalRow, text: string, refused: RefusedRequest): readonly Lesson[] {
  const match = sentence.exec(text)
  if (match === null) return []
  const taught = typeof teaches === 'function' ? teaches(match, refused) : [teaches]
  return taught.map((one) => ({ scope, ...one }))
}

/** Reads a refusal of an upstream. Empty: it shows nothing that a request could be fitted to. */
export function readRefusal(refused: RefusedRequest): readonly Lesson[] {
  const text = refused.text.slice(0, LONGEST).replace(PREAMBLE, '').trim()
  for (const one of new Set([text, withoutLeads(text)])) {
    for (const row of ROWS) {
      const lessons = lessonsOf(row, one, refused)
      if (lessons.length > 0) return lessons
    }
  }
  return []
}
