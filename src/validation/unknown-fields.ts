import type * as z from 'zod'
import type { JsonRecord } from '../protocol/json.ts'
import { addLoss, dropped, type Loss } from '../protocol/loss.ts'
import { isObject } from '../text/json.ts'
import { formatPath, pathIn } from './messages.ts'

/** A known field that cannot be carried. */
export interface IgnoredField {
  readonly why?: string
  /** Returns true for values that request nothing, in addition to null and an empty list. */
  readonly idle?: (value: unknown) => boolean
}

/**
 * The fields of one kind of object: `names` are those that are read. Every other field is reported as dropped;
 * `ignored` has details about some of these.
 */
export interface FieldSet<Name extends string = string> {
  readonly names: ReadonlySet<Name>
  readonly ignored: ReadonlyMap<string, IgnoredField>
}

/** An object of which only these fields may be read: reading another one does not compile. */
export type KnownFields<Of> = Of extends FieldSet<infer Name> ? { readonly [Field in Name]?: unknown } : never

/** The names of a table. */
export type NamesOf<Of> = Of extends FieldSet<infer Name> ? Name : never

export type IgnoredFields = Readonly<Record<string, IgnoredField>>

export const fieldSet = <const Name extends string>(
  names: readonly Name[],
  ignored: IgnoredFields = {},
): FieldSet<Name> => ({
  names: new Set(names),
  ignored: new Map(Object.entries(ignored)),
})

/** For fields that request nothing if they have one of these values. */
export const exceptWhen =
  (...usual: readonly unknown[]) =>
  (value: unknown): boolean =>
    usual.includes(value)

const NOT_KNOWN = 'this service does not support it'

const isIdle = (value: unknown): boolean =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0)

/** How long OpenAI keeps the beginning of a prompt. The default is `in_memory`, which it spells in two ways. */
export const RETENTION: IgnoredFields = { prompt_cache_retention: { idle: exceptWhen('in_memory', 'in-memory') } }

/** For object fields that request nothing while all their members are empty. */
export const exceptWhenEmpty = (value: unknown): boolean => isObject(value) && Object.values(value).every(isIdle)

/** Returns whether a field that is not read requests something. */
export const isIgnored = (value: unknown, about?: IgnoredField): boolean =>
  !isIdle(value) && about?.idle?.(value) !== true

/** Records a dropped field. `path`: the path of its object, empty for the body. */
export const recordLoss = (losses: Loss[], path: string, name: string, about: IgnoredField | undefined): void =>
  addLoss(losses, dropped(pathIn(path, name), about?.why ?? NOT_KNOWN))

/** Returns the object at this path, and records all its other fields as dropped. The path of the body is empty. */
export function pickKnown<Name extends string>(
  record: JsonRecord,
  { names, ignored }: FieldSet<Name>,
  path: string,
  { losses }: { readonly losses: Loss[] },
): KnownFields<FieldSet<Name>> {
  // All keys of a parsed object are its own, even `__proto__`, and this loop is much faster than a list of the keys.
  for (const name in record) {
    if (names.has(name as Name)) continue
    const about = ignored.get(name)
    if (isIgnored(record[name], about)) recordLoss(losses, path, name, about)
  }
  return record as KnownFields<FieldSet<Name>>
}

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
type Collector = (value: unknown, path: Path, losses: Loss[]) => void

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
  return (value, path, losses) => {
    if (!isObject(value)) return
    // All keys of a parsed object are its own, and this loop is much faster than a list of the keys.
    for (const name in value) {
      const inner = collectors.get(name)
      if (inner === null) continue
      if (inner !== undefined) {
        path.push(name)
        inner(value[name], path, losses)
        path.pop()
      } else if (!keepsAll && isIgnored(value[name], ignored.get(name))) {
        recordLoss(losses, path.length === 0 ? '' : formatPath(path), name, ignored.get(name))
      }
    }
  }
}

function ofArray(element: Collector | null): Collector | null {
  if (element === null) return null
  return (value, path, losses) => {
    if (!Array.isArray(value)) return
    for (let at = 0; at < value.length; at += 1) {
      path.push(at)
      element(value[at], path, losses)
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
  return (value, path, losses) => {
    if (isObject(value)) byWord.get(word(value))?.(value, path, losses)
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
  return (value, path, losses) => {
    // A shorthand form that is not an object has no fields.
    if (typeof value === 'object') inner(def.transform(value, { value, issues: [] }), path, losses)
  }
}

/** Returns a function that records the fields of a valid value that its schema does not read. */
export function collectUnknown(schema: z.core.$ZodType): (value: unknown, losses: Loss[], path?: Path) => void {
  const collect = collectorOf(schema)
  return (value, losses, path = []) => collect?.(value, path, losses)
}
