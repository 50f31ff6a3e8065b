import { isCompleteJson } from '../text/json.ts'
import { JSON_START, type JsonScan, mayBeWhole, scanJson } from '../text/json-scan.ts'

/** The state of a check whether growing arguments are whole JSON. */
export interface CallJson {
  /** How far the arguments were scanned; null until a scan is necessary. */
  readonly scan: JsonScan | null
  /** null: not checked since the arguments grew. */
  readonly whole: boolean | null
}

/** In UTF-16 units. A longer number or literal that is not whole never becomes whole. */
const LONGEST_WORD = 64

/**
 * Returns the state after one more piece; `before` is the arguments without it. The arguments are parsed only where
 * their brackets allow them to be whole, so that arguments that are checked again and again cost O(n) altogether.
 */
export function withMoreJson({ scan, whole }: CallJson, before: string, piece: string): CallJson {
  const passed = scan ?? scanJson(JSON_START, before)
  const next = scanJson(passed, piece)
  if (!mayBeWhole(next)) return { scan: next, whole: false }
  // After the last bracket only white space was added, so that the earlier result still holds.
  return { scan: next, whole: passed.phase === 'over' && next.phase === 'over' ? whole : null }
}

/** Returns the state with `whole` decided. Parses the text only if it has grown since the last check. */
export function checkJson(json: CallJson | null, text: string): CallJson {
  if (json !== null && json.whole !== null) return json
  const whole = isCompleteJson(text)
  const scan = json === null && !whole ? scanJson(JSON_START, text) : (json?.scan ?? null)
  const isHopeless = !whole && scan?.phase === 'word' && text.length > LONGEST_WORD
  return { scan: scan !== null && isHopeless ? { ...scan, phase: 'never' } : scan, whole }
}
