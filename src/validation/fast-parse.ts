import * as z from 'zod'
import { isObject } from '../text/json.ts'
import { lookup } from '../text/lookup.ts'
import type { Steps } from '../text/steps.ts'
import { describeIssue } from './issues.ts'
import { describeValue } from './messages.ts'
import type { QuickReader, QuickReaders } from './quick-fields.ts'

/** The first mistake in a value, and its path. */
export interface FieldFault {
  readonly path: readonly PropertyKey[]
  readonly message: string
  /** Its own error code, if it has one. */
  readonly code: unknown
  /** How the value differs from the schema, in zod's word; left out if no schema decided. */
  readonly kind?: z.core.$ZodIssue['code']
  /** The nearest number that the schema accepts. */
  readonly nearest?: number
}

/** A fault that is not an error yet: only a request that the hub translates depends on the value. */
export interface SkippedValue extends FieldFault {
  /** Whether the request without the value is a translation of it with a loss, and not another request. */
  readonly isLoss: boolean
}

/** Reads values that their schema refuses (`loose-fields.ts`). */
export interface LooseReader {
  /** Null if a fault of this field refuses the request. */
  read(
    name: string,
    field: z.core.$ZodType,
    given: unknown,
  ): Steps<{ readonly data: unknown; readonly skipped: readonly SkippedValue[] } | null>
}

type FieldRead<Fields> =
  | { readonly ok: true; readonly fields: Fields; readonly skipped: readonly SkippedValue[] }
  | { readonly ok: false; readonly fault: FieldFault }

/**
 * Stops at the first mistake of a list or an object: a client is shown one mistake, and each bad entry of a list costs
 * more than reading a good one. zod sets `abortEarly` for `z.validate`, and accepts it from its callers as well.
 */
export const FIRST_FAULT: z.core.ParseContextInternal<z.core.$ZodIssue> = { error: describeIssue, abortEarly: true }

export function fieldFaultIn({ issues }: z.core.$ZodError, path: readonly PropertyKey[] = []): FieldFault {
  const [issue] = issues
  if (issue === undefined) return { path, message: 'expected a valid value', code: null }
  return {
    path: [...path, ...issue.path],
    message: issue.message,
    code: issue.code === 'custom' ? issue.params?.code : null,
    kind: issue.code,
    ...nearestIn(issue),
  }
}

const NUMBERS: ReadonlySet<string> = new Set(['number', 'int'])

function nearestIn(issue: z.core.$ZodIssue): { readonly nearest?: number } {
  const isRange = issue.code === 'too_big' || issue.code === 'too_small'
  if (!isRange || !NUMBERS.has(issue.origin)) return {}
  return { nearest: Number(issue.code === 'too_big' ? issue.maximum : issue.minimum) }
}

type Parsed = ReturnType<typeof z.safeParse>

/** Entries of a long list that are read in one slice. */
const SLICE = 500

/**
 * Returns a reader with the result of the schema for valid objects, in a fraction of its time: most objects omit most
 * fields, and the value of an omitted field is known beforehand. The reader yields between slices of long lists:
 * O(size of the object). `checked`: fields that are dropped after validation. `lists`: fields that are lists, or become
 * one. `quick`: readers of usual values, by the name of their field. `loose`: reads the values that their schema
 * refuses; left out, the first of them refuses the object.
 */
export function fastParse<Shape extends z.core.$ZodShape, Name extends keyof Shape & string>(
  schema: z.ZodObject<Shape>,
  checked: readonly Name[],
  lists: readonly (keyof Shape & string)[],
  quick: QuickReaders = {},
  loose: LooseReader | null = null,
): (value: unknown) => Steps<FieldRead<Omit<z.output<typeof schema>, Name>>> {
  const dropped: ReadonlySet<string> = new Set(checked)
  const sliced: ReadonlySet<string> = new Set(lists)
  const fields = Object.entries(schema.shape).map(([name, field]) => {
    const absent = alwaysRead(field, undefined)
    const read = fieldReader(field, alwaysRead(field, null), lookup(quick, name))
    return { name, field, absent, kept: !dropped.has(name), isList: sliced.has(name), read }
  })
  // V8 copies an object that was parsed much faster than one that was built name by name, which is a hash table.
  const names = fields.flatMap(({ name, absent, kept }) => (kept ? [[name, absent === null ? null : absent.data]] : []))
  const hasAll = names.every(([, data]) => data !== undefined)
  const blank = JSON.parse(hasAll ? JSON.stringify(Object.fromEntries(names)) : '{}') as Readonly<
    Record<string, unknown>
  >
  return function* (value) {
    if (!isObject(value)) {
      return { ok: false, fault: { path: [], message: `expected an object, got ${describeValue(value)}`, code: null } }
    }
    const read: Record<string, unknown> = { ...blank }
    const skipped: SkippedValue[] = []
    for (const { name, field, absent, kept, isList, read: readField } of fields) {
      const given = value[name]
      if (given === undefined && absent !== null) {
        if (kept && absent.data !== undefined) read[name] = absent.data
        continue
      }
      if (isList && Array.isArray(given) && given.length > SLICE) {
        const found = yield* readList(field, given, name)
        if (found.ok) {
          read[name] = found.fields
          continue
        }
        if (loose === null) return found
      }
      const found = readField(given)
      if (found.success) {
        if (kept && found.data !== undefined) read[name] = found.data
        continue
      }
      const rest = loose === null ? null : yield* loose.read(name, field, given)
      if (rest === null) return { ok: false, fault: fieldFaultIn(found.error, [name]) }
      skipped.push(...rest.skipped)
      if (kept && rest.data !== undefined) read[name] = rest.data
    }
    return { ok: true, fields: read as Omit<z.output<typeof schema>, Name>, skipped }
  }
}

/** The result for a value that is known beforehand; null if the schema refuses it. */
function alwaysRead(field: z.core.$ZodType, value: null | undefined): Parsed | null {
  const read = z.safeParse(field, value)
  return read.success ? read : null
}

/** `empty`: the result for null. */
function fieldReader(
  field: z.core.$ZodType,
  empty: Parsed | null,
  quick: QuickReader | undefined,
): (given: unknown) => Parsed {
  return (given) => {
    if (given === null && empty !== null) return empty
    const usual = quick?.(given)
    return usual === undefined ? z.safeParse(field, given, FIRST_FAULT) : { success: true, data: usual }
  }
}

function* readList(
  field: z.core.$ZodType,
  given: readonly unknown[],
  name: string,
): Steps<FieldRead<readonly unknown[]>> {
  const read: unknown[] = []
  for (let at = 0; at < given.length; at += SLICE) {
    const found = z.safeParse(field, given.slice(at, at + SLICE), FIRST_FAULT)
    if (!found.success) {
      const { path, ...fault } = fieldFaultIn(found.error)
      const [index, ...inside] = path
      return { ok: false, fault: { ...fault, path: [name, at + Number(index), ...inside] } }
    }
    for (const entry of found.data as readonly unknown[]) read.push(entry)
    yield
  }
  return { ok: true, fields: read, skipped: [] }
}
