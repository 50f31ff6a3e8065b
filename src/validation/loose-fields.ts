import * as z from 'zod'
import type { JsonObject } from '../protocol/json.ts'
import { isObject } from '../text/json.ts'
import type { Steps } from '../text/steps.ts'
import { FIRST_FAULT, type FieldFault, fieldFaultIn, type LooseReader, type SkippedValue } from './fast-parse.ts'
import { itemOf } from './items.ts'
import { refused } from './parameters.ts'
import { tool } from './tools.ts'

/** Fields that the gateway itself reads or manages: a fault in one of them refuses every request. */
const MANAGED: ReadonlySet<string> = new Set(['model', 'stream', ...Object.keys(refused), 'plugins', 'x_search_filter'])

/** Limits of the answer. Another number is another request. */
const LIMITS: ReadonlySet<string> = new Set(['max_output_tokens', 'max_tool_calls'])

/** Values of one field that are skipped one by one. After them, the field is left out. */
const MOST_SKIPPED = 20

/** Entries of a list that are read in one slice. */
const SLICE = 50

interface LooseList {
  readonly entry: z.core.$ZodType
  /** Stands for an entry that no schema accepts. The request is sent only as its client sent it. */
  readonly instead: (given: unknown) => unknown
}

const UNKNOWN: JsonObject = { type: 'unknown' }

const LISTS: ReadonlyMap<string, LooseList> = new Map<string, LooseList>([
  [
    'input',
    { entry: itemOf('lenient'), instead: (given) => ({ type: 'other', item: isObject(given) ? given : UNKNOWN }) },
  ],
  ['tools', { entry: tool, instead: () => ({ type: 'hosted', name: 'unknown', fields: {} }) }],
])

/** Values that a request can do without, by the kind of their fault. An answer in another format is another answer. */
function isLossIn(name: string, value: unknown, { path, kind }: FieldFault): boolean {
  if (kind === 'invalid_value') return true
  if (LISTS.has(name) || LIMITS.has(name) || path[0] === 'format') return false
  if (name === 'tool_choice') return typeof value === 'string'
  return kind !== 'invalid_type' && kind !== 'invalid_union'
}

/** Returns the value without the one at the path, or with the nearest number there. Objects are copied. */
function without(value: unknown, path: readonly PropertyKey[], nearest: number | undefined): unknown {
  const [step, ...rest] = path
  if (step === undefined) return nearest
  if (Array.isArray(value)) {
    const at = Number(step)
    const inner = without(value[at], rest, nearest)
    return value.flatMap((entry, i) => (i !== at ? [entry] : inner === undefined ? [] : [inner]))
  }
  if (!isObject(value) || !Object.hasOwn(value, step)) return undefined
  const inner = without(value[String(step)], rest, nearest)
  const others = Object.entries(value).filter(([name]) => name !== step)
  return Object.fromEntries(inner === undefined ? others : [...others, [step, inner]])
}

interface Loose {
  readonly data: unknown
  readonly skipped: readonly SkippedValue[]
}

/** Reads a value without the parts that its schema refuses and that a request can do without. */
function readValue(name: string, schema: z.core.$ZodType, given: unknown): Loose & { readonly ok: boolean } {
  const skipped: SkippedValue[] = []
  let value = given
  for (let tries = 0; tries < MOST_SKIPPED; tries += 1) {
    const found = z.safeParse(schema, value, FIRST_FAULT)
    if (found.success) return { ok: true, data: found.data, skipped }
    const fault = fieldFaultIn(found.error)
    const isLoss = isLossIn(name, value, fault)
    skipped.push({ ...fault, isLoss })
    if (!isLoss) break
    value = without(value, fault.path, fault.nearest)
  }
  return { ok: false, data: undefined, skipped }
}

function* readEntries(name: string, { entry, instead }: LooseList, given: unknown): Steps<Loose> {
  const skipped: SkippedValue[] = []
  const data: unknown[] = []
  const list: readonly unknown[] = Array.isArray(given) ? given : []
  for (const [at, value] of list.entries()) {
    const read = readValue(name, entry, value)
    skipped.push(...read.skipped.map((fault) => ({ ...fault, path: [at, ...fault.path] })))
    data.push(read.ok ? read.data : instead(value))
    if (at % SLICE === SLICE - 1) yield
  }
  return { data, skipped }
}

const at = (name: string, { data, skipped }: Loose): Loose => ({
  data,
  skipped: skipped.map((fault) => ({ ...fault, path: [name, ...fault.path] })),
})

/**
 * Reads the fields of a request that may reach its upstream as its client sent it. A field with a fault is left out as
 * far as the fault reaches.
 */
export const looseFields: LooseReader = {
  *read(name, field, given) {
    if (MANAGED.has(name)) return null
    const list = LISTS.get(name)
    if (list !== undefined && Array.isArray(given)) return at(name, yield* readEntries(name, list, given))
    const { ok, data, skipped } = readValue(name, field, given)
    if (ok) return at(name, { data, skipped })
    const absent = z.safeParse(field, undefined)
    return at(name, { data: absent.success ? absent.data : [], skipped })
  },
}
