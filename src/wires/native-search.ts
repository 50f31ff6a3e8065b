import type { NativeSearch, OwnSearch } from '../protocol/search.ts'
import type { Wire } from './contract.ts'
import type { Quirks } from './quirks.ts'

/** A model of an upstream, as far as its own web search depends on it. */
export interface SearchedModel {
  readonly wire: Wire
  readonly quirks: Quirks
  /** The upstream's own name of the model. */
  readonly model: string
}

/** The web search of an upstream: the vendor's quirk, else the default of its wire. */
export const nativeSearchOf = ({ wire, quirks }: Pick<SearchedModel, 'wire' | 'quirks'>): NativeSearch =>
  quirks.nativeSearch ?? wire.nativeSearch ?? 'none'

export const ownSearchOf = ({ wire, quirks, model }: SearchedModel): OwnSearch => ({
  domains: nativeSearchOf({ wire, quirks }),
  excludesFunctions: wire.searchExcludesFunctions?.({ model, quirks }) === true,
  always: quirks.alwaysSearches === true,
  takesFunctions: quirks.refuses?.includes('tools') !== true,
})
