import { parse } from '@humanwhocodes/momoa'
import { formatPlace, type Place, placeOfError } from './config-text.ts'

/** `position`: ` (line 2, column 24)`, or an empty text for a text that is nested too deeply. */
export type ParsedText =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly position: string }

/** Parses a file that a person has written: a byte order mark is allowed, and a mistake has a position. */
export function parseJsonText(text: string): ParsedText {
  const source = text.replace(/^\ufeff/, '')
  try {
    return { ok: true, value: JSON.parse(source) }
  } catch (error) {
    const place = placeOfFault(source, String(error))
    return { ok: false, position: place === null ? '' : ` ${formatPlace(place)}` }
  }
}

/** V8 reports an offset for some faults only. The rest of its message may quote the text, which may contain secrets. */
function placeOfFault(source: string, message: string): Place | null {
  const offset = /position (\d+)/.exec(message)?.[1]
  if (offset !== undefined) return placeAt(source, Number(offset))
  if (/end of JSON|EOF/i.test(message)) return placeAt(source, source.length)
  try {
    parse(source, { mode: 'json' })
    return null
  } catch (error) {
    return placeOfError(error, source)
  }
}

function placeAt(text: string, offset: number): Place {
  const before = text.slice(0, offset).split('\n')
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}
