import { lookup } from '../../../text/lookup.ts'
import type { Quirks } from '../../quirks.ts'

/**
 * Matches names of models, in lower case and without the text up to the last slash, and lists what these models accept.
 */
export interface ModelRow<Traits> {
  readonly names: RegExp
  readonly traits: Traits | ((match: RegExpExecArray) => Traits)
}

/** The capabilities of the models of a wire, by name. The first matching row applies. */
export interface ModelTable<Traits> {
  readonly rows: readonly ModelRow<Traits>[]
  /** The traits of models whose names match no row. */
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

/** The key in a vendor's row that stands for every name that matches no row of the table. */
const ANY = '*'

/**
 * Returns what a model accepts: by the model that the vendor's row equates it with, else by its own name, else by the
 * row's entry for all other names.
 */
export function readTraits<Traits>(table: ModelTable<Traits>, model: string, { likeModels = {} }: Quirks): Traits {
  const other = lookup(likeModels, ANY)
  return (
    traitsIn(table, lookup(likeModels, model) ?? model) ??
    (other === undefined ? null : traitsIn(table, other)) ??
    table.unknown
  )
}
