import type { JsonObject } from '../../../../protocol/json.ts'
import { type Deltas, emitLoss } from '../deltas.ts'

const DATA_URL = /^data:(?:image\/([\w.+-]+)|[^,;]*)(?:;[^,;]*)*;base64,/i

const ADDRESS = /^[a-z][a-z\d+.-]*:\/\//i

/**
 * The members of an image that an upstream sends as base64, as a data URL, or by its address. Data is base64 in every
 * protocol, so that an address has a member of its own. null for other text. `format`: empty if it is not known.
 */
export function imageFields(source: string, format = ''): JsonObject | null {
  const [start, subtype = format] = DATA_URL.exec(source.slice(0, LONGEST_START)) ?? []
  const known = subtype === '' ? {} : { output_format: subtype.toLowerCase() }
  if (start !== undefined) return { result: source.slice(start.length), ...known }
  if (ADDRESS.test(source.slice(0, LONGEST_START))) return { result: null, url: source, ...known }
  return /^data:/i.test(source.slice(0, LONGEST_START)) ? null : { result: source, ...known }
}

/** In UTF-16 units. The data may be megabytes long. */
const LONGEST_START = 256

/** Emits an image as an item that is done. */
export function emitImage(key: string, source: string, format: string, deltas: Deltas): void {
  const fields = imageFields(source, format)
  if (fields === null) {
    emitLoss('an image that is not base64', deltas)
    return
  }
  deltas.push({
    kind: 'hosted',
    key,
    item: { type: 'image_generation_call', id: '', status: 'completed', fields },
    done: true,
  })
}
