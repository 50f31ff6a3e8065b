import { lookup } from '../text/lookup.ts'
import type { Quirks } from './quirks.ts'

/** Models of these names, in lower case and without what stands before the last slash, and what they take. */
export interface ModelRow<Traits> {
  readonly names: RegExp
  readonly traits: Traits | ((match: RegExpExecArray) => Traits)
}

/** What the models of a wire take, by their names. The first row that fits counts. */
export interface ModelTable<Traits> {
  readonly rows: readonly ModelRow<Traits>[]
  /** What a name gets that fits no row. */
  readonly unknown: Traits
}

/** `models/gemini-3-pro` → `gemini-3-pro`. */
const bareName = (model: string): string => model.slice(model.lastIndexOf('/') + 1).toLowerCase()

const isRead = <Traits>(traits: ModelRow<Traits>['traits']): traits is (match: RegExpExecArray) => Traits =>
  typeof traits === 'function'

function traitsIn<Traits>({ rows }: ModelTable<Traits>, model: string): Traits | null {
  const name = bareName(model)
  for (const { names, traits } of rows) {
    const match = names.exec(name)
    if (match !== null) return isRead(traits) ? traits(match) : traits
  }
  return null
}

/** The name that stands in a vendor's row for every name that no table knows. */
const ANY = '*'

/**
 * Returns what a model takes: by the model that the vendor's row likens it to, else by its own name, else by what the
 * row has for all other names.
 */
export function readTraits<Traits>(table: ModelTable<Traits>, model: string, { likeModels = {} }: Quirks): Traits {
  const other = lookup(likeModels, ANY)
  return (
    traitsIn(table, lookup(likeModels, model) ?? model) ??
    (other === undefined ? null : traitsIn(table, other)) ??
    table.unknown
  )
}
