import type { Json } from '../../protocol/json.ts'
import { isNonEmptyString, isObject } from '../../text/json.ts'

/** Arguments of a call that come as `partialArgs`, of which each entry names its place by a path. */

/** One entry of `partialArgs`: strings come in pieces, other values whole. */
export type ArgsPiece =
  | { readonly path: string; readonly append: string }
  | { readonly path: string; readonly set: number | boolean | null }

type Step = string | number

/** The greatest depth of arguments. Deeper paths are rejected. */
const DEEPEST = 100

const STEP = /\.([^.[\]]+)|\[(\d+)\]|\[(?:'([^']*)'|"([^"]*)")\]/gy

/** Parses a path such as `$.a[1]['b c']` into its steps; null if it is invalid, too long or too deep. */
function parsePath(path: string): readonly Step[] | null {
  if (!path.startsWith('$') || path.length > 10_000) return null
  const steps: Step[] = []
  STEP.lastIndex = 1
  while (STEP.lastIndex < path.length) {
    const found = STEP.exec(path)
    if (found === null || steps.length === DEEPEST) return null
    const [, name, index, quoted, doubled] = found
    steps.push(index === undefined ? (name ?? quoted ?? doubled ?? '') : Number(index))
  }
  return steps
}

/** Reads one entry of `partialArgs`; null if it is invalid. */
export function readPiece(piece: unknown): ArgsPiece | null {
  if (!isObject(piece) || !isNonEmptyString(piece.jsonPath) || !parsePath(piece.jsonPath)?.length) return null
  const { jsonPath: path, stringValue, numberValue, boolValue } = piece
  if (typeof stringValue === 'string') return { path, append: stringValue }
  if (typeof numberValue === 'number') return { path, set: numberValue }
  if (typeof boolValue === 'boolean') return { path, set: boolValue }
  return Object.hasOwn(piece, 'nullValue') ? { path, set: null } : null
}

type MutableRecord = Record<string, Json>

/** Builds arguments in place. Changes only lists and objects that it has created or copied itself. */
class Draft {
  private readonly ours = new Set<unknown>()

  /** Adds a piece to a value. A list grows by one element at a time: an index beyond its end means the next one. */
  put(value: Json | undefined, steps: readonly Step[], at: number, piece: ArgsPiece): Json {
    const step = steps[at]
    if (step === undefined) return 'set' in piece ? piece.set : (typeof value === 'string' ? value : '') + piece.append
    if (typeof step === 'number') {
      const list = this.listOf(value)
      const index = Math.min(step, list.length)
      list[index] = this.put(list[index], steps, at + 1, piece)
      return list
    }
    const record = this.recordOf(value)
    const inner = this.put(Object.hasOwn(record, step) ? record[step] : undefined, steps, at + 1, piece)
    // Defines an own property for any name, such as `__proto__`.
    Object.defineProperty(record, step, { value: inner, configurable: true, enumerable: true, writable: true })
    return record
  }

  private listOf(value: Json | undefined): Json[] {
    if (this.ours.has(value)) return value as Json[]
    const list: Json[] = Array.isArray(value) ? [...value] : []
    this.ours.add(list)
    return list
  }

  private recordOf(value: Json | undefined): MutableRecord {
    if (this.ours.has(value)) return value as MutableRecord
    const record: MutableRecord = isObject(value) ? { ...(value as MutableRecord) } : {}
    this.ours.add(record)
    return record
  }
}

/** Adds pieces to arguments. O(n) for all pieces together: given values are copied once, where they change. */
export function joinArgs(args: Json, pieces: Iterable<ArgsPiece>): Json {
  const draft = new Draft()
  let joined = args
  for (const piece of pieces) joined = draft.put(joined, parsePath(piece.path) ?? [], 0, piece)
  return joined
}
