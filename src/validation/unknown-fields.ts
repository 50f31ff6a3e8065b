import type * as z from 'zod'
import { isObject } from '../text/json.ts'
import { type FieldNotes, type IgnoredFields, recordUnsupported } from './known-fields.ts'
import { formatPath } from './messages.ts'

const IGNORED = new WeakMap<z.core.$ZodType, IgnoredFields>()

/** Sets the details of fields that are dropped, whether the schema has them or not. */
export function ignoring<Schema extends z.core.$ZodType>(schema: Schema, ignored: IgnoredFields): Schema {
  IGNORED.set(schema, ignored)
  return schema
}

type Word = (value: Readonly<Record<string, unknown>>) => unknown

const WORDS = new WeakMap<z.core.$ZodType, Word>()

/**
 * Sets how the variant of a value is found without converting the value. `word` returns no variant's word for a value
 * that is kept whole.
 */
export function discriminatedBy<Schema extends z.core.$ZodType>(schema: Schema, word: Word): Schema {
  WORDS.set(schema, word)
  return schema
}

type Path = (string | number)[]

/** Records the fields of a value that its schema does not read. */
type Collector = (value: unknown, path: Path, notes: FieldNotes) => void

type Schema = z.core.$ZodTypes

/** Returns null if nothing can be dropped: the value is not an object, or is kept whole. */
function collectorOf(schema: z.core.$ZodType): Collector | null {
  const { def } = (schema as Schema)._zod
  switch (def.type) {
    case 'object':
      return ofObject(schema, def)
    case 'array':
      return ofArray(collectorOf(def.element))
    case 'union':
      return 'discriminator' in def ? ofVariants(def as z.core.$ZodDiscriminatedUnionDef) : null
    case 'optional':
    case 'nullable':
    case 'default':
      return collectorOf(def.innerType)
    case 'pipe':
      return ofPipe(def, WORDS.get(schema))
    default:
      return null
  }
}

function ofObject(schema: z.core.$ZodType, { shape, catchall }: z.core.$ZodObjectDef): Collector {
  const ignored = new Map(Object.entries(IGNORED.get(schema) ?? {}))
  const collectors = new Map(
    Object.entries(shape)
      .filter(([name]) => !ignored.has(name))
      .map(([name, field]) => [name, collectorOf(field)]),
  )
  const keepsAll = catchall !== undefined
  return (value, path, notes) => {
    if (!isObject(value)) return
    // All keys of a parsed object are its own, and this loop is much faster than a list of the keys.
    for (const name in value) {
      const inner = collectors.get(name)
      if (inner === null) continue
      if (inner !== undefined) {
        path.push(name)
        inner(value[name], path, notes)
        path.pop()
      } else if (!keepsAll) {
        recordUnsupported(notes, path.length === 0 ? '' : formatPath(path), name, value[name], ignored.get(name))
      }
    }
  }
}

function ofArray(element: Collector | null): Collector | null {
  if (element === null) return null
  return (value, path, notes) => {
    if (!Array.isArray(value)) return
    for (let at = 0; at < value.length; at += 1) {
      path.push(at)
      element(value[at], path, notes)
      path.pop()
    }
  }
}

function ofVariants(
  { discriminator, options }: z.core.$ZodDiscriminatedUnionDef,
  word: Word = (value) => value[discriminator],
): Collector {
  const byWord = new Map(
    options.flatMap((option) => {
      const collector = collectorOf(option)
      const words = option._zod.propValues?.[discriminator] ?? []
      return [...words].map((word): readonly [unknown, Collector | null] => [word, collector])
    }),
  )
  return (value, path, notes) => {
    if (isObject(value)) byWord.get(word(value))?.(value, path, notes)
  }
}

/**
 * A shorthand form is first converted to the full one, as in validation. A conversion after an object schema is
 * ignored, because the object before it has all fields.
 */
function ofPipe({ in: first, out }: z.core.$ZodPipeDef, word: Word | undefined): Collector | null {
  if (word !== undefined) return ofVariants((out as Schema)._zod.def as z.core.$ZodDiscriminatedUnionDef, word)
  const { def } = (first as Schema)._zod
  if (def.type !== 'transform') return collectorOf(first)
  const inner = collectorOf(out)
  if (inner === null) return null
  return (value, path, notes) => {
    // A shorthand form that is not an object has no fields.
    if (typeof value === 'object') inner(def.transform(value, { value, issues: [] }), path, notes)
  }
}

/** Returns a function that records the fields of a valid value that its schema does not read. */
export function collectUnknown(schema: z.core.$ZodType): (value: unknown, notes: FieldNotes, path?: Path) => void {
  const collect = collectorOf(schema)
  return (value, notes, path = []) => collect?.(value, path, notes)
}
