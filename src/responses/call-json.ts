import { isCompleteJson } from '../text/json.ts'
import { JSON_START, type JsonScan, mayBeWhole, scanJson } from '../text/json-scan.ts'

/** What is known of arguments that grow: are they whole JSON? */
export interface CallJson {
  /** How far they were gone through; null where that was not needed yet. */
  readonly scan: JsonScan | null
  /** null: not known since they grew. */
  readonly whole: boolean | null
}

/** A number or a name that is longer, and not whole, never will be. */
const LONGEST_WORD = 64

/**
 * With one more piece behind these arguments. They are parsed only where their brackets say that they may be whole, so that
 * arguments that are looked at again and again cost O(n) altogether.
 */
export function withMoreJson({ scan, whole }: CallJson, before: string, piece: string): CallJson {
  const passed = scan ?? scanJson(JSON_START, before)
  const next = scanJson(passed, piece)
  if (!mayBeWhole(next)) return { scan: next, whole: false }
  // Behind the last bracket only white space was added.
  return { scan: next, whole: passed.phase === 'over' && next.phase === 'over' ? whole : null }
}

/** The same, with the answer. */
export function checkJson(json: CallJson | null, text: string): CallJson {
  if (json !== null && json.whole !== null) return json
  const whole = isCompleteJson(text)
  const scan = json === null && !whole ? scanJson(JSON_START, text) : (json?.scan ?? null)
  const isHopeless = !whole && scan?.phase === 'word' && text.length > LONGEST_WORD
  return { scan: scan !== null && isHopeless ? { ...scan, phase: 'never' } : scan, whole }
}
