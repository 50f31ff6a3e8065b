import type { Json } from '../../protocol/json.ts'
import { isObject, isText } from '../../text/json.ts'

type Step = string | number

/** Nobody's arguments are nested deeper. */
const DEEPEST = 100

const STEP = /\.([^.[\]]+)|\[(\d+)\]|\[(?:'([^']*)'|"([^"]*)")\]/gy

/** `$.a[1]['b c']` → its steps; null where it is no such path. */
export function parsePath(path: string): readonly Step[] | null {
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

const own = (value: Json | undefined, step: Step): Json | undefined => {
  if (Array.isArray(value)) return typeof step === 'number' ? (value[step] as Json | undefined) : undefined
  return isObject(value) && Object.hasOwn(value, step) ? (value[step] as Json) : undefined
}

/** A list grows by one at a time: an index beyond its end is the next one. */
function withElement(list: readonly Json[], step: number, value: Json): Json {
  return step < list.length ? list.map((old, i) => (i === step ? value : old)) : [...list, value]
}

/** The value with something else at a path. */
function put(value: Json | undefined, steps: readonly Step[], change: (old: Json | undefined) => Json): Json {
  const [step, ...rest] = steps
  if (step === undefined) return change(value)
  const inner = put(own(value, step), rest, change)
  if (typeof step === 'number') return withElement(Array.isArray(value) ? value : [], step, inner)
  return { ...(isObject(value) ? value : {}), [step]: inner } as Json
}

/** What a piece says at its path: strings grow, all else comes whole. */
function changeOf(piece: Readonly<Record<string, unknown>>): ((old: Json | undefined) => Json) | null {
  const { stringValue, numberValue, boolValue } = piece
  if (typeof stringValue === 'string') return (old) => (typeof old === 'string' ? old : '') + stringValue
  if (typeof numberValue === 'number') return () => numberValue
  if (typeof boolValue === 'boolean') return () => boolValue
  return Object.hasOwn(piece, 'nullValue') ? () => null : null
}

/** Arguments with one of `partialArgs` added; null where it cannot be understood. */
export function addPiece(args: Json, piece: unknown): Json | null {
  if (!isObject(piece) || !isText(piece.jsonPath)) return null
  const steps = parsePath(piece.jsonPath)
  const change = changeOf(piece)
  return steps === null || steps.length === 0 || change === null ? null : put(args, steps, change)
}
